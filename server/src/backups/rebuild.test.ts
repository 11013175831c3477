import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { type FakeS3, s3Keys, startFakeS3 } from '../../test/fake-s3.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Answer } from '../admin/command.ts'
import { commands } from '../admin/commands.ts'
import { Problem } from '../kernel/problem.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import { exportKit } from '../workspaces/recovery-kit.ts'
import { blobId, deriveKeys, type WorkspaceKeys } from './engine/blob-id.ts'
import { PackWriter, packKey, readPack } from './engine/pack.ts'
import type { Rebuilt } from './rebuild-store.ts'

process.env.AWS_ACCESS_KEY_ID = s3Keys.id
process.env.AWS_SECRET_ACCESS_KEY = s3Keys.secret

type Row = Record<string, unknown> & { id: string; site_id: string; status: string }
type Site = { id: string; fake: RunningFakeSite }

const admin = (here: TestWorld, name: string, options = {}, words: string[] = []): Promise<Answer> => {
  const command = commands.find((each) => each.name === name)
  assert.ok(command, name)
  return command.run(here.world, options, words)
}
const as = (here: TestWorld, workspaceId: string) => ({ caller: here.caller({ workspaceId }) })
const rowsOf = async (here: TestWorld, site: string, workspaceId = here.workspaceId) =>
  ((await here.call('backups.list', { site_id: site }, as(here, workspaceId))) as { backups: Row[] }).backups
const backUp = async (here: TestWorld, { id }: Site, type: string) => {
  const { job_id, backup_id } = (await here.call('backups.create', { site_id: id, type })) as { job_id: string; backup_id: string }
  assert.equal((await here.job(job_id)).status, 'completed')
  return backup_id
}
/** The digest of a whole download. */
const digestOf = async (here: TestWorld, site: string, backup: string, workspaceId = here.workspaceId) => {
  const { token } = await here.token('write', { workspaceId })
  const response = await fetch(`${here.url}/api/v1/sites/${site}/backups/${backup}/download`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(response.status, 200)
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex')
}
const kitFileOf = async (here: TestWorld) => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-kit-')), 'kit.json')
  fs.writeFileSync(file, JSON.stringify(await exportKit(here.world)))
  return file
}
const rebuild = async (here: TestWorld) => {
  const { json, failed, text } = await admin(here, 'storage rebuild')
  const { workspaces, without_key } = json as { workspaces: Rebuilt[]; without_key: string[] }
  return { of: (id: string) => workspaces.find((each) => each.workspace_id === id) as Rebuilt, without_key, failed, text }
}

for (const kind of ['directory', 's3'] as const)
  describe(`a store in ${kind === 's3' ? 'a bucket' : 'a directory'} whose database is lost`, () => {
    let lost: TestWorld
    let found: TestWorld
    let s3: FakeS3 | undefined
    const sites: Site[] = []
    const digests = new Map<string, string>()
    const rows = new Map<string, Row>()

    before(async () => {
      s3 = kind === 's3' ? await startFakeS3() : undefined
      lost = await aWorld(s3 ? { SERVICE_STORAGE_URL: s3.url('fleet') } : {})
      sites.push(await lost.site(), await lost.site())
      for (const [n, site] of sites.entries())
        for (const type of ['full', 'db', 'files']) {
          putFile(site.fake.state, `wp-content/uploads/${n}-${type}.bin`, randomBytes(300_000))
          await backUp(lost, site, type)
        }
      for (const { id } of sites)
        for (const row of await rowsOf(lost, id)) {
          rows.set(row.id, row)
          digests.set(row.id, await digestOf(lost, id, row.id))
        }
      found = await aWorld({ SERVICE_STORAGE_URL: s3 ? s3.url('fleet') : path.join(lost.dataDir, 'objects') })
    })
    after(async () => {
      await Promise.all([lost.close(), found.close()])
      await s3?.stop()
    })

    test('without the kit it is said whose objects cannot be read', async () => {
      const { without_key, failed, text } = await rebuild(found)
      assert.deepEqual([without_key, failed], [[lost.workspaceId], true])
      assert.match(text, /its key is not; give keys import a recovery kit/)
    })

    test('the kit and the objects bring every backup back, byte for byte', async () => {
      const kit = await kitFileOf(lost)
      const imported = (await admin(found, 'keys import', {}, [kit])).json
      assert.deepEqual(imported, { added: [lost.workspaceId], known: [] })
      assert.deepEqual((await admin(found, 'keys import', {}, [kit])).json, { added: [], known: [lost.workspaceId] })
      const { of, failed } = await rebuild(found)
      const { backups_added, sites_added, damaged, backups_incomplete } = of(lost.workspaceId)
      assert.deepEqual([failed, backups_added.toSorted(), damaged, backups_incomplete], [false, [...rows.keys()].toSorted(), [], []])
      assert.deepEqual(sites_added.toSorted(), sites.map(({ id }) => id).toSorted())
      for (const [id, was] of rows) {
        const row = (await rowsOf(found, was.site_id, lost.workspaceId)).find((each) => each.id === id)
        const expected = {
          ...was,
          requested_by: row?.requested_by,
          stored_bytes: null,
          created_at: row?.created_at,
          completed_at: row?.completed_at,
        }
        assert.deepEqual(row, expected)
        assert.equal(await digestOf(found, was.site_id, id, lost.workspaceId), digests.get(id))
      }
      const site = (await found.call('sites.get', { site_id: sites[0]?.id }, as(found, lost.workspaceId))) as {
        status: string
        url: string
      }
      assert.deepEqual([site.status, site.url], ['disconnected', sites[0]?.fake.url])
    })

    test('it may be repeated, there and beside the service that lost nothing', async () => {
      for (const here of [found, lost]) {
        const { of, failed } = await rebuild(here)
        const { backups_added, backups_known, sites_added } = of(lost.workspaceId)
        assert.deepEqual([failed, backups_added, sites_added, backups_known], [here === lost && false, [], [], rows.size])
        assert.equal((await admin(here, 'storage check', { deep: 'true' })).failed, false)
      }
    })

    test('a lost site is paired again under its old name, with its backups', async () => {
      const site = sites[0]
      assert.ok(site)
      const { code } = await found.call('pairing.create_code', { site_id: site.id }, as(found, lost.workspaceId))
      const { siteId } = await site.fake.enrol(found.url, String(code))
      assert.equal(siteId, site.id)
      assert.equal((await rowsOf(found, siteId, lost.workspaceId)).length, 3)
    })
  })

describe('a damaged store', () => {
  let here: TestWorld
  let site: Site
  const ids: string[] = []
  const fileOf = (hash: string) => path.join(here.dataDir, 'objects', packKey(here.workspaceId, hash))
  const packs = async () => {
    const { rows } = await sql<{
      hash: string
      blobs: { offset: number; length: number; type: string }[]
    }>`SELECT encode(p.id, 'hex') AS hash,
      (SELECT json_agg(json_build_object('offset', b."offset", 'length', b.length, 'type', b.type) ORDER BY b.slot) FROM blobs b WHERE b.pack_id = p.id) AS blobs
      FROM packs p ORDER BY p.created_at, p.id`.execute(here.world.db)
    return rows
  }
  before(async () => {
    here = await aWorld()
    site = await here.site()
    for (let n = 0; n < 4; n++) {
      putFile(site.fake.state, `wp-content/${n}.txt`, randomBytes(5000))
      putFile(site.fake.state, `wp-content/changes.txt`, randomBytes(5000))
      ids.push(await backUp(here, site, n % 2 ? 'files' : 'full'))
    }
  })
  after(() => here.close())

  test('damages of every kind are all found, and what was backed up is never read wrongly', async () => {
    const seed = Number(process.env.SVC_SEED ?? randomBytes(4).readUInt32BE())
    console.log(`SVC_SEED=${seed}`)
    const random = numbers(seed)
    const all = await packs()
    const stranger = new PackWriter(deriveKeys('ws_stranger', randomBytes(32)))
    stranger.add('file', blobId(deriveKeys('ws_stranger', randomBytes(32)), Buffer.from('x')), Buffer.from('x'))
    const foreign = stranger.finish().bytes
    const counts: Record<string, number> = {}
    const check = async (deep: boolean) =>
      (
        (await admin(here, 'storage check', deep ? { deep: 'true' } : {})).json as {
          workspace_id: string
          ok: boolean
          missing: string[]
          wrong_size: string[]
          damaged: string[]
        }[]
      ).find((each) => each.workspace_id === here.workspaceId)
    const keys = deriveKeys(here.workspaceId, (await workspaceKey(here.world, here.workspaceId)).bytes)
    const kinds = ['flip', 'swap', 'truncate', 'delete', 'old', 'foreign', 'packed_anew'] as const
    for (let n = 0; n < Number(process.env.DAMAGES ?? 14); n++) {
      const kind = kinds[n % kinds.length] ?? 'flip'
      const [first, second] = [random(all.length), random(all.length - 1)]
      const one = all[first]
      const other = all[second >= first ? second + 1 : second]
      assert.ok(one && other)
      const [mine, theirs] = [fs.readFileSync(fileOf(one.hash)), fs.readFileSync(fileOf(other.hash))]
      const hit = new Set([one.hash])
      const at = random(mine.length)
      if (kind === 'flip') {
        const broken = Buffer.from(mine)
        broken[at] = (broken[at] ?? 0) ^ (1 << random(8))
        fs.writeFileSync(fileOf(one.hash), broken)
      }
      if (kind === 'truncate') fs.truncateSync(fileOf(one.hash), at)
      if (kind === 'delete') fs.rmSync(fileOf(one.hash))
      if (kind === 'old') fs.writeFileSync(fileOf(one.hash), theirs)
      if (kind === 'packed_anew') fs.writeFileSync(fileOf(one.hash), packedAnew(keys, mine))
      if (kind === 'foreign') fs.writeFileSync(fileOf(one.hash), foreign)
      if (kind === 'swap') {
        fs.writeFileSync(fileOf(one.hash), theirs)
        fs.writeFileSync(fileOf(other.hash), mine)
        hit.add(other.hash)
      }
      const found = await check(true)
      assert.ok(found)
      assert.deepEqual(new Set([...found.missing, ...found.wrong_size, ...found.damaged]), hit, `${n}: ${kind}`)
      if (kind === 'truncate' || kind === 'delete') assert.equal((await check(false))?.ok, false, `${kind} is found without reading`)
      const verified = await Promise.all(ids.map((id) => admin(here, 'backup verify', {}, [id])))
      // The list at a pack's end is not needed to read a blob; it is for a rebuild.
      const end = Math.max(...one.blobs.map(({ offset, length }) => offset + length))
      // And what somebody with our keys packed anew holds what it should, but is not what was written.
      const hurts = kind === 'flip' || kind === 'truncate' ? at < end : kind !== 'packed_anew'
      assert.equal(
        verified.some(({ failed }) => failed),
        hurts,
        `${n}: ${kind} at ${at} of ${mine.length}`,
      )
      counts[kind] = (counts[kind] ?? 0) + 1
      fs.writeFileSync(fileOf(one.hash), mine)
      fs.writeFileSync(fileOf(other.hash), theirs)
    }
    assert.equal((await check(true))?.ok, true)
    console.log(`found: ${JSON.stringify(counts)}`)
  })

  test('a store that does not answer is no damage', async () => {
    const { storage } = here.world
    const { get } = storage
    const verifications = async () => (await rowsOf(here, site.id)).map(({ verification }) => verification)
    const before = await verifications()
    storage.get = () => Promise.reject(new Problem('unavailable', 'The object store failed (get: SlowDown, 503).'))
    await assert.rejects(admin(here, 'backup verify', {}, [ids[0] ?? '']), { code: 'unavailable' })
    await assert.rejects(admin(here, 'storage check', { deep: 'true' }), { code: 'unavailable' })
    await assert.rejects(rebuild(here), { code: 'unavailable' })
    storage.get = get
    assert.deepEqual(await verifications(), before)
    for (const id of ids) assert.equal((await admin(here, 'backup verify', {}, [id])).failed, false)
  })

  test('what a list does not show yet is not missing, and what nobody knows is only counted', async () => {
    const { storage } = here.world
    const { list } = storage
    storage.list = async function* () {}
    assert.equal((await admin(here, 'storage check')).failed, false)
    assert.deepEqual((await rebuild(here)).of(here.workspaceId).missing, [])
    storage.list = list
    await storage.put(packKey(here.workspaceId, 'ab'.repeat(32)), Buffer.from('left by somebody'))
    const { json, failed } = await admin(here, 'storage check')
    assert.deepEqual([failed, (json as { unknown: number }[])[0]?.unknown], [false, 1])
    await storage.delete(packKey(here.workspaceId, 'ab'.repeat(32)))
  })

  test('of a damaged pack the rest is saved: only what needs the lost blob is shown as damaged, and the next backup stores it again', async () => {
    putFile(site.fake.state, 'wp-content/lonely.txt', randomBytes(9000))
    const hurt = await backUp(here, site, 'files')
    const lonely = ({ type, length }: { type: string; length: number }) => type === 'file' && length > 9000
    const newest = (await packs()).findLast(({ blobs }) => blobs.some(lonely))
    const blob = newest?.blobs.find(lonely)
    assert.ok(newest && blob)
    const bytes = fs.readFileSync(fileOf(newest.hash))
    bytes[blob.offset + 1000] = (bytes[blob.offset + 1000] ?? 0) ^ 1
    fs.writeFileSync(fileOf(newest.hash), bytes)

    const fresh = await aWorld({ SERVICE_STORAGE_URL: path.join(here.dataDir, 'objects') })
    await admin(fresh, 'keys import', {}, [await kitFileOf(here)])
    const there = await rebuild(fresh)
    const { damaged, backups_added, backups_incomplete } = there.of(here.workspaceId)
    assert.deepEqual([there.failed, damaged.length, backups_added.toSorted()], [true, 1, ids.toSorted()])
    assert.deepEqual(
      backups_incomplete.map(({ backup, listed }) => [backup, listed]),
      [[hurt, true]],
    )
    const listed = await rowsOf(fresh, site.id, here.workspaceId)
    assert.deepEqual(
      listed.filter(({ verification }) => verification === 'damaged').map(({ id }) => id),
      [hurt],
    )
    await fresh.close()

    const again = await rebuild(here)
    assert.deepEqual(
      again.of(here.workspaceId).damaged.map(({ unreadable }) => unreadable),
      [1],
    )
    assert.equal((await rowsOf(here, site.id)).find(({ id }) => id === hurt)?.verification, 'damaged')
    const healed = await backUp(here, site, 'files')
    for (const id of [healed, hurt])
      assert.equal((await admin(here, 'backup verify', {}, [id])).failed, false, 'what was lost is there again')
  })

  test('a pack that is gone is forgotten, so that the next backup stores what was in it', async () => {
    const [first] = await packs()
    assert.ok(first)
    fs.rmSync(fileOf(first.hash))
    const { of, failed } = await rebuild(here)
    assert.deepEqual([failed, of(here.workspaceId).missing], [true, [first.hash]])
    assert.ok(of(here.workspaceId).backups_incomplete.length > 0)
    assert.equal((await admin(here, 'storage check')).failed, false)
    const healed = await backUp(here, site, 'full')
    assert.equal((await admin(here, 'backup verify', {}, [healed])).failed, false)
  })
})

/** The same blobs under another salt: as long as before, and readable. */
function packedAnew(keys: WorkspaceKeys, bytes: Buffer): Uint8Array {
  const writer = new PackWriter(keys)
  for (const { type, id, plain } of readPack(keys, bytes)) writer.add(type, id, plain)
  const anew = writer.finish().bytes
  assert.equal(anew.length, bytes.length)
  return anew
}

/** Whole numbers below `limit`, the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
