// A native site seen whole: every file and every row, for a test that says nothing changed.
import { run } from '../../demo/npm.ts'
import type { Managed } from './managed.ts'
import { query } from './mariadb.ts'

const OURS = /^wp-content\/(plugins\/svc-connector|svc-connector-work|database)(\/|$)/

/** All but what WordPress itself writes while it is looked at; the last two when it mails its owner about a fatal error. */
const STEADY = `option_name NOT LIKE 'svc%' AND option_name NOT LIKE '%transient%'
  AND option_name NOT IN ('cron','rewrite_rules','recovery_keys','recovery_mode_email_last_sent')`

export interface SiteState {
  /** Path → digest of content, for every file that is not the connector's own. */
  files: Record<string, string>
  /** Table → digest of its rows and definition, without the connector's own; of the options each. */
  rows: Record<string, string>
}

export const stateOf = async (one: Managed): Promise<SiteState> => ({ files: await filesOf(one.native.dir), rows: await rowsOf(one) })

/** Names whose values differ. */
export const differing = (one: Record<string, string>, other: Record<string, string>): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => one[name] !== other[name])
    .map((name) => `${name}: ${one[name]?.slice(0, 60)} became ${other[name]?.slice(0, 60)}`)

/** The first visits make WordPress write rows of its own. */
export async function warmUp({ native }: Managed): Promise<void> {
  for (const path of ['/', '/wp-login.php', '/']) await (await fetch(native.url + path)).text()
}

/** The files alone. */
export async function filesOf(dir: string): Promise<Record<string, string>> {
  const script = `find . ! -type f -printf '%y %l\\0%P\\0'; find . -type f -print0 | xargs -0 sha256sum --zero`
  const found: Record<string, string> = {}
  const words = (await run('sh', ['-c', script], { cwd: dir })).split('\0')
  const keep = (path: string, what: string) => {
    if (path !== '' && !OURS.test(path)) found[path] = what
  }
  while (words.length > 1) {
    const word = words.shift() ?? ''
    const [, sum, path] = /^([0-9a-f]{64}) {2}\.\/(.*)$/s.exec(word) ?? []
    if (sum !== undefined && path !== undefined) keep(path, sum)
    else keep(words.shift() ?? '', word.startsWith('l') ? `link ${word.slice(2)}` : 'folder')
  }
  return found
}

async function rowsOf({ native, database, fleet }: Managed): Promise<Record<string, string>> {
  if (database === null) {
    const script = `global $wpdb; $all = array();
      foreach ( $wpdb->get_col( "SHOW TABLES" ) as $t ) { if ( $t === 'wp_svc_connector' ) { continue; }
        $rows = $t === 'wp_options' ? array() : $wpdb->get_results( "SELECT * FROM \`$t\`", ARRAY_A );
        $create = $wpdb->get_row( "SHOW CREATE TABLE \`$t\`", ARRAY_N );
        sort( $rows ); $all[ $t ] = md5( serialize( $rows ) ) . preg_replace( '/ AUTO_INCREMENT=\\d+/', '', $create[1] ); }
      foreach ( $wpdb->get_results( "SELECT option_name, option_value, autoload FROM wp_options WHERE ${STEADY}" ) as $o ) {
        $all[ 'option ' . $o->option_name ] = md5( $o->option_value . $o->autoload ); }
      echo json_encode( $all );`
    return JSON.parse(await native.wpCli(['eval', script, '--skip-plugins', '--skip-themes'])) as Record<string, string>
  }
  const ask = async (sql: string) => (await query(fleet, database, sql)).split('\n').filter(Boolean)
  const found: Record<string, string> = {}
  for (const table of await ask("SHOW TABLES LIKE 'wp\\_%'")) {
    if (table === 'wp_svc_connector') continue
    const [create = ''] = await ask(`SHOW CREATE TABLE ${table}`)
    const [sum = ''] = table === 'wp_options' ? [] : await ask(`CHECKSUM TABLE ${table}`)
    found[table] = `${sum.split('\t').at(-1)} ${create.replace(/ AUTO_INCREMENT=\d+/, '')}`
  }
  const options = await ask(`SELECT option_name, md5(concat(option_value, autoload)) FROM wp_options WHERE ${STEADY.replaceAll('\n', ' ')}`)
  for (const [name = '', sum = ''] of options.map((row) => row.split('\t'))) found[`option ${name}`] = sum
  return found
}
