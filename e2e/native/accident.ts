// What a site is furnished with before it is backed up, and what happens to it then.
import { execFile } from 'node:child_process'
import { appendFile, chmod, mkdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { run } from '../../demo/npm.ts'
import { anyColumns, anyRows } from '../../server/test/any-row.ts'
import { anyFiles } from '../../server/test/any-tree.ts'
import { changeSilently } from '../../server/test/tree.ts'
import { rowsOfSqlite } from '../dump.ts'
import type { Managed } from './managed.ts'
import { importSql, query } from './mariadb.ts'
import { isOwn } from './site-state.ts'

const execFileAsync = promisify(execFile)

export type Type = 'full' | 'db' | 'files'

const TREE = ['wp-content/uploads/2026/11', 'wp-content/plugins/garden', 'wp-content/uploads/caf\u00e9', 'wp-includes/images/any']
const TABLES = ['wp_any_keyed', 'wp_any_keyless']
const rowsEach = 120

/** Files with any name and rows of any type, other ones for each seed, in the place of those of the seed before. */
export async function furnish(one: Managed, seed: number): Promise<void> {
  const at = (path: string) => join(one.native.dir, path)
  for (const folder of TREE) await rm(at(folder), { recursive: true, force: true })
  for (const { path, bytes, mode, mtime } of anyFiles(60, seed, TREE)) {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), bytes)
    await chmod(at(path), mode)
    await utimes(at(path), mtime, mtime)
  }
  const [folder = ''] = TREE
  await writeFile(Buffer.concat([Buffer.from(at(`${folder}/no text `)), Buffer.from([0xff, 0xe9])]), 'latin')
  await mkdir(at(`${folder}/empty/${'deep/'.repeat(20)}`), { recursive: true })
  for (const mode of [0o700, 0o775, 0o555]) {
    await mkdir(at(`${folder}/mode ${mode}`))
    await chmod(at(`${folder}/mode ${mode}`), mode)
  }
  await symlink('../11/large.bin', at(`${folder}/link`))
  await symlink('empty', at(`${folder}/link to a folder`))
  await symlink('nowhere', at(`${folder}/broken link`))
  await run('chown', ['-hR', 'www-data:', ...TREE.map(at)])
  await execute(one, tablesOf(one, seed))
}

function tablesOf({ database }: Managed, seed: number): string[] {
  const kinds = database === null ? 'sqlite' : 'mariadb'
  return TABLES.flatMap((table, n) => [
    `DROP TABLE IF EXISTS ${table}`,
    `CREATE TABLE ${table} (id int NOT NULL, name varchar(20) NOT NULL, ${anyColumns(kinds)}${n === 0 ? ', PRIMARY KEY (name, id)' : ''})`,
    ...anyRows(rowsEach, seed * 10 + n, kinds).map(
      (row, id) => `INSERT INTO ${table} VALUES (${id}, '${['a', 'Ä', 'b ', ''][id % 4]}${id % 9}', ${row})`,
    ),
  ])
}

/** Of WordPress's own files one in `each`, and nothing of the folder `spared`. */
type Extent = { each?: number; spared?: string | undefined }

/** Everything of this type that the connector can answer without is destroyed, each thing in another way. */
export async function destroy(one: Managed, type: Type, seed: number, extent: Extent = {}): Promise<void> {
  if (type !== 'files') await destroyTables(one, seed)
  if (type === 'db') return
  const { core, content } = one.native
  await destroyFiles(core, seed, extent)
  if (content !== join(core, 'wp-content')) await destroyFiles(content, seed, { as: 'wp-content/' })
}

/** What WordPress needs to load a plugin, what the connector and the SQLite driver are made of, and what no restore touches. */
const VITAL =
  /^(wp-(config|load|settings|blog-header)\.php|index\.php|wp-admin\/includes\/plugin\.php|wp-includes\/.*\.(php|json)|wp-content\/(db\.php|mu-plugins|plugins\/svc-connector|svc-connector-work|database)(\/.*)?)$/
/** Folders with nothing vital in them. */
const IDLE = /^(wp-admin\/(?!includes)[^/]*|wp-content\/(uploads|themes|plugins\/(?!svc-)[^/]*)|wp-includes\/(js|css|images))(\/|$)/

/** `as`: where the folder lies in a site that is laid out as usual. */
async function destroyFiles(root: string, seed: number, { as = '', each = 1, spared }: Extent & { as?: string }): Promise<void> {
  const at = (path: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
  const found = await execFileAsync('find', ['.', '-mindepth', '1', '-printf', '%y%P\\0'], {
    cwd: root,
    encoding: 'latin1',
    maxBuffer: 1 << 26,
  })
  const isMeant = (path: string) => spared === undefined || !`${path}/`.startsWith(`${spared}/`)
  const paths = found.stdout
    .split('\0')
    .slice(0, -1)
    .sort()
    .filter((path) => isMeant(path.slice(1)))
  const of = (type: string) => paths.filter((path) => path[0] === type).map((path) => path.slice(1))
  // First, since afterwards their folders may be something else.
  for (const path of STRANGERS.filter((each) => each.startsWith(as)).map((each) => each.slice(as.length))) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), '<?php // A stranger.\n')
  }
  const isSpared = (n: number, path: string) => VITAL.test(as + path) || (n % each !== 0 && /^wp-(admin|includes)\//.test(as + path))
  for (const [n, path] of of('f').entries()) if (!isSpared(n, path)) await FATES[(n + seed) % FATES.length]?.(at(path))
  for (const [n, path] of of('l').entries()) if (!VITAL.test(as + path)) await LINK_FATES[(n + seed) % LINK_FATES.length]?.(at(path))
  for (const [n, path] of of('d').reverse().entries())
    if (IDLE.test(as + path) && !isSpared(n, path)) await FOLDER_FATES[(n + seed) % FOLDER_FATES.length]?.(at(path))
  if (as === '')
    for (const path of ['index.php', 'wp-includes/functions.php', 'wp-includes/version.php']) await appendFile(at(path), '\n// Changed.\n')
  await run('chown', ['-hR', 'www-data:', `${root}/.`])
}

const gone = (path: Buffer) => rm(path, { recursive: true, force: true })
const linkTo = async (path: Buffer, target: string) => {
  await gone(path)
  await symlink(target, path)
}
const folderAt = async (path: Buffer) => {
  await gone(path)
  await mkdir(path)
  await writeFile(Buffer.concat([path, Buffer.from('/stranger')]), 'a stranger')
}
const STRANGERS = [
  'shell.php',
  'wp-content/mu-plugins/stranger.php',
  'wp-content/uploads/2026/shell.php',
  'wp-content/cache/a/b/ -rf\n.php',
]

const FATES: ((path: Buffer) => Promise<unknown>)[] = [
  gone,
  (path) => appendFile(path, 'more'),
  (path) => changeSilently(path),
  (path) => chmod(path, 0o606),
  gone,
  (path) => utimes(path, 1_600_000_000, 1_600_000_000),
  (path) => truncate(path),
  folderAt,
  (path) => linkTo(path, '../nowhere'),
  (path) => chmod(path, 0),
]
const LINK_FATES: ((path: Buffer) => Promise<unknown>)[] = [gone, (path) => linkTo(path, 'elsewhere'), folderAt]
const FOLDER_FATES: ((path: Buffer) => Promise<unknown>)[] = [
  async () => undefined,
  (path) => chmod(path, 0o777),
  gone,
  (path) => linkTo(path, '..'),
  (path) => chmod(path, 0o555),
  async (path) => {
    await gone(path)
    await writeFile(path, 'a file')
  },
  async () => undefined,
]

async function destroyTables(one: Managed, seed: number): Promise<void> {
  const { prefix } = one.native
  const tables = (await tablesOfSite(one)).filter((table) => !/^(options|svc_connector)$/.test(table.slice(prefix.length))).sort()
  await execute(one, [
    ...tables.flatMap((table, n) => TABLE_FATES[(n + seed) % TABLE_FATES.length]?.(`\`${table.replaceAll('`', '``')}\``) ?? []),
    `CREATE TABLE ${prefix}stranger (id int PRIMARY KEY, note text)`,
    `INSERT INTO ${prefix}stranger VALUES (1, 'a stranger')`,
    `DELETE FROM ${prefix}options WHERE option_name NOT IN ('siteurl', 'home', 'active_plugins', 'blogname') AND option_name NOT LIKE 'svc%'`,
    `UPDATE ${prefix}options SET option_value = 'Hacked' WHERE option_name = 'blogname'`,
    `INSERT INTO ${prefix}options (option_name, option_value, autoload) VALUES ('stranger', 'x', 'on')`,
    `ALTER TABLE ${prefix}options ADD COLUMN stranger int`,
  ])
}

async function tablesOfSite({ native, database, fleet }: Managed): Promise<string[]> {
  if (database === null) return [...rowsOfSqlite(join(native.dir, 'wp-content/database/.ht.sqlite')).keys()]
  const lines = (await query(fleet, database, 'SHOW FULL TABLES')).split('\n')
  return lines.flatMap((line) => /^(.*)\tBASE TABLE$/.exec(line)?.[1] ?? []).filter((table) => isOwn(native, table))
}

const TABLE_FATES: ((table: string) => string[])[] = [
  (table) => [`DROP TABLE ${table}`],
  (table) => [`DELETE FROM ${table}`],
  (table) => [`ALTER TABLE ${table} ADD COLUMN stranger int DEFAULT 7`],
  () => [],
  (table) => [`DROP TABLE ${table}`, `CREATE TABLE ${table} (id int)`, `INSERT INTO ${table} VALUES (1)`],
]

const RUN = `<?php
foreach ( json_decode( file_get_contents( $args[0] ) ) as $sql ) {
	if ( false === $GLOBALS['wpdb']->query( $sql ) ) {
		throw new RuntimeException( $GLOBALS['wpdb']->last_error . ': ' . substr( $sql, 0, 300 ) );
	}
}`

/** Statements, in the site's own database. */
async function execute({ native, database, fleet }: Managed, statements: string[]): Promise<void> {
  const [list, program] = [join(native.dir, '../tmp/statements'), join(native.dir, '../tmp/run.php')]
  if (database !== null) {
    await writeFile(
      list,
      `SET NAMES utf8mb4, foreign_key_checks = 0, time_zone = '+03:00', sql_mode = 'NO_AUTO_VALUE_ON_ZERO';\n${statements.join(';\n')};\n`,
    )
    return importSql(fleet, database, list)
  }
  await writeFile(list, JSON.stringify(statements))
  await writeFile(program, RUN)
  await native.wpCli(['eval-file', program, list, '--skip-plugins', '--skip-themes'])
}
