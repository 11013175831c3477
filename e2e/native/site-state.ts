// A native site seen whole: every file and every row, for a test that says nothing changed.
import { run } from '../../demo/npm.ts'
import { WEB_USER } from './daemons.ts'
import type { NativeSite } from './fleet.ts'
import type { Managed } from './managed.ts'
import { query, STEADY } from './mariadb.ts'

const OURS = /(^|\/)(plugins\/svc-connector|mu-plugins\/000-svc-connector-watch\.php|svc-connector-work|wp-content\/database)(\/|$)/

export interface SiteState {
  /** Path → mode, group and, of a file, time in seconds and digest of content; of a link where it points. All but the connector's own. */
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
export async function warmUp({ native }: Managed, headers: Record<string, string> = {}): Promise<void> {
  for (const path of ['/', '/wp-login.php', '/']) await (await fetch(native.url + path, { headers })).text()
}

/** Of PHP, and of whoever makes a site here: which of them is no part of a site. */
const USUAL_GROUPS = new Set(['root', WEB_USER])

/** The files alone, without those that are not meant. A restore sets neither the times of folders nor, as PHP cannot, those of links. */
export async function filesOf(dir: string, isMeant = (path: string) => !OURS.test(path)): Promise<Record<string, string>> {
  const sh = (script: string) => run('sh', ['-c', script], { cwd: dir })
  const entries = await sh("find . -printf '%y %m %g %Ts %l\\0%P\\0'")
  const sums = await sh('find . -type f -print0 | xargs -0 sha256sum --zero')
  const digests = new Map(sums.split('\0').map((line) => [line.slice(64 + '  ./'.length), line.slice(0, 64)]))
  const found: Record<string, string> = {}
  const words = entries.split('\0')
  for (let at = 0; at < words.length; at += 2) {
    const [about = '', path = ''] = words.slice(at, at + 2)
    const [type, mode, group = '', time, ...target] = about.split(' ')
    if (path === '' || !isMeant(path)) continue
    const of = USUAL_GROUPS.has(group) ? '' : ` of ${group}`
    if (type === 'f') found[path] = `${mode} ${time} ${digests.get(path)}${of}`
    else found[path] = type === 'l' ? `link ${target.join(' ')}` : `${type === 'd' ? 'folder' : 'special'} ${mode}${of}`
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
  return tablesIn(fleet, database, (table) => isOwn(native, table))
}

/** A table of this site, and of no other in its database. */
export const isOwn = ({ prefix, otherPrefixes }: NativeSite, table: string): boolean =>
  table.startsWith(prefix) && !otherPrefixes.some((other) => other.length > prefix.length && table.startsWith(other))

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``
/** A view and a trigger belong to whoever made them anew; where they lie is no part of them. */
const placeless = (definition: string, database: string) =>
  definition.replaceAll(`\`${database}\`.`, '').replace(/DEFINER=`[^`]*`@`[^`]*` ?/g, '')

/** The tables, views and triggers of a MariaDB: digests of rows, with the definitions; of options each. */
export async function tablesIn(fleet: string, database: string, isMeant: (table: string) => boolean): Promise<Record<string, string>> {
  const ask = async (sql: string) => (await query(fleet, database, sql)).split('\n').filter(Boolean)
  const names = (await ask('SHOW TABLES')).filter((table) => isMeant(table) && !table.endsWith('svc_connector'))
  const definitions = names.length === 0 ? [] : await ask(names.map((table) => `SHOW CREATE TABLE ${quoted(table)}`).join(';'))
  const sums = names.length === 0 ? [] : await ask(`CHECKSUM TABLE ${names.map(quoted)}`)
  const found: Record<string, string> = {}
  for (const [n, table] of names.entries()) {
    const [sum, create] = [sums[n]?.split('\t').at(-1), placeless(definitions[n] ?? '', database)]
    const isRestless = RESTLESS.test(table) && /`(option|meta)_value`/.test(create)
    found[table] = isRestless ? create.replace(/ AUTO_INCREMENT=\d+/, '') : `${sum} ${create}`
    if (isRestless) for (const row of await ask(rowsWith(table))) found[`${table}: ${row.split('\t')[0]}`] = row.split('\t').slice(1).join()
  }
  for (const row of await ask(TRIGGERS)) {
    const [table = '', name = ''] = row.split('\t')
    if (isMeant(table)) found[`trigger ${name}`] = placeless(row, database)
  }
  return found
}

/** Tables WordPress writes into while it is looked at. */
const RESTLESS = /(options|sitemeta)$/
const rowsWith = (table: string) =>
  table.endsWith('sitemeta')
    ? `SELECT meta_key, md5(meta_value) FROM ${quoted(table)} WHERE meta_key NOT LIKE '%transient%'`
    : `SELECT option_name, md5(concat(option_value, autoload)) FROM ${quoted(table)} WHERE ${STEADY}`
const TRIGGERS = `SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER, ACTION_STATEMENT, SQL_MODE
  FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()`
