import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostileTree, MemorySite } from '../../test/memory-site.ts'
import { MemoryStore } from '../../test/memory-store.ts'
import { countsOf } from './counts.ts'
import { DatabasePart, type Manifest } from './engine/manifest.ts'
import { pullFiles } from './engine/pull-files.ts'

/** The record of a backup of this site's files, and perhaps of a database. */
async function recordOf(site: MemorySite, database: Manifest['database'] = null) {
  const store = new MemoryStore()
  const packer = store.openPacker()
  const files = await pullFiles({
    ...{ packer, site, roots: ['abspath'], readBlob: store.readBlob, report: () => undefined, checkpoint: () => undefined },
    ...{ resumeFrom: null, signal: new AbortController().signal, now: () => new Date(0), sliceBytes: 1 << 20 },
  })
  await packer.close()
  const head = { format: 'svc-backup-1', workspace: 'ws_1', site: 'site_1', backup: 'backup_1', parent: null, type: 'files' } as const
  const at = '2026-01-01T00:00:00Z'
  const manifest: Manifest = { ...head, started_at: at, finished_at: at, facts: {}, files: files.part, database }
  return countsOf(manifest, store.readBlob)
}

test('what was left out, could not be read, or moved away is named, the first ten of each', async () => {
  const site = new MemorySite(hostileTree(60))
  site.excluded = [{ p: 'wp-content/svc-connector-work', why: 'connector' }]
  for (let i = 20; i < 35; i++) site.find(`${i % 3 ? 'src' : 'src.d'}/f-${i}.php`).type = 'x'
  const gone = site.find('src/f-1.php')
  site.beforeRead = () => {
    site.nodes = site.nodes.filter((node) => node !== gone)
  }
  const { excluded, unreadable_count, changed_count, omitted } = await recordOf(site)
  assert.deepEqual(excluded, { count: 1, sample: ['wp-content/svc-connector-work (connector)'] })
  assert.deepEqual([unreadable_count, changed_count, omitted?.unreadable.length], [15, 1, 10])
  assert.match(omitted?.unreadable[0] ?? '', /^src\/f-\d+\.php \(it cannot be read or is a special file\)$/)
  assert.deepEqual(omitted?.changed, ['src/f-1.php (it was deleted while the backup ran)'])
})

test('what is beyond the names that are kept is counted', async () => {
  const site = new MemorySite(hostileTree(5))
  site.excluded = Array.from({ length: 13 }, (_, i) => ({ p: `clients/${i}`, why: 'another WordPress' }))
  const database = DatabasePart.parse({
    ...{ engine: 'mysql', version: '8', charset: 'utf8mb4', sql_mode: '', consistency: 'snapshot', fuzzy_tables: [], nodes: [] },
    ...{ tables: 1, rows: 1, bytes: 1, unnamed: 16, notes: Array.from({ length: 104 }, (_, i) => `${i}`) },
    omitted: Array.from({ length: 137 }, (_, i) => ({ table: `t${i}`, why: 'it cannot be read' })),
  })
  const { omitted } = await recordOf(site, database)
  assert.deepEqual([omitted?.tables.length, omitted?.database.length, omitted?.neighbours.length], [100, 100, 10])
  assert.deepEqual(omitted?.more, { tables: 53, database: 4, neighbours: 3 })
  const { omitted: whole } = await recordOf(new MemorySite(hostileTree(5)), { ...database, omitted: [], unnamed: 0, notes: ['One.'] })
  assert.equal(whole?.more, undefined)
})

test('a backup that lacks nothing names nothing', async () => {
  const { excluded, omitted } = await recordOf(new MemorySite(hostileTree(5)))
  assert.deepEqual([excluded, omitted], [{ count: 0, sample: [] }, null])
})
