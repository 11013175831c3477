import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { aWorld, type RestAnswer, type TestWorld } from '../../test/world.ts'
import { clientConfig } from '../platform/database.ts'

/** Whether a promise has come true. */
function ending(promise: Promise<unknown>): { isOver: boolean } {
  const told = { isOver: false }
  void promise.then(() => {
    told.isOver = true
  })
  return told
}

/** What is held here ends when the test says so: whoever is served meanwhile did not wait for it. */
describe('one workspace beside another', () => {
  let here: TestWorld
  let locker: pg.Client
  let greedy: { token: string; site: string }
  let quiet: { token: string; site: string }
  let other: string
  before(async () => {
    here = await aWorld({ SERVICE_LIVE_LOOK_SECONDS: '0' })
    locker = new pg.Client(clientConfig(here.address))
    await locker.connect()
    greedy = { token: (await here.token('write')).token, site: (await here.site()).id }
    other = await here.workspace('Quiet')
    quiet = { token: (await here.token('write', { workspaceId: other })).token, site: (await here.site(other)).id }
  })
  after(async () => {
    await locker.end()
    await here.close()
  })

  const ask = ({ token }: { token: string }, method: string, path: string, body?: object) =>
    here.rest(method, `/api/v1${path}`, { token, ...(body && { body }) })
  const hundred = (one: () => Promise<RestAnswer>) => Array.from({ length: 100 }, one)
  const held = async () => {
    // A transaction sees the sessions there were when it first asked.
    await locker.query('SELECT pg_stat_clear_snapshot()')
    const { rows } = await locker.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return Number(rows[0].n)
  }
  /** The most that wait for what `locker` holds: until no more come, or the first have been told that they wait too long. */
  async function allHeld(slow: Promise<RestAnswer>[]): Promise<number> {
    const [first, all] = [Promise.race(slow), Promise.all(slow)].map(ending)
    for (let [most, last, same] = [0, 0, 0]; ; await sleep(1)) {
      // Between two looks somebody is served who asked later than all of these.
      await here.rest('GET', '/healthz')
      const now = await held()
      most = Math.max(most, now)
      same = now > 0 && now === last ? same + 1 : 0
      // Who is turned away at once is told before anybody waits.
      if (same === 20 || (first?.isOver && most > 0) || all?.isOver) return most
      last = now
    }
  }
  async function everybodyElseIsServed(): Promise<void> {
    assert.equal((await ask(quiet, 'GET', '/jobs')).status, 200)
    assert.equal((await ask(quiet, 'GET', `/sites/${quiet.site}/backups`)).status, 200)
    assert.equal((await ask(quiet, 'POST', '/schedule', { enabled: true })).status, 200)
    assert.equal((await ask(await here.token('read', { workspaceId: other }), 'GET', '/sites')).status, 200, 'a token nobody has seen')
    here.clock.add(3000) // past the answer that is kept
    assert.equal((await here.rest('GET', '/readyz')).status, 200)
  }

  for (const [what, method, body] of [
    ['reads', 'GET', undefined],
    ['writes', 'POST', { summary: 'Swept the path' }],
  ] as const)
    test(`a hundred slow ${what} of one leave the other its reads, its writes and readiness`, async () => {
      await locker.query('BEGIN; LOCK TABLE activity IN ACCESS EXCLUSIVE MODE')
      const slow = hundred(() => ask(greedy, method, `/sites/${greedy.site}/activity`, body))
      try {
        const most = await allHeld(slow)
        await everybodyElseIsServed()
        assert.ok(most > 0 && most <= 4 && (await held()) <= 4, `${most} connections were held`)
      } finally {
        await locker.query('ROLLBACK')
      }
      const statuses = (await Promise.all(slow)).map(({ status }) => status)
      const [done] = [method === 'GET' ? 200 : 201]
      assert.ok(statuses.includes(done) && statuses.every((status) => [done, 429].includes(status)), `${new Set(statuses)}`)
    })

  test('strangers who wait for the database leave those with a token theirs', async () => {
    await locker.query('BEGIN; LOCK TABLE installation IN ACCESS EXCLUSIVE MODE')
    const slow = Array.from({ length: 30 }, () => here.rest('GET', '/setup?key=x'))
    try {
      const most = await allHeld(slow)
      await everybodyElseIsServed()
      assert.ok(most > 0 && most <= 5, `${most} connections were held`)
    } finally {
      await locker.query('ROLLBACK')
    }
    await Promise.all(slow)
  })

  test('jobs that use up their connections leave calls, new tokens, sites and readiness theirs', async () => {
    const end = Promise.withResolvers<void>()
    let begun = 0
    const jobs = Array.from({ length: 20 }, () =>
      here.world.db.transaction().execute(async (db) => {
        await sql`SELECT 1`.execute(db)
        begun++
        await end.promise
      }),
    )
    while (begun < jobs.length) await sleep(10)
    try {
      await everybodyElseIsServed()
      assert.equal((await here.rest('POST', '/connector/v1/notice', { headers: { 'svc-site': greedy.site }, body: '{}' })).status, 401)
    } finally {
      end.resolve()
    }
    await Promise.all(jobs)
  })

  test('a hundred calls that wait for a slow site leave the other its own site, on the same address', async () => {
    const { id, fake } = await here.site()
    fake.misbehave('stall')
    const before = fake.requests.length
    const slow = hundred(() => ask(greedy, 'GET', `/sites/${id}/inventory`))
    while (fake.requests.length < before + 4) await sleep(10)
    const answer = await ask(quiet, 'GET', `/sites/${quiet.site}/inventory`)
    assert.equal(answer.status, 200)
    assert.equal((answer.json as unknown as { live: boolean }).live, true)
    await everybodyElseIsServed()
    assert.equal((await ask(greedy, 'GET', '/jobs')).status, 200, 'nor do they stand in the way of its own')
    assert.equal(fake.requests.length, before + 4, 'and the site is not asked more than before')
    await fake.stop()
    await Promise.all(slow)
  })
})
