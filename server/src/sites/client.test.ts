import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FakeFault } from '../../test/fake-state.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { SiteClient } from './client.ts'

const busy = { code: 'busy', message: 'A backup is at work.' }

describe('talking to one site', { concurrency: 6 }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const open = async (signal = new AbortController().signal) => {
    const { id, fake } = await here.site()
    const site = await SiteClient.open({ ...here.world, workspaceId: here.workspaceId }, { id }, signal)
    fake.requests.length = 0
    /** The first so many questions meet a fault. */
    const spoil = (times: number, fault: FakeFault) => {
      fake.state.fault = (_, moment) => (moment === 'before' && times-- > 0 ? fault : undefined)
    }
    return { site, fake, spoil, asked: () => fake.requests.map(({ verb, url }) => verb || url) }
  }

  test('once is one request, however it ends', async () => {
    const { site, spoil, asked } = await open()
    spoil(1, 'cut')
    await assert.rejects(site.once('ping', {}), { reason: 'connect' })
    assert.equal((await site.once('ping', {})).clone, false)
    assert.equal(asked().length, 2)
  })

  for (const [name, fault] of [
    ['busy', busy],
    ['briefly away', 'cut'],
  ] as const)
    test(`a site that is ${name} is asked again`, async () => {
      const { site, spoil, asked } = await open()
      spoil(4, fault)
      assert.equal((await site.ask('ping', {}, { retries: 0, patienceMs: 600_000 })).clone, false)
      assert.equal(asked().length, 5)
    })

  test('a site that says no is not asked again', async () => {
    const { site, spoil, asked } = await open()
    spoil(1, { code: 'failed', message: 'No.' })
    await assert.rejects(site.ask('ping', {}), { reason: 'error:failed' })
    assert.equal(asked().length, 1)
  })

  test('patience ends after four times, and at once when the work is stopped', async () => {
    const stop = new AbortController()
    const { site, spoil, asked } = await open(stop.signal)
    spoil(1_000, busy)
    await assert.rejects(site.ask('ping', {}, { retries: 0 }), { reason: 'error:busy' })
    assert.equal(asked().length, 4)
    const waiting = site.ask('ping', {}, { retries: 0, patienceMs: 60_000 })
    stop.abort(new Error('enough'))
    await assert.rejects(waiting, /enough|aborted/)
    assert.equal(
      await site
        .lasting()
        .once('restore.status', {})
        .catch(({ reason }) => reason),
      'error:busy',
      'whatever becomes of the job',
    )
  })

  test('what must be finished goes through the rescue door where the usual one is shut', async () => {
    const { site, fake } = await open()
    const claim = { job: 'job_1', fence: 1 }
    while (
      (await site.ask('updates.guard', { ...claim, type: 'plugin', file: 'garden/garden.php', budget_ms: 1_000 })).verdict === 'copying'
    );
    fake.requests.length = 0
    fake.misbehave('security_plugin', { times: 2 })
    assert.equal((await site.insist('updates.status', {})).phase, 'armed')
    assert.equal((await site.insist('updates.rollback', claim)).done, true)
    const doors = fake.requests.map(({ url, verb }) => `${url.includes('rescue') ? 'rescue' : 'usual'} ${verb}`)
    assert.deepEqual(doors, ['usual ', 'usual ', 'rescue updates.status', 'rescue updates.rollback'])
    assert.equal((await site.insist('updates.release', { ...claim, budget_ms: 1_000, keep: false })).done, true)
    assert.ok(!fake.requests.at(-1)?.url.includes('rescue'), 'what needs WordPress is asked at the usual door alone')
  })

  test('what must be finished is given up when no door knows it, with what the usual one said', async () => {
    const { site, fake, spoil, asked } = await open()
    spoil(1_000, { code: 'unknown_verb', message: 'What?' })
    await assert.rejects(site.insist('restore.status', {}), { reason: 'error:unknown_verb' })
    assert.equal(asked().length, 5)
    spoil(1, { code: 'fence', message: 'No.' })
    await assert.rejects(site.insist('restore.status', {}), { reason: 'error:fence' })
    assert.equal(fake.requests.length, 6, 'a clear no is heard once')
  })
})
