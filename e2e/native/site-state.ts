// A native site seen whole: every file and every row, for a test that says nothing changed.
import { run } from '../../demo/npm.ts'
import type { Managed } from './managed.ts'
import { query } from './mariadb.ts'

const OURS = /^wp-content\/(plugins\/svc-connector|svc-connector-work|database)(\/|$)/

/** All but what WordPress itself writes while it is looked at; the last two when it mails its owner about a fatal error. */
const STEADY = `option_name NOT LIKE 'svc%' AND option_name NOT LIKE '%transient%'
  AND option_name NOT IN ('cron','rewrite_rules','recovery_keys','recovery_mode_email_last_sent')`

export interface SiteState {
  /** Path → mode and, of a file, time in seconds and digest of content; of a link where it points. All but the connector's own. */
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

/** The files alone. A restore sets neither the times of folders nor, as PHP cannot, those of links. */
export async function filesOf(dir: string): Promise<Record<string, string>> {
  const sh = (script: string) => run('sh', ['-c', script], { cwd: dir })
  const entries = await sh("find . -printf '%y %m %Ts %l\\0%P\\0'")
  const sums = await sh('find . -type f -print0 | xargs -0 sha256sum --zero')
  const digests = new Map(sums.split('\0').map((line) => [line.slice(64 + '  ./'.length), line.slice(0, 64)]))
  const found: Record<string, string> = {}
  const words = entries.split('\0')
  for (let at = 0; at < words.length; at += 2) {
    const [about = '', path = ''] = words.slice(at, at + 2)
    const [type, mode, time, ...target] = about.split(' ')
    if (path === '' || OURS.test(path)) continue
    if (type === 'f') found[path] = `${mode} ${time} ${digests.get(path)}`
    else found[path] = type === 'l' ? `link ${target.join(' ')}` : `${type === 'd' ? 'folder' : 'special'} ${mode}`
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
    const quoted = `\`${table.replaceAll('`', '``')}\``
    const [create = ''] = await ask(`SHOW CREATE TABLE ${quoted}`)
    const [sum = ''] = table === 'wp_options' ? [] : await ask(`CHECKSUM TABLE ${quoted}`)
    found[table] = `${sum.split('\t').at(-1)} ${table === 'wp_options' ? create.replace(/ AUTO_INCREMENT=\d+/, '') : create}`
  }
  const options = await ask(`SELECT option_name, md5(concat(option_value, autoload)) FROM wp_options WHERE ${STEADY.replaceAll('\n', ' ')}`)
  for (const [name = '', sum = ''] of options.map((row) => row.split('\t'))) found[`option ${name}`] = sum
  return found
}
