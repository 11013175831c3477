import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../../test/until.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Site } from '../sites/schema.ts'

describe('a signed goodbye', { concurrency: true }, () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
  })
  after(() => here.close())

  const statusOf = async (id: string) => ((await here.call('sites.get', { site_id: id })) as Site).status
  const looks = async (id: string) =>
    ((await here.call('jobs.list', { site_id: id, type: 'disconnect' })) as { jobs: { id: string; attempt: number }[] }).jobs
  const looked = async (id: string) => {
    const [job] = await looks(id)
    return job ? here.job(job.id) : undefined
  }
  const told = async (id: string) =>
    ((await here.call('activity.list', { site_id: id })) as { activity: { summary: string }[] }).activity.map(({ summary }) => summary)

  test('of a copy that has the key ends nothing while the site answers, and is told once', async () => {
    const { id, fake } = await here.site()
    for (let said = 0; said < 2; said++) {
      await fake.notify(here.url, 'disconnected')
      await looked(id)
      assert.equal(await statusOf(id), 'connected')
    }
    assert.equal((await here.call('sites.ping', { site_id: id })).ok, true)
    assert.deepEqual(
      (await told(id)).filter((summary) => /goodbye/.test(summary)),
      ['The site said goodbye, but still answers: nothing was ended'],
    )
  })

  test('of a site that is deaf from then on ends the pairing', async () => {
    const { id, fake } = await here.site()
    await fake.leave(here.url)
    await looked(id)
    assert.equal(await statusOf(id), 'disconnected')
    assert.ok((await told(id)).includes('The site was disconnected in its WordPress admin'))
  })

  test('that comes before the site has become deaf is looked at again', async () => {
    const { id, fake } = await here.site()
    const pinged = new Promise<void>((resolve) => {
      fake.state.fault = (verb, when) => {
        if (verb === 'ping' && when === 'after') resolve()
        return undefined
      }
    })
    await fake.notify(here.url, 'disconnected')
    await pinged
    fake.connector.pairing = undefined
    await looked(id)
    assert.equal(await statusOf(id), 'disconnected')
  })

  for (const trouble of ['down', 'gateway', 'challenge'] as const)
    test(`while nobody can see whether it is so (${trouble}) ends nothing, and is looked at again`, async () => {
      const { id, fake } = await here.site()
      fake.misbehave(trouble)
      await fake.notify(here.url, 'disconnected')
      await until(async () => Number((await looks(id))[0]?.attempt ?? 0) >= 2)
      assert.notEqual(await statusOf(id), 'disconnected')
      fake.misbehave()
      await looked(id)
      assert.equal(await statusOf(id), 'connected')
    })

  test('of a site whose usual door is shut is not believed while another door is open', async () => {
    const { id, fake } = await here.site()
    fake.misbehave('only_ajax')
    await fake.notify(here.url, 'disconnected')
    await looked(id)
    assert.equal(await statusOf(id), 'connected')
  })

  test('of a site that answers as a copy of itself is believed', async () => {
    const { id, fake } = await here.site()
    fake.misbehave('clone')
    await fake.notify(here.url, 'disconnected')
    await looked(id)
    assert.equal(await statusOf(id), 'disconnected')
  })
})
