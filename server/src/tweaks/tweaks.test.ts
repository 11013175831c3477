import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { agentOf } from '../../test/mcp-agent.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { runJob } from '../jobs/worker.ts'
import { newId } from '../kernel/ids.ts'
import { recordFindings } from '../security/record.ts'
import type { Planned, SiteTweaks, TweakResult } from './schema.ts'
import { tweakIds } from './schema.ts'
import { table } from './table.ts'

describe('tweaks', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const list = async (site_id: string, more: object = {}) => (await here.call('tweaks.list', { site_id, ...more })) as SiteTweaks
  const stateOf = async (site_id: string, id: string) => (await list(site_id)).tweaks.find((tweak) => tweak.id === id)
  const order = (input: object) =>
    here.call('tweaks.apply', input) as Promise<ReturnType<typeof Object> & { job_id: string; jobs: { job_id: string }[] }>
  async function result(site_id: string, input: object): Promise<TweakResult[]> {
    const job = await here.job((await order({ site_id, ...input })).job_id)
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    return (job.result as { items: TweakResult[] }).items
  }
  const statuses = (items: TweakResult[]) => items.map(({ tweak_id, status }) => `${tweak_id} ${status}`)
  const changes = (fake: RunningFakeSite) => fake.state.effects.map(({ verb, params }) => `${verb} ${String(params.id)}`)
  /** But for what the check of security tells, which is another capability's. */
  const activityOf = async (site_id: string) => {
    const { activity } = (await here.call('activity.list', { site_id })) as {
      activity: { category: string; summary: string; internal: boolean; in_reports: boolean; job_id: string }[]
    }
    return activity.filter(({ summary }) => !summary.startsWith('Security check'))
  }

  test('the table names every tweak once, in the words of the house', () => {
    assert.deepEqual(table.map(({ id }) => id).sort(), [...tweakIds].sort())
    for (const { id, by, nginx, done, undone, reversible } of table) {
      assert.equal(nginx !== undefined, by === 'rules', id)
      assert.ok(done.length <= 200 && (undone !== done || !reversible), id)
    }
  })

  test('an agent reads of each what to choose by, and all of it when it asks', async () => {
    const { id } = await here.site()
    const agent = agentOf(here, (await here.token('read')).token)
    const read = async (more: object) =>
      (await agent.call('list_site_tweaks', { site_id: id, ...more })).structuredContent as unknown as SiteTweaks
    const { tweaks, total } = await read({})
    assert.equal(total, 14)
    for (const tweak of tweaks) {
      assert.ok(['id', 'name', 'risk', 'state'].every((field) => field in tweak))
      assert.ok(!('description' in tweak) && !('verified_at' in tweak))
    }
    assert.ok(tweaks.some(({ side_effects }) => side_effects?.length > 0))
    const [whole] = (await read({ fields: 'all', cached: true })).tweaks
    assert.ok(whole?.description && 'verified_at' in whole)
    assert.ok(JSON.stringify(tweaks).length < JSON.stringify((await read({ fields: 'all' })).tweaks).length / 2)
  })

  test('the list tells what holds, who else sees to it, and what cannot be applied with what to paste instead', async () => {
    const { id, fake } = await here.site()
    fake.state.tweaks.server = 'nginx'
    fake.state.tweaks.others.set('file_editor_off', 'wp-config.php').set('xmlrpc_off', '').set('uploads_php_off', '')
    const { tweaks, live, total } = await list(id)
    assert.deepEqual([live, total], [true, 14])
    const byId = new Map(tweaks.map((tweak) => [tweak.id, tweak]))
    const told = (name: (typeof tweakIds)[number]) => [byId.get(name)?.state, byId.get(name)?.already_by]
    assert.deepEqual(told('file_editor_off'), ['applied', 'wp-config.php'])
    assert.deepEqual(told('xmlrpc_off'), ['applied', 'something else on this site or its server'])
    assert.deepEqual(
      told('uploads_php_off'),
      ['applied', 'something else on this site or its server'],
      'pasted into the server’s configuration',
    )
    assert.deepEqual(told('version_hidden'), ['not_applied', null])
    assert.equal(byId.get('readme_blocked')?.state, 'not_applicable')
    assert.match(byId.get('readme_blocked')?.snippet ?? '', /^location .*readme.*deny all/)
    assert.equal(byId.get('version_hidden')?.snippet, null)
  })

  test('is applied, seen to work, told to the client, and taken back', async () => {
    const { id, fake } = await here.site()
    const [applied] = await result(id, { tweak_ids: ['xmlrpc_off'] })
    assert.equal(applied?.status, 'applied')
    assert.match(applied?.evidence.join('\n') ?? '', /Before: .*system\.multicall.*\nAfter: .*403/s)
    const now = await stateOf(id, 'xmlrpc_off')
    assert.deepEqual([now?.state, now?.applied_by?.name, now?.already_by], ['applied', 'Tess', null])
    assert.ok(now?.applied_at && now.verified_at)
    assert.deepEqual(statuses(await result(id, { tweak_ids: ['xmlrpc_off'] })), ['xmlrpc_off already'])
    assert.deepEqual(statuses(await result(id, { tweak_ids: ['xmlrpc_off'], action: 'revert' })), ['xmlrpc_off reverted'])
    const then = await stateOf(id, 'xmlrpc_off')
    assert.deepEqual([then?.state, then?.applied_at, then?.verified_at], ['not_applied', null, null])
    assert.deepEqual(statuses(await result(id, { tweak_ids: ['xmlrpc_off'], action: 'revert' })), ['xmlrpc_off already'])
    assert.deepEqual(changes(fake), ['tweaks.apply xmlrpc_off', 'tweaks.revert xmlrpc_off'])
    const entries = (await activityOf(id)).filter(({ job_id, category }) => job_id && (category === 'security' || category === 'fix'))
    assert.deepEqual(
      entries.map(({ summary, category, in_reports }) => [summary, category, in_reports]),
      [
        ['Opened XML-RPC again', 'fix', true],
        ['Closed XML-RPC, an old door that is used to guess passwords', 'security', true],
      ],
    )
  })

  test('before anybody looked it is not known, which is not "not applied"', async () => {
    const { id } = await here.site()
    const { tweaks, checked_at } = (await here.call('tweaks.list', { site_id: id, cached: true })) as unknown as {
      tweaks: { state: string | null; reason: string }[]
      checked_at: string | null
    }
    assert.equal(checked_at, null)
    assert.ok(tweaks.every(({ state, reason }) => state === null && reason === 'Nobody has looked yet.'))
  })

  test('what does not stop the attack is taken back and failed, with what was seen', async () => {
    const { id, fake } = await here.site()
    fake.state.tweaks.broken.add('version_hidden')
    const [item] = await result(id, { tweak_ids: ['version_hidden'] })
    assert.equal(item?.status, 'failed')
    assert.match(item?.reason ?? '', /the attack still works\. It was taken back/)
    assert.match(item?.evidence.join() ?? '', /content="WordPress/)
    assert.equal(fake.state.tweaks.on.size, 0)
    const [told] = await activityOf(id)
    assert.deepEqual([told?.summary, told?.internal], ['Version hidden could not be changed', true])
  })

  test('what hurts the site is taken back', async () => {
    const { id, fake } = await here.site()
    fake.state.tweaks.harmful.add('security_headers')
    const [item] = await result(id, { tweak_ids: ['security_headers'] })
    assert.equal(item?.status, 'failed')
    assert.match(item?.reason ?? '', /front page answers with 500.*It was taken back, and the site is as before/)
    assert.equal(fake.state.tweaks.on.size, 0)
  })

  test('a white page after a tweak is seen as wrong, and the tweak is taken back', async () => {
    const { id, fake } = await here.site()
    const { on } = fake.state.tweaks
    fake.state.page = (method, path) => {
      if (method !== 'GET' || new URL(path, fake.url).pathname !== '/') return undefined
      return { status: 200, body: on.has('security_headers') ? '' : `<html><title>Garden</title>${'Flowers. '.repeat(20)}</html>` }
    }
    const [item] = await result(id, { tweak_ids: ['security_headers'] })
    assert.deepEqual([item?.status, on.size], ['failed', 0])
    assert.match(item?.reason ?? '', /^The front page is blank\. It was taken back, and the site is as before/)
  })

  test('a rule of the server is tried in a folder first, and refused there without touching the site', async () => {
    const { id, fake } = await here.site()
    fake.state.tweaks.rejects = true
    const [item] = await result(id, { tweak_ids: ['uploads_php_off'] })
    assert.deepEqual([item?.status, changes(fake), fake.state.tweaks.trial], ['refused', [], undefined])
    assert.match(item?.reason ?? '', /does not allow this rule.*not touched/)
    fake.state.tweaks.rejects = false
    assert.deepEqual(statuses(await result(id, { tweak_ids: ['uploads_php_off'] })), ['uploads_php_off applied'])
  })

  test('on nginx it is refused with what to paste', async () => {
    const { id, fake } = await here.site()
    fake.state.tweaks.server = 'nginx'
    const [item] = await result(id, { tweak_ids: ['uploads_php_off'] })
    assert.equal(item?.status, 'refused')
    assert.match(item?.reason ?? '', /For nginx: location ~\* \^\/wp-content\/uploads\//)
  })

  test('what was switched on and no longer works, has drifted', async () => {
    const { id, fake } = await here.site()
    await result(id, { tweak_ids: ['readme_blocked', 'file_editor_off'] })
    fake.state.tweaks.broken.add('readme_blocked').add('file_editor_off')
    for (const tweak of ['readme_blocked', 'file_editor_off']) {
      const now = await stateOf(id, tweak)
      assert.deepEqual([now?.state, now?.already_by], ['drifted', null])
      assert.match(now?.reason ?? '', /switched on here/)
    }
    fake.state.tweaks.broken.clear()
    assert.deepEqual(statuses(await result(id, { tweak_ids: ['readme_blocked'] })), ['readme_blocked already'])
  })

  test('what cannot be taken back is not', async () => {
    const { id, fake } = await here.site()
    assert.deepEqual(statuses(await result(id, { tweak_ids: ['salts_rotated'] })), ['salts_rotated applied'])
    assert.deepEqual(statuses(await result(id, { tweak_ids: ['salts_rotated'] })), ['salts_rotated already'])
    assert.deepEqual(statuses(await result(id, { tweak_ids: ['salts_rotated'], again: true })), ['salts_rotated applied'])
    assert.deepEqual(statuses(await result(id, { tweak_ids: ['salts_rotated'], action: 'revert' })), ['salts_rotated refused'])
    assert.deepEqual(changes(fake), ['tweaks.apply salts_rotated', 'tweaks.apply salts_rotated'])
  })

  test('https is not forced where it does not work', async () => {
    const { id, fake } = await here.site()
    const [item] = await result(id, { tweak_ids: ['ssl_admin_forced'] })
    assert.deepEqual([item?.status, changes(fake)], ['refused', []])
    assert.match(item?.reason ?? '', /^https does not work on this site/)
  })

  test('a dry run tells what would happen and does nothing', async () => {
    const { id, fake } = await here.site()
    fake.state.tweaks.others.set('file_editor_off', 'wp-config.php')
    const { plan, job_id } = (await here.call('tweaks.apply', {
      site_id: id,
      tweak_ids: ['file_editor_off', 'xmlrpc_off', 'xmlrpc_off'],
      dry_run: true,
    })) as unknown as { plan: Planned[]; job_id: string | null }
    assert.equal(job_id, null)
    assert.deepEqual(
      plan?.map(({ tweak_id, will, reason, risk }) => [tweak_id, will, reason, risk]),
      [
        ['file_editor_off', 'nothing', 'Already so: something else on this site sees to it.', 'low'],
        ['xmlrpc_off', 'apply', null, 'medium'],
      ],
    )
    assert.deepEqual(changes(fake), [])
  })

  test('several sites get a job each, one that is disconnected is left out, and get_job tells of all of them', async () => {
    const [one, two, gone] = [await here.site(), await here.site(), await here.site()]
    const first = await order({ site_ids: [one.id, two.id, one.id], tweak_ids: ['xmlrpc_off'] })
    assert.partialDeepStrictEqual(first, { rollout_id: first.job_id, total: 2, skipped: 0, jobs: null })
    assert.equal((await here.job(first.job_id)).outcome, 'done')
    for (const { fake } of [one, two]) assert.deepEqual(changes(fake), ['tweaks.apply xmlrpc_off'])
    await here.disconnect(gone)
    two.fake.state.tweaks.broken.add('version_hidden')
    const wanted = { site_ids: [one.id, two.id, gone.id], tweak_ids: ['version_hidden'] }
    const { plan, would, ...counts } = await order({ ...wanted, dry_run: true })
    assert.partialDeepStrictEqual(counts, { total: 2, skipped: 1, jobs: null })
    assert.deepEqual(
      plan.map(({ site_id, will, reason }: Planned) => [site_id, will, reason]),
      [
        [one.id, 'apply', null],
        [two.id, 'apply', null],
        [gone.id, 'nothing', 'The site is disconnected.'],
      ],
    )
    assert.partialDeepStrictEqual(would, [{ tweak_id: 'version_hidden', will: 'apply', sites: 2, never_looked: 0, risk: 'low' }])
    const { job_id, ...begun } = await order(wanted)
    assert.partialDeepStrictEqual(begun, { total: 2, skipped: 1 })
    const told = await here.job(String(job_id))
    assert.deepEqual([told.type, told.status, told.outcome], ['rollout', 'completed', 'partly'])
    assert.equal(told.summary, '1 done, 1 left out, 1 failed.')
    assert.deepEqual(
      (told.result as { sites: { site_id: string; status: string }[] }).sites.map(({ site_id, status }) => [site_id, status]),
      [
        [two.id, 'failed'],
        [gone.id, 'skipped'],
        [one.id, 'done'],
      ],
    )
    for (const input of [{ tweak_ids: ['xmlrpc_off'] }, { site_id: one.id, site_ids: [two.id], tweak_ids: ['xmlrpc_off'] }])
      await assert.rejects(order(input), { code: 'invalid_payload' })
  })

  test('a killed worker’s job goes on, and what it had done counts as done by it', async () => {
    const { id, fake } = await here.site()
    // The first attempt never hears that the tweak was applied.
    let cut = 0
    fake.state.fault = (verb, moment) => (verb === 'tweaks.apply' && moment === 'after' && cut++ < 3 ? 'cut' : undefined)
    const { job_id } = await order({ site_id: id, tweak_ids: ['xmlrpc_off', 'pingbacks_off'] })
    while (!fake.state.tweaks.on.has('xmlrpc_off')) await new Promise((resolve) => setTimeout(resolve, 10))
    const never = new AbortController().signal
    await runJob(here.world, { jobId: job_id, workspaceId: here.workspaceId }, { lost: never, stopping: never })
    const job = await here.job(job_id)
    assert.deepEqual([job.status, job.attempt], ['completed', 2])
    assert.deepEqual(statuses((job.result as { items: TweakResult[] }).items), ['xmlrpc_off applied', 'pingbacks_off already'])
  })

  test('one key is one job; a read token is refused, and what one that needs approvals asks for waits', async () => {
    const { id } = await here.site()
    const { token } = await here.token('write')
    const body = { tweak_ids: ['xmlrpc_off'] }
    const ask = (as: string, more: object = {}) =>
      here.rest('POST', `/api/v1/sites/${id}/tweaks`, { token: as, body: { ...body, ...more }, headers: { 'idempotency-key': 'once' } })
    const [first, second] = [await ask(token), await ask(token)]
    assert.deepEqual([first.status, second.status, second.json.job_id], [202, 202, first.json.job_id])
    assert.equal(first.headers.get('location'), `/api/v1/jobs/${first.json.job_id}`)
    assert.equal((await ask(token, { action: 'revert' })).status, 422)
    assert.equal((await ask((await here.token('read')).token)).status, 403)
    const waiting = await ask((await here.token('write', { approval_only: true })).token)
    assert.deepEqual([waiting.status, waiting.json.status], [202, 'awaiting_approval'])
    await here.job(String(first.json.job_id))
  })

  test('after a change the site is looked at again, and a finding is fixed or open again', async () => {
    const { id, fake } = await here.site()
    const findings = async () => (await stateOf(id, 'file_editor_off'))?.finding_ids
    fake.state.facts = { file_editor: true }
    await here.job(String((await here.call('security.check', { site_id: id })).job_id))
    const open = await findings()
    assert.equal(open?.length, 1)
    fake.state.facts = { file_editor: false }
    await result(id, { tweak_ids: ['file_editor_off'] })
    assert.deepEqual(await findings(), [])
    fake.state.facts = { file_editor: true }
    await result(id, { tweak_ids: ['file_editor_off'], action: 'revert' })
    assert.deepEqual(await findings(), open)
  })

  test('a site of another workspace among several is not found, and nothing begins', async () => {
    const mine = await here.site()
    const theirs = await here.site(await here.workspace('Theirs'))
    await assert.rejects(order({ site_ids: [mine.id, theirs.id], tweak_ids: ['xmlrpc_off'] }), { code: 'not_found' })
    const { jobs } = (await here.call('jobs.list', { site_id: mine.id, type: 'tweak' })) as { jobs: unknown[] }
    assert.deepEqual([jobs.length, changes(mine.fake).length], [0, 0])
  })

  test('it names the findings that it fixes', async () => {
    const { id } = await here.site()
    const at = here.world.now()
    const found = {
      check: 'xmlrpc_open',
      key: '',
      kind: 'exposure',
      severity: 'medium',
      title: 'T',
      description: 'D',
      evidence: [],
      fix: { tweak_id: 'xmlrpc_off' },
    } as const
    const { opened } = await here.world.db
      .transaction()
      .execute((db) =>
        recordFindings(db, { workspaceId: here.workspaceId, siteId: id, source: 'outside', at }, [{ ...found, evidence: [] }]),
      )
    assert.deepEqual((await stateOf(id, 'xmlrpc_off'))?.finding_ids, opened)
    assert.deepEqual((await stateOf(id, 'pingbacks_off'))?.finding_ids, [])
  })

  test('a site that is down tells what was seen last, and one nobody saw is an error', async () => {
    const { id, fake } = await here.site()
    await list(id)
    fake.misbehave('down')
    const { live, live_error, tweaks } = await list(id)
    assert.equal(live, false)
    assert.ok(live_error)
    assert.equal(tweaks.find((tweak) => tweak.id === 'xmlrpc_off')?.state, 'not_applied')
    fake.misbehave()
    await sql`DELETE FROM site_tweaks WHERE site_id = ${id}`.execute(here.world.db)
    const unseen = await list(id, { cached: true })
    assert.equal(unseen.checked_at, null)
    await assert.rejects(list(newId('site', here.world.now())), { code: 'not_found' })
  })
})
