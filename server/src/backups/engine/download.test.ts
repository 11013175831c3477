import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { MemoryDatabase } from '../../../test/memory-database.ts'
import { hostileTree, MemorySite, type Node } from '../../../test/memory-site.ts'
import { collect, MemoryStore } from '../../../test/memory-store.ts'
import { settle } from '../../../test/until.ts'
import { blobId } from './blob-id.ts'
import { downloadTar, downloadTarZst } from './download.ts'
import { type FileEntry, fileRecord } from './file-record.ts'
import { type Manifest, manifestBlobs, readManifest, writeManifest } from './manifest.ts'
import { PackDamage } from './pack-format.ts'
import { pullDatabase } from './pull-database.ts'
import { pullFiles } from './pull-files.ts'
import { RecordWriter } from './record-tree.ts'
import { walkOrder } from './site-path.ts'
import { mapTar } from './tar-map.ts'

const never = new AbortController().signal
const site = new MemorySite(hostileTree(80))
site.content = hostileTree(2, 9)
const database = new MemoryDatabase([
  { name: 'wp_posts', rows: 20_000, keyed: true },
  { name: 'wp_`odd', rows: 3, keyed: false },
])

async function backUp(store: MemoryStore): Promise<Manifest> {
  const packer = store.openPacker()
  const quiet = {
    packer,
    report: () => undefined,
    checkpoint: () => undefined,
    resumeFrom: null,
    signal: never,
    now: () => new Date(0),
    sliceBytes: 1 << 20,
  }
  const files = await pullFiles({ ...quiet, site, roots: ['abspath', 'content'], readBlob: store.readBlob })
  const rows = await pullDatabase({ ...quiet, site: database, options: 'wp_options', readBlob: store.readBlob })
  const head = { format: 'svc-backup-1', workspace: 'ws_1', site: 'site_1', backup: 'backup_1', parent: null, type: 'full' } as const
  const times = {
    started_at: '2026-01-01T00:00:00Z',
    finished_at: '2026-01-01T00:01:00Z',
    facts: { wp_version: '6.9', url: 'https://example.test' },
  }
  const manifest = { ...head, ...times, files: files.part, database: rows.part }
  const id = await writeManifest(manifest, (bytes) => packer.add('manifest', bytes))
  await packer.flush()
  await packer.close()
  return readManifest(id, store.readBlob)
}

/** A backup of nothing but links, and how many records of its list have been read. */
async function listing(links: number) {
  const blobs = new Map<string, Buffer>()
  let read = 0
  const readBlob = async (id: string) => {
    const bytes = blobs.get(id) ?? assert.fail()
    read += bytes.toString('latin1').split('\n').length - 1
    return bytes
  }
  const writer = new RecordWriter(async (bytes) => {
    blobs.set(String(blobs.size), Buffer.from(bytes))
    return String(blobs.size - 1)
  })
  const link = { root: 'abspath', type: 'link', mode: 0o777, mtime: 1, ctime: 1, inode: 1, size: 0, sha256: null, blobs: [] } as const
  for (let n = 0; n < links; n++) {
    const path = Buffer.from(`links/${String(n).padStart(9, '0')}`)
    const entry: FileEntry = {
      ...link,
      blobs: [],
      root: n < links / 2 ? 'abspath' : 'content',
      path,
      target: Buffer.from('x'),
      changed: false,
    }
    await writer.write(fileRecord(entry))
  }
  const { files, ...rest } = manifest
  return {
    manifest: { ...rest, database: null, files: files && { ...files, nodes: await writer.cut(), omissions: [] } },
    readBlob,
    read: () => read,
  }
}

const store = new MemoryStore()
let manifest: Manifest
before(async () => {
  manifest = await backUp(store)
})
const download = (readBlob = store.readBlob, of = manifest) => buffer(downloadTarZst({ manifest: of, readBlob, signal: never }))

function unpack(archive: Buffer): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-download-'))
  writeFileSync(join(dir, 'archive.tar'), zstdDecompressSync(archive))
  const tar = spawnSync('tar', ['-xpf', 'archive.tar'], { cwd: dir, encoding: 'utf8' })
  assert.equal(tar.status, 0, tar.stderr)
  return dir
}

function namesIn(dir: Buffer, below = Buffer.alloc(0)): Buffer[] {
  return readdirSync(Buffer.concat([dir, below]), { encoding: 'buffer' }).flatMap((name) => {
    const path = Buffer.concat([below, Buffer.from('/'), name])
    const isDirectory = lstatSync(Buffer.concat([dir, path])).isDirectory()
    return [path.subarray(1), ...(isDirectory ? namesIn(dir, path) : [])]
  })
}

function assertSame(folder: string, nodes: Node[]): void {
  const names = namesIn(Buffer.from(folder)).sort(walkOrder)
  assert.deepEqual(
    names.map((name) => name.toString('latin1')),
    nodes.map((node) => node.path.toString('latin1')),
  )
  for (const node of nodes) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), node.path])
    const stat = lstatSync(path)
    const label = JSON.stringify(node.path.toString())
    if (node.type === 'l') assert.deepEqual(readlinkSync(path, { encoding: 'buffer' }), node.target)
    else assert.equal(stat.mode & 0o7777, node.mode, label)
    if (node.type === 'f') assert.ok(readFileSync(path).equals(node.bytes), label)
    assert.equal(Math.floor(stat.mtimeMs / 1000), node.mtime, label)
  }
}

test('unpacked with tar, a download is the site: names, bytes, modes, times, links', async (t) => {
  const dir = unpack(await download())
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  assertSame(join(dir, 'files'), site.nodes)
  assertSame(join(dir, 'content'), site.content)
  assert.deepEqual(readdirSync(dir).sort(), ['archive.tar', 'content', 'database.sql', 'files', 'manifest.json'])
})

test('database.sql drops, creates and fills each table, and makes the views last', async (t) => {
  const dir = unpack(await download())
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const sql = readFileSync(join(dir, 'database.sql'), 'utf8')
  const posts = sql.indexOf(
    'DROP TABLE IF EXISTS `wp_posts`;\nCREATE TABLE `wp_posts` (`id` bigint, `text` longtext);\nINSERT INTO `wp_posts`',
  )
  assert.ok(posts > sql.indexOf('foreign_key_checks = 0') && sql.includes('SET NAMES utf8mb4;'))
  assert.ok(sql.includes(database.text('wp_posts')) && sql.includes(database.text('wp_`odd')))
  assert.ok(sql.includes('DROP TABLE IF EXISTS `wp_``odd`;'))
  assert.ok(sql.indexOf('CREATE VIEW `wp_view` AS SELECT `id` FROM `wp_posts`;\n') > sql.lastIndexOf('INSERT INTO'))
  assert.ok(sql.endsWith('-- End of the database.\n'))
})

test('manifest.json tells what the backup holds, and nothing of how it is stored', async (t) => {
  const dir = unpack(await download())
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const told = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'))
  assert.deepEqual(told.facts, manifest.facts)
  assert.deepEqual(told.database.tables.wp_posts, { rows: 20_000, skipped_rows: 0, consistency: 'settled' })
  assert.equal(told.files.files, manifest.files?.files)
  assert.equal(JSON.stringify(told).includes('nodes'), false)
})

test('a file whose content is not what was backed up ends the download with an error', async () => {
  const zeros = Buffer.alloc(4_000_000)
  const readBlob = async (id: string) => {
    const bytes = await store.readBlob(id)
    return zeros.equals(bytes) ? Buffer.alloc(4_000_000, 1) : bytes
  }
  await assert.rejects(download(readBlob), /odd\/zeros.bin.* is not what was backed up/)
})

test('its length is known before it is read, and each part of it is that part', async () => {
  const whole = zstdDecompressSync(await download())
  const request = { manifest, readBlob: store.readBlob, signal: never }
  const map = await mapTar(request)
  assert.equal(map.length, whole.length)
  assert.ok((await buffer(downloadTar(request))).equals(whole))
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), fc.nat(2_000_000), fc.boolean(), async (from, length, mapped) => {
      const part = downloadTar(mapped ? { ...request, map } : request, { from, to: from + length })
      assert.ok((await buffer(part)).equals(whole.subarray(from, from + length)))
    }),
    { numRuns: 40 },
  )
})

test('of a part that lies behind large files nothing before it is read, and what is damaged there does not matter', async () => {
  const { length } = await mapTar({ manifest, readBlob: store.readBlob })
  let content = 0
  const readBlob = async (id: string) => {
    const bytes = await store.readBlob(id)
    if (bytes.length > 1_000_000) content += 1
    return bytes.length > 1_000_000 ? bytes.subarray(1) : bytes
  }
  const request = { manifest, readBlob, signal: never }
  assert.equal((await buffer(downloadTar(request, { from: length - 1024, to: length }))).length, 1024)
  assert.equal(content, 0)
  await assert.rejects(buffer(downloadTar(request)), /is not what was backed up/)
})

test('for a part the lists of what comes before are not read, however long they are', async () => {
  const reads: number[] = []
  for (const links of [20_000, 40_000]) {
    const many = await listing(links)
    const map = await mapTar(many)
    const whole = await buffer(downloadTar({ ...many, signal: never }))
    assert.equal(map.length, whole.length)
    assert.ok(map.files.length > links / 10_000 && JSON.stringify(map).length < links)
    const before = many.read()
    for (const from of [whole.length - 1_500, map.last - 1, map.database.at - 700, map.database.at - 4_000_000]) {
      const part = { from, to: from + 1_024 }
      assert.ok((await buffer(downloadTar({ ...many, map, signal: never }, part))).equals(whole.subarray(part.from, part.to)))
    }
    reads.push(many.read() - before)
    assert.ok(before >= 2 * links, 'to measure it and to send all of it the list is read')
  }
  assert.ok(
    reads.every((read) => read < 20_000),
    `${reads} records read`,
  )
})

test('rows of another length end the download with an error', async () => {
  const readBlob = async (id: string) => {
    const bytes = Buffer.from(await store.readBlob(id))
    return bytes.includes('INSERT INTO `wp_posts`') && bytes[0] !== 0x7b ? bytes.subarray(1) : bytes
  }
  await assert.rejects(download(readBlob), /rows of the database/)
})

test('a flipped bit in a stored pack ends the download with an error', async () => {
  const [[key, bytes] = assert.fail('no pack')] = store.objects
  const broken = bytes.slice()
  broken[Math.floor(broken.length / 2)] = (broken[Math.floor(broken.length / 2)] ?? 0) ^ 1
  store.objects.set(key, broken)
  await assert.rejects(download(), PackDamage)
  store.objects.set(key, bytes)
})

test('the blobs a manifest names are all it needs: a store with only those gives the same download', async () => {
  const id = blobId(store.keys, Buffer.from(JSON.stringify(manifest)))
  const needed = new Set(await collect(manifestBlobs(id, store.readBlob)))
  const readBlob = (blob: string) => (needed.has(blob) ? store.readBlob(blob) : Promise.reject(new Error(`${blob} is not named`)))
  assert.ok((await download(readBlob)).equals(await download()))
  assert.ok([...needed].every((blob) => store.places.has(blob)))
})

test('an abort ends the download and its source', async () => {
  const stop = new AbortController()
  let reads = 0
  const readBlob = async (id: string) => {
    if (++reads === 10) stop.abort(new Error('client went away'))
    return store.readBlob(id)
  }
  await assert.rejects(buffer(downloadTarZst({ manifest, readBlob, signal: stop.signal })), /client went away/)
  const until = reads
  await settle()
  assert.ok(reads <= until + 1)
})

test('an abort between the beginning of a pack and a blob in it reads nothing more', async (t) => {
  const [id = assert.fail('no blob')] = store.places.keys()
  const stop = new AbortController()
  const read = t.mock.method(store.storage, 'get')
  read.mock.mockImplementationOnce(async (...asked: Parameters<MemoryStore['storage']['get']>) => {
    const bytes = store.objects.get(asked[0])
    stop.abort(new Error('client went away'))
    return Buffer.from(bytes?.subarray(0, asked[1]?.length) ?? [])
  })
  await assert.rejects(store.reader(stop.signal)(id), /client went away/)
  assert.equal(read.mock.callCount(), 1)
})
