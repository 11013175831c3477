// A database seen whole: rows, definitions, keys, triggers and views of everybody who lives in it.
import type { Fleet, NativeSite } from './fleet.ts'
import { query, STEADY } from './mariadb.ts'

/** Name → what it is now; without what connectors keep there. */
export async function wholeDatabase({ dir }: Pick<Fleet, 'dir'>, database: string): Promise<Record<string, string>> {
  const ask = async (sql: string) => (await query(dir, database, sql)).split('\n').filter(Boolean)
  const found: Record<string, string> = {}
  for (const row of await ask('SHOW FULL TABLES')) {
    const [name = '', kind] = row.split('\t')
    if (/svc_connector/.test(name)) continue
    const create = (await ask(`SHOW CREATE TABLE \`${name}\``)).join('\n')
    const options = /options$/.test(name) && kind === 'BASE TABLE'
    const rows = `SET SESSION group_concat_max_len = 1 << 24; SELECT md5(group_concat(option_name, md5(option_value), autoload ORDER BY option_name)) FROM \`${name}\` WHERE ${STEADY}`
    const sum = kind === 'VIEW' ? '' : (await ask(options ? rows : `CHECKSUM TABLE \`${name}\``)).at(-1)
    found[name] = `${sum?.split('\t').at(-1)} ${options ? create.replace(/ AUTO_INCREMENT=\d+/, '') : create}`
  }
  const more = {
    key: 'SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, ORDINAL_POSITION, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE CONSTRAINT_SCHEMA = DATABASE()',
    reference:
      'SELECT TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME, UNIQUE_CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()',
    trigger:
      'SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER, ACTION_STATEMENT, SQL_MODE, DEFINER, CHARACTER_SET_CLIENT, COLLATION_CONNECTION FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()',
    event:
      'SELECT EVENT_NAME, EVENT_DEFINITION, INTERVAL_VALUE, INTERVAL_FIELD, STARTS, STATUS, ON_COMPLETION, SQL_MODE, TIME_ZONE, DEFINER FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE()',
    view: 'SELECT TABLE_NAME, SECURITY_TYPE, CHECK_OPTION, VIEW_DEFINITION, DEFINER FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()',
  }
  for (const [kind, sql] of Object.entries(more))
    for (const row of await ask(sql)) if (!/svc_connector/.test(row)) found[`${kind} ${row.split('\t').slice(0, 3).join(' ')}`] = row
  return found
}

/** The tables of one native site move into the database of another, under a prefix that begins with the other's. */
export async function moveBeside({ dir }: Fleet, guest: NativeSite, host: string, prefix: string): Promise<string> {
  const { database: own } = guest
  const names = (await query(dir, own ?? '', 'SHOW TABLES')).split('\n').filter(Boolean)
  const moved = (name: string) => name.replace(/^wp_/, prefix)
  await query(dir, host, `RENAME TABLE ${names.map((name) => `${own}.${name} TO ${host}.${moved(name)}`).join(', ')}`)
  await query(
    dir,
    host,
    `UPDATE ${prefix}options SET option_name = '${prefix}user_roles' WHERE option_name = 'wp_user_roles';
     UPDATE ${prefix}usermeta SET meta_key = CONCAT('${prefix}', SUBSTRING(meta_key, 4)) WHERE meta_key LIKE 'wp\\_%'`,
  )
  return names.map(moved).join()
}
