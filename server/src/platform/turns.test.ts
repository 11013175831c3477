import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTurns } from './turns.ts'

const soon = () => new Promise((resolve) => setImmediate(resolve))
const refused = { code: 'rate_limited', retryAfter: 5 }

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
