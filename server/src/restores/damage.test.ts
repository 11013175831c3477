import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { type Breakage, breakObject, placeOf } from '../../test/broken-store.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { putFile } from '../../test/fake-state.ts'
import { damage, pictureOf } from '../../test/restore-trouble.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Backup, VerificationReport } from '../backups/schema.ts'
import { Problem } from '../kernel/problem.ts'
import { restore, restoring } from './jobs.ts'

const LOST = 'wp-content/uploads/lost.jpg'
/** As the service names it; quoted, because a site gave it. */
const NAMED = `abspath/"${LOST}"`
const WHOLE = 'wp-content/uploads/whole/kept.jpg'

describe('a store that has lost a part of a backup', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  type Managed = { id: string; fake: RunningFakeSite; backup: string }
  const backUp = async (site_id: string, type = 'full') => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id, type })
    const job = await here.job(String(job_id))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    return String(backup_id)
  }
  /** A backup whose list and whose later file lie in another pack than what it took over from the backup before. */
  const aSite = async (isDamaged = true): Promise<Managed> => {
    const site = await here.site()
    putFile(site.fake.state, LOST, randomBytes(200_000))
    await backUp(site.id)
    putFile(site.fake.state, WHOLE, randomBytes(50_000))
    site.fake.state.tables[0]?.rows.push([999, 'later', randomBytes(20).toString('hex')])
    const backup = await backUp(site.id)
    if (!isDamaged) return { ...site, backup }
    damage(site.fake.state)
    for (const path of [LOST, WHOLE]) site.fake.state.files.delete(path)
    return { ...site, backup }
  }
  const rowOf = async ({ id, backup }: Managed) =>
    ((await here.call('backups.list', { site_id: id })) as unknown as { backups: Backup[] }).backups.find((row) => row.id === backup) ??
    assert.fail()
  const start = async ({ id, backup }: Managed, more: object = {}) => {
    const answer = await here.call('restores.create', { site_id: id, backup_id: backup, ...more })
    return answer as unknown as {
      job_id: string
      plan: { obstacle: string | null; changes: string[] | null; warnings: string[]; lost: Backup['lost'] }
    }
  }
  const ended = async (job: string) =>
    (await here.job(job)) as unknown as { status: string; error: { code: string; message: string; retryable: boolean } | null }
  const attempts = async (job: string) =>
    (await sql<{ fence: number }>`SELECT fence::int FROM jobs WHERE id = ${job}`.execute(here.world.db)).rows[0]?.fence
  const told = async ({ id }: Managed) =>
    ((await here.call('activity.list', { site_id: id })) as { activity: { summary: string; notes: string }[] }).activity
  const verify = async ({ id }: Managed, backup_id: string) => {
    const { job_id } = await here.call('backups.verify', { site_id: id, backup_id })
    return (await here.job(String(job_id))).result as VerificationReport
  }
  /** What the site was asked that a restore only asks once it has begun. */
  const writes = ({ fake }: Managed) =>
    fake.requests.map(({ verb }) => verb).filter((verb) => /^restore\./.test(verb) && !/^restore\.(status|survey)$/.test(verb))

  const kinds: Breakage[] = ['a flipped bit', 'a missing object', 'a truncated object', 'a swapped object']
  for (const how of kinds)
    test(`${how}: a restore ends at once as damaged, the site hears nothing of it, and the backup says what is lost`, async () => {
      const site = await aSite()
      const bad = pictureOf(site.fake.state)
      const repair = await breakObject(here, await placeOf(here, site.backup, LOST), how)
      site.fake.requests.length = 0
      const { job_id } = await start(site, { safety_backup: how === 'a missing object' })
      const { status, error } = await ended(job_id)
      assert.deepEqual(
        [status, error?.code, error?.retryable, await attempts(job_id)],
        ['failed', 'damaged', false, 1],
        JSON.stringify(error),
      )
      assert.match(error?.message ?? '', /^This backup is damaged: \d+ files?( and \d+ tables?)? of it (is|are) lost\. Restore another/)
      assert.ok(!error?.message.includes('lost.jpg'), 'names that a site gave are no part of a sentence of ours')
      assert.deepEqual([writes(site), pictureOf(site.fake.state) === bad], [[], true])
      const row = await rowOf(site)
      assert.equal(row.verification, 'damaged')
      const { files, tables, sample } = row.lost ?? assert.fail('nothing is known to be lost')
      assert.ok(sample.includes(NAMED) && !sample.some((name) => name.includes('kept.jpg')), sample.join())
      assert.ok(files >= 1 && sample.length <= 10)
      if (how === 'a flipped bit') assert.deepEqual([files, tables], [1, 0])
      assert.ok((await told(site)).some(({ summary, notes }) => /is damaged/.test(summary) && notes.startsWith(site.backup)))
      assert.equal((await told(site)).filter(({ summary }) => /is damaged/.test(summary)).length, 1)

      const { plan } = await start(site, { dry_run: true })
      assert.match(plan.obstacle ?? '', /the backup is damaged: .* lost/)
      assert.ok(plan.lost?.sample.includes(NAMED) && !`${plan.obstacle} ${plan.warnings.join()}`.includes('lost.jpg'))
      const isUnknown = plan.warnings.some((warning) => /is not known: what the backup holds of them is damaged/.test(warning))
      assert.deepEqual([plan.changes === null, isUnknown], /missing|swapped/.test(how) ? [true, true] : [false, false])
      await assert.rejects(start(site), (thrown) => thrown instanceof Problem && thrown.code === 'damaged' && !thrown.retryable)

      const part = await ended((await start(site, { include: ['folder:wp-content/uploads/whole'], safety_backup: false })).job_id)
      assert.equal(part.status, 'completed', JSON.stringify(part.error))
      assert.ok(site.fake.state.files.has(WHOLE))
      const lost = await ended((await start(site, { include: ['folder:wp-content/uploads'], safety_backup: false })).job_id)
      assert.deepEqual([lost.status, lost.error?.code], ['failed', 'damaged'])
      await repair()
    })

  /** A restore of a backup that is too large to be read wholly; what the site was asked meanwhile. */
  const restoreLarge = async (t: TestContext, how: Breakage, safety_backup: boolean) => {
    const kinds = here.world.jobKinds as Map<string, unknown>
    kinds.set('restore', restoring(0))
    t.after(() => kinds.set('restore', restore))
    const site = await aSite()
    await breakObject(here, await placeOf(here, site.backup, LOST), how)
    site.fake.requests.length = 0
    const { job_id } = await start(site, { safety_backup })
    const { status, error } = await ended(job_id)
    assert.deepEqual([status, error?.code, await attempts(job_id), writes(site)], ['failed', 'damaged', 1, []], JSON.stringify(error))
    assert.ok((await rowOf(site)).lost?.sample.includes(NAMED))
    return site.fake.requests.map(({ verb }) => verb)
  }

  test('of a large backup a missing object is found before anything is read, also for safety', async (t) => {
    const asked = await restoreLarge(t, 'a missing object', true)
    assert.deepEqual(new Set(asked.filter((verb) => /^(files|db)\./.test(verb))), new Set())
  })

  test('of a large backup damage in what will be sent is found before the site hears of it', async (t) => {
    assert.ok((await restoreLarge(t, 'a flipped bit', false)).includes('files.list'), 'it is known what will be sent')
  })

  test('the next backup takes nothing over from what is lost, and reads anew what it cannot', async () => {
    const site = await aSite(false)
    await breakObject(here, await placeOf(here, site.backup, LOST), 'a flipped bit')
    assert.equal((await verify(site, site.backup)).level, 'damaged')
    assert.deepEqual((await rowOf(site)).lost?.sample, [NAMED])
    assert.equal((await verify(site, await backUp(site.id))).level, 'restored')
  })

  test('a backup before whose lists are gone is marked when the next one meets it, and that one is whole', async () => {
    const site = await aSite()
    const { rows } = await sql<{ key: string; hash: string }>`SELECT DISTINCT encode(b.pack_id, 'hex') AS hash FROM blobs b JOIN packs p
      ON p.id = b.pack_id WHERE b.type = 'manifest' AND p.created_at >= (SELECT created_at FROM backups WHERE id = ${site.backup})`.execute(
      here.world.db,
    )
    for (const { hash } of rows) await here.world.storage.delete(`w/${here.workspaceId}/p/${hash.slice(0, 2)}/${hash}`)
    const next = await backUp(site.id)
    assert.equal((await rowOf(site)).verification, 'damaged')
    assert.equal((await verify(site, next)).level, 'restored')
  })

  test('a download is refused where the lists are gone, and breaks off where a content is; the backup is marked', async () => {
    const { token } = await here.token('write')
    const fetched = (site: Managed, format = 'tar') =>
      fetch(`${here.url}/api/v1/sites/${site.id}/backups/${site.backup}/download?format=${format}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    const site = await aSite()
    const repair = await breakObject(here, await placeOf(here, site.backup, LOST), 'a flipped bit')
    const broken = await fetched(site)
    assert.equal(broken.status, 200)
    await assert.rejects(broken.arrayBuffer(), /^TypeError: terminated$/)
    assert.deepEqual([(await rowOf(site)).verification, (await rowOf(site)).lost?.sample], ['damaged', [NAMED]])
    await repair()
    assert.equal((await verify(site, site.backup)).level, 'restored')
    assert.deepEqual([(await rowOf(site)).verification, (await rowOf(site)).lost], ['restored', null])
    assert.equal((await fetched(site)).status, 200)

    await breakObject(here, await placeOf(here, site.backup, WHOLE), 'a missing object')
    for (const format of ['tar', 'tar.zst']) {
      const refused = await fetched(site, format)
      const { code, detail } = (await refused.json()) as { code: string; detail: string }
      assert.deepEqual([refused.status, code], [409, 'damaged'])
      assert.match(detail, /^This backup is damaged: a part of the list of what it holds cannot be read\./)
    }
    assert.equal((await rowOf(site)).verification, 'damaged')
    const bad = pictureOf(site.fake.state)
    await assert.rejects(start(site, { dry_run: true }), { code: 'damaged' })
    const part = async (include: string) => ended((await start(site, { include: [include], safety_backup: false })).job_id)
    const { status, error } = await part('folder:wp-content/uploads')
    assert.deepEqual([status, error?.code, pictureOf(site.fake.state) === bad], ['failed', 'damaged', true])
    // The tables have lists of their own.
    assert.equal((await part('table:options')).status, 'completed')
    assert.notEqual(pictureOf(site.fake.state), bad)
  })
})
