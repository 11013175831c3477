// The database server of a fleet, asked as its administrator.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { run } from '../../demo/npm.ts'
import { databaseSocket } from './daemons.ts'

const client = (fleet: string, database: string) => [
  '--no-defaults',
  '--default-character-set=utf8mb4',
  `--socket=${databaseSocket(fleet)}`,
  '--user=root',
  database,
]

/** Runs statements; gives the rows without heads, columns between tabs. */
export const query = (fleet: string, database: string, sql: string): Promise<string> =>
  run('mariadb', [...client(fleet, database), '--batch', '--skip-column-names', '--execute', sql])

/** Imports a file the way a person would: `mariadb name < file`. */
export async function importSql(fleet: string, database: string, file: string): Promise<void> {
  const child = spawn('mariadb', client(fleet, database), { stdio: ['pipe', 'inherit', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  const closed = once(child, 'close')
  // When it stops reading, what it complained about says more than the broken pipe.
  await pipeline(createReadStream(file), child.stdin).catch(() => undefined)
  const [code] = await closed
  if (code !== 0) throw new Error(`mariadb ended with ${code}: ${complaints}`)
}

/** Of a table of options: all but the connector's own and what WordPress itself writes while it is looked at; the last two when it mails its owner about a fatal error. */
export const STEADY = `option_name NOT LIKE 'svc%' AND option_name NOT LIKE '%transient%' AND option_name NOT IN ('cron','rewrite_rules','recovery_keys','recovery_mode_email_last_sent')`

/** What differs between two databases in tables, their definitions, and their rows by CHECKSUM TABLE; of the options the steady ones. */
export async function databaseDifferences(fleet: string, one: string, other: string, except: string[]): Promise<string[]> {
  const [left, right] = [await tablesOf(fleet, one), await tablesOf(fleet, other)]
  const names = [...new Set([...left.keys(), ...right.keys()])].filter((name) => !except.includes(name))
  return names.filter((name) => left.get(name) !== right.get(name)).map((name) => `${name}: ${left.get(name)} became ${right.get(name)}`)
}

const OPTIONS = `SET SESSION group_concat_max_len = 1 << 24; SELECT md5(group_concat(md5(concat_ws('|', option_id, option_name, option_value, autoload)) ORDER BY option_id))
  FROM wp_options WHERE ${STEADY}`

/** Table → its checksum and definition. */
async function tablesOf(fleet: string, database: string): Promise<Map<string, string>> {
  const tables = new Map<string, string>()
  for (const name of (await query(fleet, database, 'SHOW TABLES')).split('\n').filter(Boolean)) {
    const quoted = `\`${name.replaceAll('`', '``')}\``
    const isOptions = name === 'wp_options'
    const checksum = await query(fleet, database, isOptions ? OPTIONS : `CHECKSUM TABLE ${quoted}`)
    const shown = (await query(fleet, database, `SHOW CREATE TABLE ${quoted}`)).split('\t').slice(1).join(' ')
    const definition = shown.replaceAll(`\`${database}\`.`, '').replace(isOptions ? / AUTO_INCREMENT=\d+/ : '', '')
    tables.set(name, `${checksum.split('\t').at(-1)?.trim()} ${definition}`)
  }
  return tables
}
