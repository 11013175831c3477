import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { openTurns as open } from './turns.ts'

const soon = () => new Promise((resolve) => setImmediate(resolve))
const refused = { code: 'rate_limited', retryAfter: 5 }
/** Also a turn that there is at once comes as a promise. */
const openTurns = (...how: Parameters<typeof open>) => {
  const turn = open(...how)
  return async (...asked: Parameters<typeof turn>) => turn(...asked)
}

test('so many calls of a workspace run, so many wait in their order, and no more', async () => {
  const turn = openTurns({ work: 2, wait: 1, download: 1 }, 2)
  const begun: number[] = []
  const take = (n: number) =>
    turn('ws_1', 'work').then((giveBack) => {
      begun.push(n)
      return giveBack
    })
  const [first, second, third, fourth] = [take(1), take(2), take(3), take(4)]
  await assert.rejects(take(5), refused)
  assert.deepEqual(begun, [1, 2])
  ;(await first)()
  await third
  assert.deepEqual(begun, [1, 2, 3])
  ;(await first)()
  await soon()
  assert.deepEqual(begun, [1, 2, 3], 'a turn is given back once')
  ;(await second)()
  await fourth
  assert.deepEqual(begun, [1, 2, 3, 4])
})

test('another workspace, and calls that wait, have turns of their own', async () => {
  const turn = openTurns({ work: 1, wait: 1, download: 1 }, 0)
  await Promise.all([turn('ws_1', 'work'), turn('ws_1', 'wait'), turn('ws_1', 'download'), turn('ws_2', 'work')])
  for (const kind of ['work', 'wait', 'download'] as const) await assert.rejects(turn('ws_1', kind), refused)
})

test('who waits too long is refused, and who hung up leaves the queue to others', async () => {
  const turn = openTurns({ work: 1, wait: 1, download: 1 }, 1, { work: 20, wait: 20, download: 20 })
  const giveBack = await turn('ws_1', 'work')
  await assert.rejects(turn('ws_1', 'work'), refused)
  const patient = openTurns({ work: 1, wait: 1, download: 1 }, 1)
  const held = await patient('ws_1', 'work')
  const hungUp = new AbortController()
  const gone = patient('ws_1', 'work', hungUp.signal)
  hungUp.abort()
  await assert.rejects(gone, refused)
  const next = patient('ws_1', 'work')
  held()
  ;(await next)()
  giveBack()
  ;(await turn('ws_1', 'work'))()
})

describe('beside another workspace', () => {
  let now: number
  let turn: ReturnType<typeof openTurns>
  let begun: number
  const take = async (workspaceId = 'ws_1') => {
    const giveBack = await turn(workspaceId, 'work')
    begun++
    return giveBack
  }
  /** Each call that comes has the line looked at anew. */
  const nobodyBeginsAt = async (ms: number) => {
    const before = begun
    now = ms
    const one = take()
    await soon()
    assert.equal(begun, before)
    return one
  }
  beforeEach(async () => {
    now = 0
    turn = openTurns({ work: 10, wait: 10, download: 1 }, 100, { work: 60_000, wait: 60_000, download: 1 }, () => now)
    ;(await take('ws_2'))()
    begun = 0
  })

  test('calls of one follow each other, and while more wait it rests as long as it worked', async () => {
    const giveBack = await take()
    const waiting = [nobodyBeginsAt(10), nobodyBeginsAt(40)]
    await soon()
    giveBack()
    waiting.push(nobodyBeginsAt(79))
    await soon()
    now = 80
    for (const each of waiting) {
      const next = await each
      now += 40
      next()
      now += 40
    }
    ;(await take())()
    ;(await take())()
    assert.equal(begun, 6, 'without others that wait there is no rest')
  })

  test('a call that is not quick holds up no other of its workspace', async () => {
    await take()
    const waiting = [nobodyBeginsAt(50), nobodyBeginsAt(99)]
    await soon()
    now = 100
    await waiting[0]
    assert.equal(begun, 2)
    now = 200
    await waiting[1]
  })

  test('calls that may wait and are answered at once follow each other too; one that waits holds up no other', async () => {
    const wait = async () => {
      const giveBack = await turn('ws_1', 'wait')
      begun++
      return giveBack
    }
    await wait()
    const waiting = wait()
    now = 24
    const later = wait()
    await soon()
    assert.equal(begun, 1)
    now = 25
    await waiting
    assert.equal(begun, 2)
    now = 50
    await later
  })

  test('when one would have begun that began earlier, nobody slips in beside a call that came since', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const first = await take()
    const second = take()
    first()
    ;(await second)()
    await take()
    t.mock.timers.tick(100)
    void take()
    await soon()
    assert.equal(begun, 3)
  })

  test('the other has its turns meanwhile, and a workspace that is alone has all of them', async () => {
    await take()
    const waiting = nobodyBeginsAt(10)
    await soon()
    ;(await take('ws_2'))()
    now = 1010
    await Promise.all([waiting, take(), take(), take()])
  })
})
