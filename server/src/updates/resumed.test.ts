// Attempts that die anywhere: the next one ends with exactly the new version or exactly the old one.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anOffer, aPlugin } from '../../test/fake-items.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { runJob } from '../jobs/worker.ts'
import type { UpdateResult } from './schema.ts'

describe('an update that another attempt goes on with', { concurrency: 4 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await here.call('schedules.set_default', { pre_update: 'none' })
  })
  after(() => here.close())

  const aSite = async (slug: string) => {
    const { id, fake } = await here.site()
    fake.state.items = [aPlugin(slug, { update: anOffer('2.0') })]
    return { id, fake }
  }
  const start = async (site_id: string) => String((await here.call('updates.apply', { site_id })).job_id)
  const resultOf = async (job_id: string) => {
    const job = await here.job(job_id)
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    return (job.result as UpdateResult).items
  }
  const told = async (site_id: string) =>
    ((await here.call('activity.list', { site_id })) as { activity: { category: string }[] }).activity.filter(
      ({ category }) => category === 'update',
    ).length
  const versions = ({ state }: RunningFakeSite) => state.items.map(({ version }) => version)

  /** What another worker does when the first one is gone. */
  const another = (job_id: string) => {
    const never = new AbortController().signal
    return runJob(here.world, { jobId: job_id, workspaceId: here.workspaceId }, { lost: never, stopping: never })
  }

  for (const [verb, moment, broken, slices = 0] of [
    ['updates.guard', 'after', false, 1],
    ['updates.guard', 'after', false],
    ['updates.apply', 'before', true],
    ['updates.apply', 'after', true],
    ['updates.apply', 'after', false],
    ['updates.probe', 'after', false],
    ['updates.rollback', 'before', true],
    ['updates.rollback', 'after', true],
    ['updates.release', 'before', false],
    ['updates.release', 'after', false],
  ] as const)
    test(`a worker dies ${moment} ${verb}${slices ? ' half-way' : ''} of a ${broken ? 'broken' : 'good'} version, and the next one ends it`, async () => {
      const { id, fake } = await aSite('a')
      // Where nothing is tried first.
      Object.assign(fake.state, { copySlices: slices, trials: false })
      if (broken) fake.state.defects = { 'a/a.php@2.0': 'dead' }
      let taken: Promise<void> | undefined
      let job_id = ''
      fake.state.fault = (asked, at) => {
        if (asked !== verb || at !== moment || job_id === '') return undefined
        taken ??= another(job_id)
        return undefined
      }
      job_id = await start(id)
      const [item] = await resultOf(job_id)
      await taken
      assert.equal(item?.status, broken ? 'rolled_back' : 'updated', JSON.stringify(item))
      assert.deepEqual([versions(fake), fake.state.update], [[broken ? '1.0' : '2.0'], undefined])
      assert.ok(fake.state.effects.length === 1, 'it was installed once')
      if (verb === 'updates.rollback') assert.match(item?.reason ?? '', /does not start/, 'what was judged is known to the next attempt')
      assert.equal(await told(id), 1)
    })

  const taken = (job: object) =>
    ((job as { items: { risks: string[] }[] }).items[0]?.risks ?? assert.fail()).filter((risk) => /taken back/.test(risk))

  for (const [why, name, reason] of [
    ['alone', 'it was left alone for five minutes', /heard nothing for five minutes, so it took/],
    ['hung', 'it let nobody through', /let nobody through any more, and took/],
    ['shut', 'nobody came after a change of its rules', /\.htaccess.* no request got through to the site for a minute, so it took/],
  ] as const)
    test(`a site that took the update back because ${name}, and the job says so`, async () => {
      const { id, fake } = await aSite(why)
      let next: Promise<void> | undefined
      let job_id = ''
      fake.state.fault = (verb, moment) => {
        if (verb !== 'updates.apply' || moment !== 'after' || next) return undefined
        if (fake.state.update) Object.assign(fake.state.update, { deadline: 0, hung: why === 'hung', shut: why === 'shut' })
        next = another(job_id)
        return 'cut'
      }
      job_id = await start(id)
      const [item] = await resultOf(job_id)
      await next
      assert.deepEqual([item?.status, versions(fake)], ['rolled_back', ['1.0']])
      assert.match(item?.reason ?? '', reason)
      fake.state.items = [aPlugin(why, { update: anOffer('2.0') })]
      const risks = taken(await here.call('updates.apply', { site_id: id, dry_run: true }))
      assert.equal(risks.length, why === 'hung' ? 1 : 0, 'what was no doing of the version is not held against it')
    })
})
