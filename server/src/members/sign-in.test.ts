import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { aBrowser, aPerson, goodPassword } from '../../test/person.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { inTurn } from './guesses.ts'
import { whole } from './second-step.ts'
import type { Seat } from './sessions.ts'
import { offerRecovery, recover, signIn } from './sign-in.ts'

const minute = 60_000

describe('signing in', () => {
  let here: TestWorld
  before(async () => {
    here = await aWorld()
    await aPerson(here, 'ann@example.com', 'owner')
  })
  after(() => here.close())
  beforeEach(() => here.clock.add(2 * minute))

  const seat = (n = 0, device?: string): Seat => ({ address: `198.51.${n >> 8}.${n & 255}`, agent: 'a test', device })
  /** However long a busy machine takes, it is one moment until somebody moves the clock. */
  const still = () => {
    const at = here.world.now()
    return { ...here.world, now: () => at }
  }
  const guess = (email: string, password = 'not the right one', from = seat(), world: typeof here.world = here.world) =>
    signIn(world, { email, password }, from).then(
      () => 'in',
      ({ code, message }: { code: string; message: string }) => `${code}: ${message.replace(/\d+/, 'N')}`,
    )

  test('two thousand guesses from five hundred networks compute at most twenty hashes a minute, and the owner gets in meanwhile', async () => {
    const known = whole(await signIn(here.world, { email: 'ann@example.com', password: goodPassword }, seat(700)))
    here.clock.add(2 * minute)
    const world = still()
    const tried = () =>
      sql<{
        n: number
      }>`SELECT coalesce(sum(cardinality(uses)), 0)::int AS n FROM guesses WHERE at > ${new Date(world.now().getTime() - minute)}`
    const answers: string[] = []
    for (let n = 0; n < 2000; n += 100)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: 100 }, (_, i) => guess('ann@example.com', `guess ${n + i}`, seat((n + i) % 500), world)),
        )),
      )
    // A busy machine puts some of them off before their hash is computed.
    const counted = answers.filter((answer) => !answer.startsWith('rate_limited'))
    for (const answer of counted) assert.match(answer, /^(unauthenticated|unavailable): /)
    assert.equal(counted.length, 10)
    assert.equal((await tried().execute(here.world.db)).rows[0]?.n, 10)
    assert.match(
      await guess('ann@example.com', goodPassword, seat(9), world),
      /^rate_limited/,
      'a stranger’s browser waits, even with the right one',
    )
    assert.equal(await guess('ann@example.com', goodPassword, seat(501, known.device)), 'in', 'the owner’s browser, in another network')
    assert.equal(await guess('ann@example.com', goodPassword, seat(700)), 'in', 'a new browser, in a network the owner came from before')
    here.clock.add(minute)
    assert.equal(await guess('ann@example.com', goodPassword, seat(9)), 'in')
  })

  test('two hashes are computed at a time and fifty wait; one more is told to come again', async () => {
    const done = Promise.withResolvers<void>()
    let [working, most] = [0, 0]
    const compute = async () => {
      working++
      most = Math.max(most, working)
      await done.promise
      working--
    }
    const asked = Array.from({ length: 60 }, () =>
      inTurn(compute).then(
        () => 'computed',
        ({ code }: { code: string }) => code,
      ),
    )
    assert.equal(await Promise.race(asked.slice(52)), 'unavailable')
    done.resolve()
    const answers = await Promise.all(asked)
    assert.deepEqual(answers.slice(52), Array(8).fill('unavailable'))
    assert.equal(most, 2)
  })

  test('a browser that is known for one person helps with no other, and one that was made up with none', async () => {
    await aPerson(here, 'ben@example.com', 'member')
    const { device } = whole(await signIn(here.world, { email: 'ben@example.com', password: goodPassword }, seat()))
    const world = still()
    for (let n = 0; n < 10; n++) await guess('ann@example.com', undefined, undefined, world)
    for (const each of [device, 'A'.repeat(43)])
      assert.match(await guess('ann@example.com', goodPassword, seat(1, each), world), /^rate_limited/)
    for (let n = 0; n < 5; n++) assert.match(await guess('ben@example.com', 'no', seat(1, device), world), /^unauthenticated/)
    assert.match(
      await guess('ben@example.com', goodPassword, seat(1, device), world),
      /^rate_limited/,
      'whoever has the browser guesses no more',
    )
  })

  test('an account that does not exist answers in the same words, costs the same hash and has the same limit', async () => {
    const [there, nowhere] = [[], []] as [string[], string[]]
    const world = still()
    for (let n = 0; n < 12; n++) {
      there.push(await guess('ann@example.com', undefined, undefined, world))
      nowhere.push(await guess('nobody@example.com', undefined, undefined, world))
    }
    assert.deepEqual(there, nowhere)
    assert.match(there[11] ?? '', /^rate_limited/)
  })

  test('a refused sign-in stands in the record of each workspace of the person', async () => {
    const id = await aPerson(here, 'cy@example.com', 'viewer')
    await guess('cy@example.com')
    await here.audited()
    const { rows } = await sql`SELECT operation, outcome FROM audit WHERE caller_id = ${id} AND workspace_id = ${here.workspaceId}`.execute(
      here.world.db,
    )
    assert.deepEqual(rows, [{ operation: 'session.begin', outcome: 'unauthenticated' }])
  })

  test('the operator’s link lets a person choose a new password once, within an hour, and ends every session they had', async () => {
    await aPerson(here, 'dee@example.com', 'member')
    const before = aBrowser(here)
    await before.signIn('dee@example.com')
    const [older, { secret, email }] = [
      await offerRecovery(here.world, 'dee@example.com'),
      await offerRecovery(here.world, 'DEE@example.com'),
    ]
    assert.equal(email, 'dee@example.com')
    const browser = aBrowser(here)
    const see = (key: string) => browser.send('POST', '/session/recovery', { key })
    assert.deepEqual((await see(secret)).json, { email: 'dee@example.com' })
    assert.equal((await see('x')).status, 404)
    assert.equal((await browser.send('POST', '/session/recover', { key: secret, password: 'short' })).status, 400)
    // Two hash at a time: on a busy machine the others may be told to come again, and do.
    const choose = (): Promise<string> =>
      recover(here.world, secret, 'brand new horse', seat()).then(
        () => 'in',
        ({ code }) => (code === 'unavailable' ? choose() : code),
      )
    const answers = await Promise.all(Array.from({ length: 4 }, choose))
    assert.deepEqual(answers.sort(), ['in', 'not_found', 'not_found', 'not_found'])
    assert.equal((await before.send('GET', '/api/v1/sites')).status, 401)
    assert.equal((await see(older.secret)).status, 404, 'the older link is closed as well')
    assert.match(await guess('dee@example.com', goodPassword), /^unauthenticated/)
    assert.equal(await guess('dee@example.com', 'brand new horse'), 'in')
    const late = await offerRecovery(here.world, 'dee@example.com')
    here.clock.add(61 * minute)
    assert.equal((await see(late.secret)).status, 404)
    await assert.rejects(offerRecovery(here.world, 'nobody@example.com'), { code: 'not_found' })
  })
})
