// A native site seen whole: every file and every row, for a test that says nothing changed.
import { run } from '../../demo/npm.ts'
import type { Managed } from './managed.ts'
import { query } from './mariadb.ts'

const OURS = /^wp-content\/(plugins\/svc-connector|svc-connector-work|database)(\/|$)/

/** What WordPress itself writes while it is looked at. */
const RESTLESS = "option_name NOT LIKE 'svc%' AND option_name NOT LIKE '%transient%' AND option_name NOT IN ('cron','rewrite_rules')"

export interface SiteState {
  /** Path → digest of content, for every file that is not the connector's own. */
  files: Record<string, string>
  /** Table → digest of its rows and definition, without the connector's own. */
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

async function filesOf(dir: string): Promise<Record<string, string>> {
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
        $rows = $wpdb->get_results( "SELECT * FROM \`$t\`" . ( $t === 'wp_options' ? " WHERE ${RESTLESS}" : '' ), ARRAY_A );
        $create = $wpdb->get_row( "SHOW CREATE TABLE \`$t\`", ARRAY_N );
        sort( $rows ); $all[ $t ] = md5( serialize( $rows ) ) . preg_replace( '/ AUTO_INCREMENT=\\d+/', '', $create[1] ); }
      echo json_encode( $all );`
    return JSON.parse(await native.wpCli(['eval', script, '--skip-plugins', '--skip-themes'])) as Record<string, string>
  }
  const tables = (await query(fleet, database, "SHOW TABLES LIKE 'wp\\_%'"))
    .split('\n')
    .filter((name) => name !== '' && name !== 'wp_svc_connector')
  const found: Record<string, string> = {}
  for (const table of tables) {
    const where = table === 'wp_options' ? ` WHERE ${RESTLESS}` : ''
    await query(fleet, database, `DROP TABLE IF EXISTS zz_copy; CREATE TABLE zz_copy AS SELECT * FROM ${table}${where}`)
    const create = await query(fleet, database, `SHOW CREATE TABLE ${table}`)
    const sum =
      table === 'wp_options'
        ? await query(fleet, database, 'CHECKSUM TABLE zz_copy')
        : await query(fleet, database, `CHECKSUM TABLE ${table}`)
    found[table] = `${sum.split('\t').at(-1)?.trim()} ${create.replace(/ AUTO_INCREMENT=\d+/, '')}`
  }
  await query(fleet, database, 'DROP TABLE IF EXISTS zz_copy')
  return found
}
