import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Dispatcher } from 'undici'
import { exchange } from './exchange.ts'

/** A connection that has the next pieces at hand, and gives them in the moment in which reading goes on, as a full socket does. */
function atOnce(pieces: readonly Buffer[]): Dispatcher {
  const left = [...pieces]
  const dispatch = (_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
    let paused = false
    const give = () => {
      while (!paused && left.length > 0) handler.onResponseData?.(controller, left.shift() ?? Buffer.alloc(0))
      if (!paused && left.length === 0) handler.onResponseEnd?.(controller, {})
    }
    const pause = () => {
      paused = true
    }
    const resume = () => {
      if (!paused) return
      paused = false
      give()
    }
    const controller = { pause, resume, abort() {} } as unknown as Dispatcher.DispatchController
    handler.onRequestStart?.(controller, {})
    handler.onResponseStart?.(controller, 200, {}, 'OK')
    give()
    return true
  }
  return { dispatch } as unknown as Dispatcher
}

for (const bytes of [20, 30_000, 65_536, 200_000])
  test(`pieces of ${bytes} bytes that come while reading goes on are taken once each, in order, and before the answer`, async () => {
    const pieces = Array.from({ length: 40 }, () => randomBytes(bytes))
    const taken: Buffer[] = []
    let taking = 0
    const into = async (piece: Buffer) => {
      assert.equal(taking++, 0)
      await new Promise(setImmediate)
      taken.push(piece)
      taking--
    }
    await exchange(atOnce(pieces), new URL('http://site.example/'), { method: 'GET', timeoutMs: 10_000, maxBytes: 1e8, into })
    assert.deepEqual([taking, taken.length], [0, pieces.length])
    assert.ok(Buffer.concat(taken).equals(Buffer.concat(pieces)))
  })
