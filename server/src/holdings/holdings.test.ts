import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { withApp } from '../../test/factors.ts'
import { fillReports, fillSite } from '../../test/filled.ts'
import { asMember } from '../../test/people.ts'
import { aBrowser, alsoIn, aPerson } from '../../test/person.ts'
import { rowsEverywhere, rowsOf } from '../../test/rows-everywhere.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Caller } from '../kernel/context.ts'
import { seedSiteTurns, sitesWithoutTurn, workspacesWithoutTurn } from '../platform/clock-store.ts'
import { openService } from '../service.ts'
import { createWorkspace } from '../workspaces/service.ts'
import type { World } from '../world.ts'
import { goOnDeleting } from './clear.ts'
import { tablesThatStay } from './clear-store.ts'
import type { Deletion } from './schema.ts'

describe('a workspace', () => {
  let here: TestWorld
  /** Filled with everything, to be deleted; the world's own stays. */
  let doomed: { workspaceId: string; here: TestWorld }
  let site: Awaited<ReturnType<TestWorld['site']>>
  let owner: Caller
  before(async () => {
    here = await aWorld()
    const workspaceId = await here.workspace('Doomed')
    const caller = (over: Partial<Caller> = {}) => here.caller({ workspaceId, ...over })
    doomed = {
      workspaceId,
      here: { ...here, workspaceId, caller, call: (name, input, over) => here.call(name, input, { caller: caller(), ...over }) },
    }
    site = await here.site(workspaceId)
    owner = await asMember(here, 'owner', workspaceId)
    const { job_id } = await doomed.here.call('backups.create', { site_id: site.id, type: 'full' })
    assert.equal((await here.job(String(job_id), workspaceId)).status, 'completed')
  })
  after(() => here.close())

  const objectsOf = async (id: string) => {
    const keys: string[] = []
    for await (const { key } of here.world.storage.list(`w/${id}/`)) keys.push(key)
    return keys
  }
  const fresh = (): Caller => ({ ...owner, factorAt: here.world.now() })
  const remove = (input: object, caller = fresh()) => here.call('workspaces.delete', input, { caller }) as unknown as Promise<Deletion>

  test('tells what its backups take, each content once, and of a site whose backups tell nothing nothing', async () => {
    const { backups } = (await doomed.here.call('backups.list', { site_id: site.id })) as {
      backups: { stored_bytes: number; size_bytes: number }[]
    }
    const [backup] = backups
    const told = await doomed.here.call('workspaces.storage')
    const { rows } = await sql<{
      bytes: number
    }>`SELECT sum(bytes)::float8 AS bytes FROM packs WHERE workspace_id = ${doomed.workspaceId}`.execute(here.world.db)
    assert.ok(rows[0]?.bytes)
    assert.partialDeepStrictEqual(told, {
      ...{ backups: 1, stored_bytes: rows[0].bytes, size_bytes: backup?.size_bytes, pictures_bytes: 0, reports_bytes: 0 },
      sites: [{ site_id: site.id, backups: 1, added_bytes: backup?.stored_bytes, size_bytes: backup?.size_bytes }],
    })
    assert.deepEqual((await here.call('workspaces.storage')).sites, [], 'of another workspace')
    await sql`UPDATE backups SET stored_bytes = NULL, size_bytes = NULL WHERE workspace_id = ${doomed.workspaceId}`.execute(here.world.db)
    const unknown = await doomed.here.call('workspaces.storage')
    assert.equal(unknown.size_bytes, null)
    assert.partialDeepStrictEqual(unknown.sites, [{ backups: 1, added_bytes: null, size_bytes: null }] as never)
  })

  test('is deleted by an owner alone, who has just shown a second factor and types its name, and not while work is under way', async () => {
    const admin = { ...(await asMember(here, 'admin', doomed.workspaceId)), factorAt: here.world.now() }
    const stale = { ...owner, factorAt: new Date(here.world.now().getTime() - 11 * 60_000) }
    const state = await stateOf(here.world)
    const plan = await remove({ dry_run: true }, owner)
    assert.partialDeepStrictEqual(plan, { name: 'Doomed', held: { sites: 1, backups: 1, members: 2 }, under_way: [] })
    await assert.rejects(remove({ name: 'Doomed' }, admin), { code: 'insufficient_scope' })
    await assert.rejects(remove({ name: 'Doomed' }, owner), { code: 'confirmation_required' })
    await assert.rejects(remove({ name: 'Doomed' }, stale), { code: 'confirmation_required' })
    for (const name of [undefined, 'doomed', 'Doomed?']) await assert.rejects(remove({ name }), { code: 'invalid_payload' })
    assert.equal(await stateOf(here.world), state)
    await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at)
      VALUES (${doomed.workspaceId}, 'job_waits', 'backup', ${site.id}, 'queued', '{"type":"user","id":"u","name":"x"}', '{}', now())`.execute(
      here.world.db,
    )
    await assert.rejects(remove({ name: 'Doomed' }), (error: { code: string; message: string }) => {
      assert.deepEqual([error.code, /work is under way: backup job_waits of 127\.0\.0\.1/.test(error.message)], ['conflict', true])
      return true
    })
    await doomed.here.call('jobs.cancel', { job_id: 'job_waits' }).catch(() => undefined)
    await sql`UPDATE jobs SET status = 'canceled' WHERE id = 'job_waits'`.execute(here.world.db)
  })

  test('that is deleted lets nobody in at once, on no node, and leaves no row and no object, however often the deletion is broken off', async () => {
    const { db } = here.world
    const [mine, hers] = [await aPerson(here, 'mine@example.com', 'owner'), owner.id]
    await here.site()
    for (const each of [here, doomed.here]) {
      const { sites } = (await each.call('sites.list')) as { sites: { id: string }[] }
      const [first] = sites
      await fillSite(each, first?.id ?? '', ['a', 'b'])
      await fillReports(each, [])
      await rowsEverywhere(db, each.workspaceId, each === here ? mine : hers)
    }
    /** Without what calls and the clock write down for themselves. */
    const kept = async () => {
      const { audit: _audit, turns: _turns, feed_looks: _feed, live_looks: _looks, ...rows } = await rowsOf(db, here.workspaceId)
      return rows
    }
    // Every way in.
    const { token } = await here.token('read', { workspaceId: doomed.workspaceId })
    const browser = aBrowser(here)
    const both = await aPerson(here, 'both@example.com', 'member', { workspaceId: doomed.workspaceId })
    await browser.signIn('both@example.com')
    const proof = browser.csrf
    const elsewhere = await alsoIn(here, both, 'Elsewhere')
    const { link: invitation } = await doomed.here.call('members.invite', { email: 'new@example.com' })
    const { rows: links } = await sql<{
      root_id: string
    }>`SELECT root_id FROM report_links WHERE workspace_id = ${doomed.workspaceId} LIMIT 1`.execute(db)
    const { url: report } = await doomed.here.call('reports.link', { report_id: links[0]?.root_id })
    const { code } = await doomed.here.call('pairing.create_code')
    const parts = {
      config: { ...here.world.config, role: 'serve' as const },
      log: here.world.log,
      now: here.world.now,
      address: here.address,
    }
    const other = await openService(parts)
    const identify = () => Promise.all([here.service, other].map((node) => node.identify(`Bearer ${token}`)))
    const ways = async () => [
      (await here.rest('GET', '/api/v1/sites', { token })).status,
      ...(await identify()).map((caller) => caller !== undefined),
      (await browser.send('GET', '/api/v1/sites', undefined, { 'svc-csrf': proof })).status,
      (await aBrowser(here).send('POST', '/session/invitation', { key: String(invitation).split('#')[1] })).status,
      (await here.rest('GET', new URL(String(report)).pathname)).status,
      await site.fake.notify(here.url, 'enrolled'),
    ]
    try {
      assert.deepEqual(await ways(), [200, true, true, 200, 200, 200, 202])
      const before = await kept()
      assert.ok(Object.keys(before).length > 55, `${Object.keys(before).length} tables`)
      assert.ok((await objectsOf(doomed.workspaceId)).length > 0)
      const deleted = await remove({ name: 'Doomed' })
      assert.partialDeepStrictEqual(deleted, { dry_run: false, held: { sites: 1, members: 3, reports: 2 } })
      assert.deepEqual(await ways(), [401, false, false, 403, 404, 404, 401])
      const session = (await browser.send('GET', '/session')).json
      assert.partialDeepStrictEqual(session, { workspace: { id: elsewhere }, workspaces: [{ id: elsewhere }] } as never)
      await assert.rejects(site.fake.enrol(here.url, String(code)), /refused: 404 not_found This code is unknown/)
      await assert.rejects(
        here.token('read', { workspaceId: doomed.workspaceId }),
        { code: 'not_found' },
        'who was let in before makes nothing',
      )
      await createWorkspace(here.world, 'Doomed')
      const ofDoomed = (all: { workspace_id: string }[]) => all.filter(({ workspace_id }) => workspace_id === doomed.workspaceId)
      for (const kind of ['uptime', 'errors']) await seedSiteTurns(db, kind, here.world.now(), 1000)
      const { rows: turns } = await sql<{ workspace_id: string }>`SELECT workspace_id FROM turns`.execute(db)
      assert.deepEqual(ofDoomed([...turns, ...(await sitesWithoutTurn(db, 'verify'))]), [], 'nothing is due for it')
      assert.equal((await workspacesWithoutTurn(db, 'none')).includes(doomed.workspaceId), false)

      await brokenOff(here, doomed.workspaceId)
      assert.deepEqual(Object.keys(await rowsOf(db, doomed.workspaceId)).sort(), tablesThatStay)
      assert.deepEqual(await objectsOf(doomed.workspaceId), [])
      const { rows } = await sql`SELECT 1 FROM workspaces WHERE id = ${doomed.workspaceId}`.execute(db)
      assert.equal(rows.length, 0)
      assert.deepEqual(await kept(), before, 'the other workspace has what it had')
    } finally {
      await other.close()
    }
  })

  test('is found by its tables’ keys when it is cleared away, whichever table that is', async () => {
    const { rows } = await sql<{ name: string }>`SELECT c.relname AS name FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped
      WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_index i
        WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum AND i.indpred IS NULL)`.execute(here.world.db)
    assert.deepEqual(rows, [])
  })

  test('is deleted over REST by somebody with an authenticator, once a code was given', async () => {
    const { id, browser } = await withApp(here)
    const own = await alsoIn(here, id, 'Hers alone')
    await browser.send('POST', '/session/workspace', { workspace_id: own })
    here.clock.add(11 * 60_000)
    const ask = () => browser.send('POST', '/api/v1/workspace/deletion', { name: 'Hers alone' })
    assert.partialDeepStrictEqual((await ask()).json, { code: 'confirmation_required' } as never)
    assert.deepEqual(await objectsOf(own), [])
  })
})

/** Ways in which a process ends while it is at it: hung at a site or at an object, or stopped after a few rows. The next one goes on, once nobody can be at it. */
async function brokenOff({ world, clock }: TestWorld, workspaceId: string): Promise<void> {
  const never = () => new Promise<never>(() => undefined)
  const reached = async (step: string) => {
    const { rows } = await sql<{ step: string; sites_told: number }>`SELECT step, sites_told FROM workspace_deletions
      WHERE workspace_id = ${workspaceId}`.execute(world.db)
    assert.deepEqual(rows, [{ step, sites_told: step === 'sites' ? 0 : 1 }])
  }
  const hung = async (over: Partial<World>, at: Promise<void>) => {
    void goOnDeleting({ ...world, ...over })
    await at
    clock.add(6 * 60_000)
  }
  const atSite = Promise.withResolvers<void>()
  const fetch = () => {
    atSite.resolve()
    return never()
  }
  await hung({ wire: { ...world.wire, fetch } }, atSite.promise)
  await reached('sites')
  let looks = 0
  const stopping = {
    get aborted() {
      return ++looks > 12
    },
  } as AbortSignal
  await goOnDeleting({ ...world, stopping })
  await reached('rows')
  const atObject = Promise.withResolvers<void>()
  const storage = {
    ...world.storage,
    list: world.storage.list.bind(world.storage),
    delete: () => {
      atObject.resolve()
      return never()
    },
  }
  await hung({ storage }, atObject.promise)
  await reached('objects')
  await goOnDeleting(world)
  await reached('last look')
  await world.storage.put(`w/${workspaceId}/p/00/late`, Buffer.from('written by whoever was at it'))
  await goOnDeleting(world)
  await reached('last look')
  clock.add(3_600_000)
  await goOnDeleting(world)
  await reached('done')
}
