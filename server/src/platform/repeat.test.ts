import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../kernel/context.ts'
import { repeat } from './repeat.ts'

test('work is repeated, never twice at once, in spite of failures; closing waits for its end', async (t) => {
  const seen = { begun: 0, atOnce: 0, ended: 0, warned: [] as string[] }
  const log = { warn: (_: object, words: string) => seen.warned.push(words) } as unknown as Log
  const work = async () => {
    if (++seen.begun - seen.ended > 1) seen.atOnce++
    await sleep(25)
    seen.ended++
    if (seen.begun === 1) throw new Error('not this time')
  }
  const repeated = repeat(log, { everyMs: 5, trouble: 'it went wrong' }, work)
  t.after(repeated.close)
  await repeated.pass()
  assert.deepEqual([seen.begun, seen.warned], [1, ['it went wrong']])
  while (seen.begun < 3) await sleep(1)
  await repeated.close()
  assert.deepEqual([seen.begun, seen.ended, seen.atOnce], [3, 3, 0])
  await sleep(20)
  assert.equal(seen.begun, 3, 'nothing begins after it was closed')
})
