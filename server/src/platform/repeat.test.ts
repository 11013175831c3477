import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from '../../test/until.ts'
import type { Log } from '../kernel/context.ts'
import { repeat } from './repeat.ts'

test('work is repeated, never twice at once, in spite of failures; closing waits for its end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const seen = { begun: 0, warned: [] as string[] }
  const log = { warn: (_: object, words: string) => seen.warned.push(words) } as unknown as Log
  let at = Promise.withResolvers<void>()
  const work = () => {
    seen.begun++
    at = Promise.withResolvers()
    return at.promise
  }
  const repeated = repeat(log, { everyMs: 5, trouble: 'it went wrong' }, work)
  const first = repeated.pass()
  t.mock.timers.tick(50)
  assert.equal(seen.begun, 1, 'ten intervals, and it is still at work')
  at.reject(new Error('not this time'))
  await first
  assert.deepEqual(seen.warned, ['it went wrong'])
  t.mock.timers.tick(5)
  assert.equal(seen.begun, 2)
  const closed = repeated.close()
  assert.equal(await Promise.race([closed, settle().then(() => 'it waits')]), 'it waits')
  at.resolve()
  await closed
  t.mock.timers.tick(50)
  assert.equal(seen.begun, 2, 'nothing begins after it was closed')
})
