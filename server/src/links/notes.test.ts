import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { Notes } from './notes.ts'
import type { Met } from './scan-store.ts'

test('what two workers write down at the same time is written one after the other: what is newer stays', async () => {
  const notes = new Notes([], 10)
  const url = 'https://garden.example/'
  notes.add({ url, element: 'a[href]', text: '' }, null, false)
  const written: (boolean | undefined)[] = []
  const begun: (() => void)[] = []
  const save = async ([met]: readonly Met[]) => {
    const isDone = met?.isDone
    await new Promise<void>((end) => void begun.push(end))
    written.push(isDone)
  }
  const first = notes.flush(save)
  await soon()
  notes.passOver(url, 'robots')
  const second = notes.flush(save)
  await soon()
  assert.equal(begun.length, 1, 'the second waits')
  begun[0]?.()
  await first
  await soon()
  begun[1]?.()
  await second
  assert.deepEqual(written, [false, true])
})

test('what could not be written down is put back, and holds up nothing', async () => {
  const notes = new Notes([], 10)
  notes.add({ url: 'https://garden.example/', element: 'a[href]', text: '' }, null, false)
  await assert.rejects(
    notes.flush(() => Promise.reject(new Error('no database'))),
    /no database/,
  )
  const written: number[] = []
  await notes.flush(async (batch) => void written.push(batch.length))
  assert.deepEqual(written, [1])
})
