// What good plugins do in a new version that might be taken for harm: none of it is a reason to take an update back.

const on = (hook: string, code: string) => `add_action( '${hook}', function () { ${code} } );`
/** What a plugin does once, in the first request with its new version. */
const once = (name: string, code: string) =>
  on('init', `if ( ! get_option( 'harbour_${name}' ) ) { update_option( 'harbour_${name}', 1 ); ${code} }`)

/** PHP at the end of the plugin's main file, by what it does. */
export const HARMLESS = {
  makes_a_table: once(
    'table',
    "$GLOBALS['wpdb']->query( 'CREATE TABLE IF NOT EXISTS ' . $GLOBALS['wpdb']->prefix . 'harbour (id bigint PRIMARY KEY, n int)' );",
  ),
  changes_a_table: once('alter', "$GLOBALS['wpdb']->query( 'ALTER TABLE ' . $GLOBALS['wpdb']->prefix . 'harbour ADD COLUMN m int' );"),
  compares_its_tables: once(
    'delta',
    "require_once ABSPATH . 'wp-admin/includes/upgrade.php'; dbDelta( 'CREATE TABLE ' . $GLOBALS['wpdb']->prefix . \"harbour_log (\\nid bigint(20) NOT NULL AUTO_INCREMENT,\\ntext varchar(100) NOT NULL,\\nPRIMARY KEY  (id)\\n)\" );",
  ),
  writes_many_rows: once('rows', 'for ( $n = 0; $n < 500; $n++ ) { update_option( "harbour_row_$n", str_repeat( \'x\', 200 ), false ); }'),
  has_a_transaction: on(
    'init',
    "global $wpdb; $wpdb->query( 'START TRANSACTION' ); $wpdb->query( \"UPDATE $wpdb->options SET option_value = option_value WHERE option_name = 'blogname'\" ); $wpdb->query( 'COMMIT' );",
  ),
  asks_another_server: on('init', "$answer = wp_remote_get( 'http://127.0.0.1:9/' ); wp_remote_retrieve_body( $answer );"),
  sends_a_mail: once('mail', "wp_mail( 'nobody@example.com', 'Harbour', 'The new version is here.' );"),
  welcomes_an_administrator: on(
    'admin_init',
    "if ( ! get_option( 'harbour_welcomed' ) ) { update_option( 'harbour_welcomed', 1 ); wp_safe_redirect( admin_url( 'plugins.php?welcome' ) ); exit; }",
  ),
  notices_in_wp_admin: on('admin_notices', 'echo \'<div class="notice"><p>Harbour has a new version.</p></div>\';'),
  schedules_events: on(
    'init',
    "if ( ! wp_next_scheduled( 'harbour_tick' ) ) { wp_schedule_event( time() + 600, 'hourly', 'harbour_tick' ); }",
  ),
  adds_a_role: once('role', "add_role( 'harbour_master', 'Harbour master', array( 'read' => true ) );"),
  adds_a_kind_of_post: on(
    'init',
    "register_post_type( 'berth', array( 'public' => true, 'label' => 'Berths', 'has_archive' => true, 'show_in_rest' => true ) );",
  ),
  flushes_rewrite_rules: once('rules', "add_rewrite_rule( '^berths/([0-9]+)$', 'index.php?p=$matches[1]', 'top' ); flush_rewrite_rules();"),
  adds_to_rest: on(
    'rest_api_init',
    "register_rest_route( 'harbour/v1', '/tides', array( 'callback' => '__return_empty_array', 'permission_callback' => '__return_true' ) );",
  ),
  writes_files: once(
    'files',
    "wp_mkdir_p( WP_CONTENT_DIR . '/uploads/harbour' ); file_put_contents( WP_CONTENT_DIR . '/uploads/harbour/cache.txt', 'tides' );",
  ),
  sets_cookies: on('init', "if ( ! headers_sent() ) { setcookie( 'harbour', '1' ); }"),
  starts_a_session: on(
    'init',
    'if ( PHP_SESSION_NONE === session_status() && ! headers_sent() ) { session_start(); session_write_close(); }',
  ),
  takes_a_second: on('template_redirect', 'sleep( 1 );'),
  needs_memory: on('init', "$room = str_repeat( 'x', 30000000 ); unset( $room );"),
  warns: on('init', "trigger_error( 'Harbour is deprecated here', E_USER_DEPRECATED ); trigger_error( 'Harbour warns', E_USER_WARNING );"),
  catches_errors: on('init', 'try { a_function_that_is_not_there(); } catch ( Error $error ) { unset( $error ); }'),
  filters_the_content: "add_filter( 'the_content', function ( $text ) { return $text . '<p>Open daily.</p>'; } );",
  writes_louder: "add_filter( 'the_title', function ( $text ) { return strtoupper( $text ); } );",
  hides_a_banner: on('wp_head', "echo '<style>.harbour-banner{display:none}</style>';"),
  adds_scripts: on('wp_enqueue_scripts', "wp_enqueue_script( 'harbour', plugins_url( 'harbour.js', __FILE__ ), array(), '2', true );"),
  ends_its_own_requests: on('init', "if ( isset( $_GET['harbour-ajax'] ) ) { wp_send_json( array() ); }"),
  minds_the_signed_in: on('init', "if ( is_user_logged_in() ) { update_user_meta( get_current_user_id(), 'harbour_seen', time() ); }"),
  minds_who_signs_in:
    "add_filter( 'authenticate', function ( $user ) { return $user; }, 100 ); add_action( 'wp_login_failed', function () { update_option( 'harbour_failed', time() ); } );",
  keeps_transients: on(
    'init',
    "if ( false === get_transient( 'harbour_tides' ) ) { set_transient( 'harbour_tides', array_fill( 0, 1000, 'tide' ), 60 ); }",
  ),
  uses_the_object_cache: on('init', "wp_cache_set( 'harbour', array( 1, 2, 3 ) ); wp_cache_get( 'harbour' );"),
  looks_for_itself: on(
    'init',
    "is_readable( WP_PLUGIN_DIR . '/harbour-notices/readme.txt' ) || wp_die( 'Where am I?' ); is_plugin_active_here();",
  ).replace(
    'is_plugin_active_here();',
    "in_array( plugin_basename( __FILE__ ), get_option( 'active_plugins' ), true ) || wp_die( 'Who am I?' );",
  ),
  requires_its_neighbour: "is_file( dirname( __DIR__ ) . '/svc-connector/svc-connector.php' ) || wp_die( 'What I need is not there.' );",
  slow_to_install: once('slow', 'sleep( 12 );'),
} satisfies Record<string, string>
