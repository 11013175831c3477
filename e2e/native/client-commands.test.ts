// What MariaDB's own client makes of a dump that an attacker had a hand in. Needs root on Debian.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { run } from '../../demo/npm.ts'
import { doubtOf } from '../../server/src/backups/engine/definition.ts'
import type { TableEntry } from '../../server/src/backups/engine/manifest.ts'
import { dumpBytes, dumpParts } from '../../server/src/backups/engine/sql-dump.ts'
import { type Daemon, databaseSocket, startMariadb, WEB_USER } from './daemons.ts'
import { ensurePackages } from './debian.ts'
import { importSql, query } from './mariadb.ts'

let dir: string
let server: Daemon
before(async () => {
  await ensurePackages()
  dir = await mkdtemp(join(tmpdir(), 'svc-client-'))
  for (const folder of ['run', 'log']) await mkdir(join(dir, folder))
  await run('chown', ['-R', WEB_USER, dir])
  server = await startMariadb(dir, join(import.meta.dirname, '..', '.cache', 'mariadb-template'))
  await query(dir, 'mysql', 'CREATE DATABASE target; CREATE DATABASE source')
})
after(async () => {
  await server?.stop()
  await rm(dir, { recursive: true, force: true })
})

type Import = { exit: number; ran: boolean; complaints: string }
let tries = 0

/** Imports as a person would, in a folder of its own; `ran`: a command was. */
async function importInto(sql: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: string[] = []): Promise<Import> {
  const cwd = join(dir, `try-${++tries}`)
  await mkdir(cwd)
  const args = ['--no-defaults', `--socket=${databaseSocket(dir)}`, '--user=root', ...options, 'target']
  const child = spawn('mariadb', args, { cwd, stdio: ['pipe', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  const closed = once(child, 'close')
  await pipeline(Readable.from(sql), child.stdin).catch(() => undefined)
  const [exit] = await closed
  return { exit: Number(exit), ran: existsSync(join(cwd, 'pwned')), complaints }
}

const COMMAND = '\\! touch pwned'
const column = { name: 'a', type: 'text', binary: false, generated: false }
const entry = (more: Partial<TableEntry>): TableEntry => ({
  name: 't',
  kind: 'table',
  create: 'CREATE TABLE `t` (`a` text) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4',
  columns: [column],
  key: [],
  auto_increment: null,
  consistency: 'settled',
  ranges: [],
  ...more,
})
const HEAD = 'INSERT INTO `t` (`a`) VALUES '

/** A dump of a table, with these statements for its rows. */
async function dumpWith(statements: string, more: Partial<TableEntry> = {}): Promise<Buffer> {
  const bytes = Buffer.from(statements)
  const range = { after: null, until: null, offset: 0, rows: 1, bytes: bytes.length, blobs: ['rows'], digest: null }
  const other = entry({ name: 'other', create: 'CREATE TABLE `other` (`a` text)' })
  async function* entries() {
    yield entry({ ...more, ...(statements === '' ? {} : { ranges: [range] }) })
    yield other
  }
  const parts: Uint8Array[] = []
  for await (const part of dumpBytes(dumpParts(entries()), async () => Buffer.from(bytes))) parts.push(part)
  return Buffer.concat(parts)
}
const names = async () => (await query(dir, 'target', 'SHOW TABLES')).trim().split('\n')

const definitions: Partial<TableEntry>[] = [
  { create: `CREATE TABLE \`t\` (\`a\` text);\n${COMMAND}\n` },
  { create: `CREATE TABLE \`t\` (\`a\` text) ${COMMAND}\n` },
  { create: `CREATE TABLE \`t\` (\`a\` text)\ndelimiter x\n;\n${COMMAND}\n` },
  { create: `CREATE TABLE \`t\` (\`a\` text COMMENT 'x\0');\n${COMMAND}\n` },
  { create: `CREATE TABLE \`t\` (\`a\` text) /*!99999 ' */;\n${COMMAND}\n/*!99999 ' */` },
  { create: `CREATE TABLE \`t\` (\`a\` text);\nsystem touch pwned` },
  { name: `t\`;\n${COMMAND}\n-- `, create: 'CREATE TABLE `t` (`a` text)' },
  { name: `t\n${COMMAND}\n`, create: `CREATE TABLE \`t\n${COMMAND}\n\` (\`a\` text)` },
  { kind: 'view', create: `CREATE VIEW \`t\` AS select 1;\n${COMMAND}` },
  { kind: 'view', create: 'CREATE VIEW `t` AS select 1', columns: [{ ...column, name: `a\`;\n${COMMAND}\n` }] },
]
const rows = [
  `${COMMAND}\n`,
  `${HEAD}('x');\n${COMMAND}\n`,
  `${HEAD}('x'); ${COMMAND}\n`,
  `${HEAD}('x\0y'),('\n${COMMAND}\n');\n`,
  `${HEAD}('x')\n;\nsystem touch pwned\n`,
  `${HEAD}('x');\nsource /dev/stdin\n`,
  `delimiter x\n${HEAD}('x')x\n${COMMAND}\n`,
  `${HEAD}('x') /* */;\n${COMMAND}\n`,
]

test('nothing that stands in a definition, a name or rows makes the client run a command, and the other tables are imported', async () => {
  for (const more of definitions) {
    const { exit, ran, complaints } = await importInto([await dumpWith('', more)])
    assert.deepEqual([exit, ran, (await names()).includes('other')], [0, false, true], `${JSON.stringify(more)} ${complaints}`)
    await query(dir, 'target', 'DROP TABLE other')
  }
  for (const statements of rows) {
    const { exit, ran, complaints } = await importInto([await dumpWith(statements)])
    assert.deepEqual([exit, ran, (await names()).includes('other')], [0, false, true], `${statements} ${complaints}`)
    await query(dir, 'target', 'DROP TABLE other')
  }
  const honest = await importInto([Buffer.from(`${COMMAND}\n`)])
  assert.equal(honest.ran, true, 'this client does run commands')
})

test('texts full of what looks like commands arrive as they are, whatever the server and the client were told before', async () => {
  const texts = [
    "it\\'s\\n\\\\! touch pwned",
    "中\\'",
    '作\\\\',
    '\\\\',
    'x\\\\\\n\\\\! touch pwned\\n',
    '\\r\\n\\0\\Z"',
    '-- #;delimiter x',
    '/*!50000 x */',
  ]
  const statements = texts.map((text) => `${HEAD}('${text}');\n`).join('')
  await query(dir, 'mysql', "SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'")
  for (const options of [
    [],
    ['--binary-mode', '--default-character-set=utf8mb4'],
    ['--default-character-set=latin1'],
    ['--named-commands'],
  ]) {
    const { exit, ran, complaints } = await importInto([await dumpWith(statements)], options)
    assert.deepEqual([exit, ran], [0, false], `${options} ${complaints}`)
    assert.equal(
      (await query(dir, 'target', "SET sql_mode = ''; SELECT GROUP_CONCAT(HEX(a) ORDER BY 1) FROM t")).trim().split(',').sort().join(),
      texts
        .map((text) => text.replace(/\\(.)/g, (_, each: string) => ({ n: '\n', r: '\r', 0: '\0', Z: '\x1a' })[each] ?? each))
        .map((text) => Buffer.from(text).toString('hex').toUpperCase())
        .sort()
        .join(),
    )
  }
  await query(dir, 'mysql', "SET GLOBAL sql_mode = ''")
})

test('a client that reads letters otherwise stops before it reads anything of the site', async () => {
  // Its letters swallow the backslash, so that the quote behind it ends the text.
  for (const [charset, letter] of [
    ['gbk', '你'],
    ['big5', '中'],
    ['sjis', '作'],
    ['cp932', '作'],
  ] as const) {
    const sql = await dumpWith(`${HEAD}('${letter}\\'\\n${letter}\\';${COMMAND}\\n');\n${HEAD}('\\n${COMMAND} ');\n`)
    await query(dir, 'target', 'DROP TABLE IF EXISTS t')
    const { exit, ran, complaints } = await importInto([sql], [`--default-character-set=${charset}`])
    assert.deepEqual([exit === 0, ran, (await names()).includes('t')], [false, false, false], `${charset} ${complaints}`)
  }
})

test('every definition that a server writes is taken for one', async () => {
  await importSql(dir, 'source', join(import.meta.dirname, 'types.sql'))
  const more = `CREATE TABLE wp_parts (id int NOT NULL, t text COMPRESSED) ENGINE=InnoDB PAGE_COMPRESSED=1 PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (10), PARTITION q VALUES LESS THAN MAXVALUE);
    CREATE TABLE wp_lists (id int NOT NULL) PARTITION BY LIST (id) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION p VALUES IN (1,2));
    CREATE TABLE wp_hashed (id int NOT NULL) ENGINE=Aria PARTITION BY KEY (id) PARTITIONS 4;
    CREATE TABLE wp_versions (id int) WITH SYSTEM VERSIONING;
    CREATE TABLE wp_periods (id int, a date, b date, PERIOD FOR p (a, b));
    CREATE TABLE wp_parents (id int PRIMARY KEY); CREATE TABLE wp_children (id int, CONSTRAINT c FOREIGN KEY (id) REFERENCES wp_parents (id) ON DELETE CASCADE);
    CREATE TABLE wp_words (id int, t text, v varchar(9) DEFAULT (concat('a''\\\\', ';')), FULLTEXT KEY (t), CHECK (v LIKE '%;')) ENGINE=MyISAM MAX_ROWS=5 CHECKSUM=1 ROW_FORMAT=DYNAMIC COMMENT='a\\n;\\\\! b' CHARSET=gbk;
    CREATE TABLE wp_hidden (id int, j longtext CHECK (json_valid(j)), h int INVISIBLE, g int AS (id -- x
      - -1) PERSISTENT, KEY (id) COMMENT 'x' KEY_BLOCK_SIZE=8);
    CREATE TABLE wp_dir (id int) DATA DIRECTORY='${dir}/run';
    CREATE VIEW wp_view AS SELECT id, '; \\\\! x' AS t, id / 2 AS h FROM wp_hidden WHERE j LIKE '%--%' AND id <> -1;`
  await query(dir, 'source', more)
  const definitions = await query(dir, 'source', 'SHOW FULL TABLES')
  let count = 0
  for (const line of definitions.trim().split('\n')) {
    const [name = '', type] = line.split('\t')
    // As the connector asks.
    const answer = await query(dir, 'source', `SET sql_mode = 'NO_DIR_IN_CREATE'; SHOW CREATE TABLE \`${name.replaceAll('`', '``')}\`\\G`)
    const create = answer.slice(answer.indexOf('CREATE ')).replace(/\n(?:utf8mb\d|latin1)\n[a-z0-9_]+\n$/, '\n')
    assert.equal(doubtOf({ name, kind: type === 'VIEW' ? 'view' : 'table', create, columns: [] }), null, create)
    count += 1
  }
  assert.ok(count > 25, `${count} tables`)
})
