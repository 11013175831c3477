import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { runDue } from '../../test/due.ts'
import type { RunningFakeSite } from '../../test/fake-site.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { followed } from './follow-move.ts'

describe('a site that has moved', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld({ SERVICE_LIVE_LOOK_SECONDS: '0', SERVICE_SECURITY_CHECKS: 'off' })
  })
  after(() => here.close())

  /** A site whose old address, which is the one we know, sends everybody on to where it is. */
  async function redirected(t: TestContext, to?: string) {
    const { id, fake } = await here.site()
    const old = createServer((request, response) => response.writeHead(301, { location: `${to ?? fake.url}${request.url}` }).end())
    await new Promise<void>((ready) => old.listen(0, '127.0.0.1', ready))
    t.after(() => old.close())
    const url = `http://127.0.0.1:${(old.address() as AddressInfo).port}`
    await sql`UPDATE sites SET url = ${url}, home = ${url} WHERE id = ${id}`.execute(here.world.db)
    here.world.changed(here.workspaceId, [id])
    await assert.rejects(here.call('sites.ping', { site_id: id }), { message: /moved/ })
    return { id, fake, url }
  }

  async function anHourLater(fake: RunningFakeSite, id: string) {
    await runDue(here.world) // From now on each site has its turn.
    here.clock.add(3_600_001)
    fake.state.skewSeconds += 3600
    await runDue(here.world)
    const { jobs } = (await here.call('jobs.list', { site_id: id, type: 'follow_move' })) as unknown as { jobs: { id: string }[] }
    assert.equal(jobs.length, 1)
    return (await here.job(jobs[0]?.id ?? '')).result
  }

  test('is followed where it answers as itself, and keeps its id and history', async (t) => {
    const { id, fake, url } = await redirected(t)
    assert.deepEqual(await anHourLater(fake, id), { url: fake.url, moved: true })
    const site = await here.call('sites.get', { site_id: id })
    assert.deepEqual([site.url, site.home, site.status], [fake.url, fake.url, 'connected'])
    assert.match(JSON.stringify(await here.call('activity.list', { site_id: id })), new RegExp(`The site has moved.*Before: ${url}`))
    assert.equal((await here.call('sites.ping', { site_id: id })).ok, true)
  })

  test('is not followed to another site, nor to where another answers', async (t) => {
    const other = await here.site()
    const taken = await redirected(t, other.fake.url)
    const result = await anHourLater(taken.fake, taken.id)
    assert.equal(result, null, 'the other site does not know the key')
    assert.equal((await here.call('sites.get', { site_id: taken.id })).url, taken.url)
  })
})

test('only the same host is followed, and never away from https', () => {
  const at = (home: string, location: string, url = home) => followed({ url, home }, location)
  assert.equal(at('http://example.com', 'https://example.com/?svc-connector=1'), 'https://example.com')
  assert.equal(at('https://example.com', 'https://www.example.com/?svc-connector=1'), 'https://www.example.com')
  assert.equal(at('https://www.example.com', 'https://example.com/'), 'https://example.com')
  assert.equal(at('http://example.com', 'https://example.com/', 'http://example.com/core'), 'https://example.com/core')
  for (const [home, location] of [
    ['https://example.com', 'http://example.com/'],
    ['https://example.com', 'https://example.org/'],
    ['https://example.com', 'https://shop.example.com/'],
    ['https://example.com', 'https://example.com/wp-login.php'],
    ['https://example.com', 'ftp://example.com/'],
    ['https://example.com', 'http://['],
  ] as const)
    assert.equal(at(home, location), null)
  assert.equal(at('https://example.com', 'https://www.example.com/', 'https://wp.example.com'), null, 'WordPress is on another host')
})
