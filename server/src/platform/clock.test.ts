import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aDatabase } from '../../test/database.ts'
import type { Duty } from '../kernel/capability.ts'
import { openClock, perform } from './clock.ts'
import { retentionDuty } from './retention.ts'

const hourMs = 3_600_000

/** What the clock needs of a world, on a database of its own with two workspaces. */
async function aGround() {
  const { db, pool, drop } = await aDatabase()
  for (const id of ['ws_1', 'ws_2']) await pool.query(`INSERT INTO workspaces (id, name, sealed_key) VALUES ($1, $1, '')`, [id])
  let at = Date.parse('2030-01-01T00:00:00Z')
  const warned: string[] = []
  const note = (_facts: object, words: string) => void warned.push(words)
  const stopping = new AbortController()
  const world = { db, now: () => new Date(at), log: { info() {}, warn: note, error: note }, changed() {}, stopping: stopping.signal }
  return { world, pool, drop, warned, stop: () => stopping.abort(), pass: (ms: number) => (at += ms) }
}
type Ground = Awaited<ReturnType<typeof aGround>>['world']

describe('the clock', () => {
  test('a duty that lasts holds no other up, and closing waits for it', async () => {
    const { world, drop } = await aGround()
    const long = Promise.withResolvers<void>()
    const often = Promise.withResolvers<void>()
    let passes = 0
    let over = false
    const duties: Duty<Ground>[] = [
      {
        name: 'long',
        everyMs: 5,
        async run() {
          await long.promise
          over = true
        },
      },
      { name: 'short', everyMs: 5, run: async () => void (++passes === 3 && often.resolve()) },
    ]
    const clock = openClock(world, duties)
    await often.promise
    assert.equal(over, false)
    const closed = clock.close()
    long.resolve()
    await closed
    assert.equal(over, true)
    await drop()
  })

  test('a workspace is looked after once a day by one process, and by another when that was killed', async () => {
    const { world, drop, pass, stop, warned } = await aGround()
    const seen: string[] = []
    const duty: Duty<Ground> = {
      name: 'chore',
      async ofWorkspace(_world, workspaceId) {
        seen.push(workspaceId)
        return {}
      },
    }
    await perform(world, duty)
    assert.deepEqual(seen, [], 'first comes its place in the day')
    pass(24 * hourMs)
    await Promise.all([perform(world, duty), perform(world, duty)])
    await perform(world, duty)
    assert.deepEqual(seen.toSorted(), ['ws_1', 'ws_2'])
    pass(24 * hourMs)
    const killed = perform(world, { name: 'chore', ofWorkspace: () => Promise.reject(stop()) })
    await killed
    assert.deepEqual(warned, [])
    await perform({ ...world, stopping: new AbortController().signal }, duty)
    assert.equal(seen.length, 4)
    await drop()
  })

  test('rows whose time is over are let go, however many; the others stay', async () => {
    const { world, pool, drop, pass } = await aGround()
    await pool.query(`CREATE TABLE notes (at timestamptz NOT NULL)`)
    await pool.query(
      `INSERT INTO notes SELECT '2030-01-01T00:00:00Z'::timestamptz + n * interval '1 minute' FROM generate_series(0, 2499) n`,
    )
    const rows = async () => (await pool.query('SELECT 1 FROM notes')).rowCount
    const duty = retentionDuty<Ground>([{ table: 'notes', at: 'at', days: 7 }])
    await perform(world, duty)
    assert.equal(await rows(), 2500)
    pass(7 * 24 * hourMs + 2490 * 60_000)
    await perform(world, duty)
    assert.equal(await rows(), 10)
    await drop()
  })
})
