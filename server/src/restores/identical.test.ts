import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { anyFiles } from '../../test/any-tree.ts'
import { type FakeS3, s3Keys, startFakeS3 } from '../../test/fake-s3.ts'
import { type FakeState, type FakeTable, type FakeValue, putFile } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'

/** Each seed is another site: names, sizes, links, modes, tables, keys, values. IDENTICAL_SEEDS=5 for the long form. */
const SEEDS = Array.from({ length: Number(process.env.IDENTICAL_SEEDS ?? 1) }, (_, i) => i + 1)
const STAYS = 'wp-config.php'
process.env.AWS_ACCESS_KEY_ID = s3Keys.id
process.env.AWS_SECRET_ACCESS_KEY = s3Keys.secret

for (const storage of ['directory', 'S3'] as const)
  describe(`on a store that is a ${storage}, a site that was emptied comes back byte for byte`, { concurrency: 5 }, () => {
    let s3: FakeS3 | undefined
    let here: TestWorld
    before(async () => {
      s3 = storage === 'S3' ? await startFakeS3() : undefined
      here = await aWorld(s3 && { SERVICE_STORAGE_URL: s3.url('sites') })
    })
    after(async () => {
      await here.close()
      await s3?.stop()
    })

    for (const type of ['full', 'db', 'files'] as const)
      for (const seed of SEEDS)
        test(`${type}, seed ${seed}`, async () => {
          const { id, fake } = await here.site()
          furnish(fake.state, seed)
          const good = pictureOf(fake.state)
          const backup = (await here.call('backups.create', { site_id: id, type })) as { job_id: string; backup_id: string }
          assert.equal((await here.job(backup.job_id)).status, 'completed')
          empty(fake.state, type)
          assert.ok(different(good, pictureOf(fake.state)).length > 3)
          const { job_id } = await here.call('restores.create', { site_id: id, backup_id: backup.backup_id, safety_backup: false })
          const { status, error } = await here.job(String(job_id))
          assert.equal(status, 'completed', JSON.stringify(error))
          assert.deepEqual(different(good, pictureOf(fake.state)), [])
        })
  })

function furnish(state: FakeState, seed: number): void {
  const folders = ['wp-content/uploads/2026', 'wp-content/plugins/garden', 'wp-includes', 'wp-content/uploads/caf\u00e9']
  for (const { path, bytes, mode, mtime } of anyFiles(40, seed, folders)) {
    putFile(state, path, bytes, mtime)
    Object.assign(state.files.get(path) ?? {}, { mode })
  }
  putFile(state, 'wp-content/uploads/link', '')
  Object.assign(state.files.get('wp-content/uploads/link') ?? {}, { target: '2026' })
  for (const [n, table] of fc.sample(aTable, { seed: seed * 10 + 1, numRuns: 4 }).entries()) {
    const name = `${state.prefix}${seed}_${n}`
    state.tables.push({ ...table, name, create: table.create.replace('`t`', `\`${name}\``) })
  }
}

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', "'", '\\', '\0', '\r\n', '0', '\x1a', '\u{1f33b}', 'NULL'))
const aTable: fc.Arbitrary<FakeTable> = fc
  .record({
    keyed: fc.boolean(),
    rows: fc.uniqueArray(
      fc.tuple(
        fc.integer({ min: 0, max: 100_000 }),
        fc.option(text.filter((value) => value.isWellFormed())),
        fc.option(fc.uint8Array({ maxLength: 400 })),
      ),
      { selector: ([id]) => id, maxLength: 300 },
    ),
  })
  .map(({ keyed, rows }) => ({
    name: '',
    kind: 'table',
    create: `CREATE TABLE \`t\` (\`id\` bigint NOT NULL, \`words\` longtext, \`bytes\` longblob${keyed ? ', PRIMARY KEY (`id`)' : ''})`,
    auto_increment: null,
    columns: [
      { name: 'id', type: 'bigint', binary: false, generated: false },
      { name: 'words', type: 'longtext', binary: false, generated: false },
      { name: 'bytes', type: 'longblob', binary: true, generated: false },
    ],
    key: keyed ? ['id'] : [],
    rows: rows.map(([id, words, bytes]) => [id, words, bytes && Buffer.from(bytes)]),
  }))

function empty(state: FakeState, type: 'full' | 'db' | 'files'): void {
  if (type !== 'db')
    for (const [n, [path, file]] of [...state.files].entries())
      if (path !== STAYS) {
        if (n % 5 === 0) state.files.set(path, { ...file, mode: 0o606 })
        else if (n % 5 === 1) state.files.set(path, { ...file, mtime: 1_600_000_000 })
        else state.files.delete(path)
      }
  if (type !== 'files') state.tables = state.tables.slice(0, 1).map((table) => ({ ...table, rows: table.rows.slice(0, 1) }))
}

const digest = (...parts: (string | Uint8Array)[]) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex')

const hex = (value: FakeValue) => (value === null ? null : Buffer.from(typeof value === 'number' ? String(value) : value).toString('hex'))

/** A digest of each file, link and table. */
function pictureOf({ files, tables }: FakeState): Map<string, string> {
  const rowsOf = (table: FakeTable) => table.rows.map((row) => JSON.stringify(row.map(hex))).sort()
  return new Map([
    ...[...files].map(([path, file]): [string, string] => [
      path,
      digest(file.bytes, JSON.stringify(file.target ?? [file.mode, file.mtime])),
    ]),
    ...tables.map((table): [string, string] => [`table ${table.name}`, digest(table.create, ...rowsOf(table))]),
  ])
}

function different(good: Map<string, string>, found: Map<string, string>): string[] {
  return [...new Set([...good.keys(), ...found.keys()])].filter((name) => good.get(name) !== found.get(name))
}
