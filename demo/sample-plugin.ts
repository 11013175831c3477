// A small plugin of our own in good versions and in every broken kind that an update must survive.
import { randomBytes } from 'node:crypto'
import { HARMLESS } from './harmless-versions.ts'
import { inFolder, zip } from './zip.ts'

export const SAMPLE_PLUGIN = 'harbour-notices/harbour-notices.php'
/** A second one for the demo; its only newer version is broken. */
export const BROKEN_PLUGIN = 'tide-tables/tide-tables.php'

/** A file that can be downloaded; with `stallsAfter` the line stays open and silent after so many bytes. */
export interface Package {
  bytes: Buffer
  stallsAfter?: number
}

interface Kind {
  version: string
  /** PHP at the end of the plugin's main file. */
  code?: string
  requiresPhp?: string
  /** The folder in the archive, where it is not the plugin's own. */
  folder?: string
  /** Files of the archive outside of that folder. */
  beside?: Record<string, string>
  /** A file that is not there. */
  without?: string
  /** Bytes of a file that does not shrink. */
  extra?: number
  /** How many small files there are beside. */
  files?: number
  /** What arrives in place of the sound archive. */
  spoil?: (sound: Buffer) => Package
}

const fatal = 'a_function_that_is_not_there();'
const on = (hook: string, code: string) => `add_action( '${hook}', function () { ${code} } );`

const harmless = Object.fromEntries(
  Object.entries(HARMLESS).map(([name, code], place) => [name, { version: `2.0.${place + 1}`, code }]),
) as Record<keyof typeof HARMLESS, Kind>

/** A stylesheet of its own, which no word of the page tells of. */
const styled = (version: string, css: string): Kind => ({
  version,
  code: on('wp_enqueue_scripts', `wp_enqueue_style( 'harbour', plugins_url( 'look.css', __FILE__ ), array(), '${version}' );`),
  beside: { [`${SAMPLE_PLUGIN.split('/')[0]}/look.css`]: css },
})

/** What is wrong with each version of the sample plugin, or might be taken for it. */
export const KINDS = {
  good_old: { version: '1.0.0' },
  good_new: { version: '1.1.0' },
  fatal_at_load: { version: '1.2.0', code: fatal },
  fatal_on_front_page: { version: '1.2.1', code: on('template_redirect', fatal) },
  fatal_on_login_page: { version: '1.2.2', code: on('login_init', fatal) },
  parse_error: { version: '1.3.0', code: 'this is not PHP' },
  not_a_zip: { version: '1.4.0', spoil: () => ({ bytes: Buffer.from('<html><body>Please sign in to download.</body></html>') }) },
  truncated_zip: { version: '1.5.0', spoil: (sound) => ({ bytes: sound.subarray(0, Math.floor(sound.length / 2)) }) },
  error_500_page: { version: '1.6.0', code: on('template_redirect', "wp_die( 'Out of order', 'Error', array( 'response' => 500 ) );") },
  blank_200_page: { version: '1.7.0', code: on('template_redirect', 'status_header( 200 ); exit;') },
  redirect_loop: { version: '1.8.0', code: on('template_redirect', "wp_safe_redirect( home_url( '/?again=' . wp_rand() ) ); exit;") },
  deactivates_itself: {
    version: '1.9.0',
    code: on('init', "require_once ABSPATH . 'wp-admin/includes/plugin.php'; deactivate_plugins( plugin_basename( __FILE__ ) );"),
  },
  needs_newer_php: { version: '1.10.0', requiresPhp: '9.0' },
  two_plugins: { version: '1.11.1', beside: { 'second/second.php': '<?php\n/* Plugin Name: Second */\n' } },
  climbs_out: { version: '1.11.2', beside: { '../../climbed.php': '<?php\n' } },
  without_main: { version: '1.11.3', without: 'harbour-notices.php' },
  other_folder: { version: '1.11.0', folder: 'harbour-notices-pro' },
  stalled_download: { version: '1.12.0', spoil: (bytes) => ({ bytes, stallsAfter: Math.floor(bytes.length / 2) }) },
  too_large: { version: '1.13.0', extra: 6_000_000 },
  fatal_on_search: { version: '1.14.0', code: on('template_redirect', `if ( is_search() ) { ${fatal} }`) },
  fatal_on_posts: { version: '1.14.2', code: on('template_redirect', `if ( is_singular( 'post' ) ) { ${fatal} }`) },
  fatal_in_cart: { version: '1.14.3', code: on('template_redirect', `if ( is_page( 'cart' ) ) { ${fatal} }`) },
  fatal_in_checkout: { version: '1.14.4', code: on('template_redirect', `if ( is_page( 'checkout' ) ) { ${fatal} }`) },
  fatal_on_missing: { version: '1.14.1', code: on('template_redirect', `if ( is_404() ) { ${fatal} }`) },
  dead_admin: { version: '1.15.0', code: on('admin_init', fatal) },
  dead_editor: { version: '1.15.1', code: on('enqueue_block_editor_assets', fatal) },
  dead_rest: { version: '1.15.2', code: on('rest_api_init', fatal) },
  noisy_rest: { version: '1.15.3', code: on('rest_api_init', "echo 'loaded';") },
  moves_rest: {
    version: '1.15.16',
    code: `add_filter( 'rest_url_prefix', function () { return 'api'; } ); ${on('wp_loaded', 'flush_rewrite_rules( false );')}`,
  },
  nobody_signs_in: {
    version: '1.15.4',
    code: "add_filter( 'authenticate', function () { return new WP_Error( 'closed', 'Closed' ); }, PHP_INT_MAX );",
  },
  broken_feed: { version: '1.15.5', code: on('do_feed_rss2', 'echo "\\n";').replace('} );', '}, 1 );') },
  contents_gone: { version: '1.15.6', code: "add_filter( 'the_content', '__return_empty_string' );" },
  hides_the_page: { version: '1.15.7', code: on('wp_head', "echo '<style>body{display:none}</style>';") },
  leads_away: { version: '1.15.8', code: on('template_redirect', "wp_redirect( 'https://elsewhere.example/' ); exit;") },
  members_only: { version: '1.15.9', code: on('template_redirect', 'auth_redirect();') },
  forgets_events: { version: '1.15.10', code: on('init', "update_option( 'cron', array( 'version' => 2 ) );") },
  rest_refuses_editors: {
    version: '1.15.17',
    code: `add_filter( 'rest_request_before_callbacks', function ( $response, $handler, $request ) {
  return 'edit' === $request['context'] ? new WP_Error( 'closed', 'Closed', array( 'status' => 500 ) ) : $response;
}, 10, 3 );`,
  },
  dies_in_cron: { version: '1.15.18', code: on('init', `if ( wp_doing_cron() ) { ${fatal} }`) },
  fades_the_page: styled('1.15.12', 'body{opacity:0}'),
  covers_the_page: styled('1.15.13', 'body::after{content:"Soon";position:fixed;inset:0;background:#246;z-index:99999}'),
  moves_the_page_away: styled('1.15.14', 'body>*{position:absolute!important;left:-9999px}'),
  white_on_white: styled('1.15.15', '*{color:#fff!important;background:#fff!important;border-color:#fff!important}img{opacity:0}'),
  switches_all_off: { version: '1.16.0', code: on('init', "update_option( 'active_plugins', array() );") },
  moves_the_site: {
    version: '1.16.1',
    code: on('init', "update_option( 'home', 'https://elsewhere.example' ); update_option( 'siteurl', 'https://elsewhere.example' );"),
  },
  loses_the_theme: { version: '1.16.2', code: on('init', "update_option( 'template', 'none' ); update_option( 'stylesheet', 'none' );") },
  loses_roles: { version: '1.16.3', code: on('init', "update_option( $GLOBALS['wpdb']->prefix . 'user_roles', array() );") },
  empties_posts: {
    version: '1.16.4',
    code: on('shutdown', `$GLOBALS['wpdb']->query( "UPDATE {$GLOBALS['wpdb']->posts} SET post_content = ''" );`),
  },
  empties_options: {
    version: '1.16.6',
    code: on('shutdown', `$GLOBALS['wpdb']->query( "UPDATE {$GLOBALS['wpdb']->options} SET option_value = ''" );`),
  },
  drops_options: { version: '1.16.7', code: on('shutdown', `$GLOBALS['wpdb']->query( "DROP TABLE {$GLOBALS['wpdb']->options}" );`) },
  /** A drop-in that dies, and rules that no web server understands. */
  breaks_around: {
    version: '1.16.8',
    code: on(
      'shutdown',
      `file_put_contents( WP_CONTENT_DIR . '/object-cache.php', '<?php ${fatal}' ); file_put_contents( ABSPATH . '.htaccess', 'Nonsense' );`,
    ),
  },
  switches_all_off_at_the_end: { version: '1.16.9', code: on('shutdown', "update_option( 'active_plugins', array() );") },
  moves_the_site_at_the_end: { version: '1.16.10', code: on('shutdown', "update_option( 'home', 'https://elsewhere.example' );") },
  /** Into a table that no transaction takes back. */
  counts_and_dies: {
    version: '1.16.5',
    code: `${on('init', `$GLOBALS['wpdb']->query( "INSERT INTO {$GLOBALS['wpdb']->prefix}old_counter VALUES (1)" );`)} ${on('template_redirect', fatal)}`,
  },
  very_slow: { version: '1.15.11', code: on('template_redirect', 'sleep( 6 );') },
  hangs: { version: '1.17.0', code: 'sleep( 600 );' },
  hangs_on_pages: { version: '1.17.1', code: on('template_redirect', 'sleep( 600 );') },
  spins: { version: '1.17.2', code: 'while ( true );' },
  /** What it wants of the database no trial can let it have. */
  hangs_and_alters: {
    version: '1.17.3',
    code: on('init', `$GLOBALS['wpdb']->query( "ALTER TABLE {$GLOBALS['wpdb']->links} COMMENT = ''" ); sleep( 600 );`),
  },
  /** With what it has locked. */
  writes_and_hangs: { version: '1.17.4', code: on('init', "update_option( 'blogdescription', 'Half' ); sleep( 3600 );") },
  dies_without_a_word: { version: '1.18.0', code: on('template_redirect', 'posix_kill( getmypid(), 11 );') },
  /** With what it writes when a page ends, the next one of wp-admin dies. */
  trips_over_itself: {
    version: '1.18.1',
    code: `${on('shutdown', "set_transient( 'harbour_half', 1 );")} ${on('admin_init', `if ( get_transient( 'harbour_half' ) ) { ${fatal} }`)}`,
  },
  asks_and_dies: {
    version: '1.18.2',
    code: `${on('admin_init', "wp_remote_get( 'http://127.0.0.1:9/' );")} ${on('template_redirect', fatal)}`,
  },
  leads_to_the_front: {
    version: '1.18.3',
    code: on('template_redirect', "if ( is_singular( 'post' ) ) { wp_safe_redirect( home_url( '/' ) ); exit; }"),
  },
  switches_another_off: {
    version: '1.18.4',
    code: on('init', "require_once ABSPATH . 'wp-admin/includes/plugin.php'; deactivate_plugins( 'beside.php', true );"),
  },
  forgets_others_events: {
    version: '1.18.5',
    code: on(
      'init',
      "update_option( 'cron', array( time() + 600 => array( 'harbour_tick' => array( md5( serialize( array() ) ) => array( 'schedule' => 'hourly', 'args' => array(), 'interval' => 3600 ) ) ), 'version' => 2 ) );",
    ),
  },
  /** Before WordPress compares the password. */
  refuses_each_user: {
    version: '1.18.6',
    code: "add_filter( 'wp_authenticate_user', function () { return new WP_Error( 'closed', 'Closed' ); } );",
  },
  fatal_on_odd_input: { version: '1.1.1', code: on('init', "strlen( $_GET['harbour'] ?? '' );") },
  ...harmless,
  large: { version: '2.1.0', extra: 20_000_000 },
  many_files: { version: '2.1.1', files: 3_000 },
} satisfies Record<string, Kind>

export type SampleKind = keyof typeof KINDS

/** The archive of one version, as the download server offers it. */
export function samplePackage(kind: SampleKind): Package {
  const { version, folder = folderOf(SAMPLE_PLUGIN), beside, without = '', extra, files: many = 0, spoil }: Kind = KINDS[kind]
  const large = extra === undefined ? {} : { 'inc/large.bin': randomBytes(extra) }
  const small = Object.fromEntries(Array.from({ length: many }, (_, n) => [`inc/${n % 50}/${n}.php`, `<?php\n// ${n}\n`]))
  const { [without]: _, ...files } = pluginFiles(SAMPLE_PLUGIN, version, KINDS[kind])
  const sound = zip({ ...inFolder(folder, { ...files, ...large, ...small }), ...beside })
  return spoil?.(sound) ?? { bytes: sound }
}

/** The one newer version of the broken plugin. */
export const brokenPackage = (): Package => ({
  bytes: zip(inFolder(folderOf(BROKEN_PLUGIN), pluginFiles(BROKEN_PLUGIN, '1.1.0', { code: fatal }))),
})

const folderOf = (file: string) => file.split('/')[0] ?? file
const titleOf = (file: string) =>
  folderOf(file)
    .split('-')
    .map((word) => word.replace(/^./, (letter) => letter.toUpperCase()))
    .join(' ')

/** The files of a version: one that says at the foot of each page that it is there. */
export function pluginFiles(file: string, version: string, { code = '', requiresPhp = '7.2' }: Partial<Kind>): Record<string, string> {
  const title = titleOf(file)
  const constant = folderOf(file).toUpperCase().replaceAll('-', '_')
  const main = `<?php
/**
 * Plugin Name: ${title}
 * Plugin URI: https://wordpress.org/plugins/${folderOf(file)}/
 * Description: Shows the opening hours at the foot of every page.
 * Version: ${version}
 * Author: The Harbour
 * Requires at least: 5.6
 * Requires PHP: ${requiresPhp}
 * License: GPL-2.0-or-later
 */
define( '${constant}', '${version}' );
add_action( 'wp_footer', function () { require __DIR__ . '/inc/notice.php'; } );
${code}
`
  return {
    [`${folderOf(file)}.php`]: main,
    'inc/notice.php': `<?php\nprintf( '<p style="text-align:center">Open daily 6:00–22:00 · ${title} %s</p>', esc_html( ${constant} ) );\n`,
    'readme.txt': `=== ${title} ===\nStable tag: ${version}\nLicense: GPL-2.0-or-later\n\nShows the opening hours at the foot of every page.\n`,
  }
}
