import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { JoinedReads } from './joined-reads.ts'

/** Reads that end when the test says so, in the order in which they began. */
function heldReads() {
  const begun: PromiseWithResolvers<string>[] = []
  const reads = new JoinedReads<string>()
  const ask = (question = 'jobs') =>
    reads.ask(question, () => {
      const read = Promise.withResolvers<string>()
      begun.push(read)
      return read.promise
    })
  return { begun, ask }
}
/** Until all that can happen by itself has happened. */
async function rest(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await breathe()
}

test('who asks while the question runs joins the next one, which begins when that has ended and serves all of them', async () => {
  const { begun, ask } = heldReads()
  const first = [ask(), ask()]
  await rest()
  const later = [ask(), ask(), ask()]
  await rest()
  assert.equal(begun.length, 1)
  begun[0]?.resolve('before')
  assert.deepEqual(await Promise.all(first), ['before', 'before'])
  await rest()
  const latest = ask()
  await rest()
  assert.equal(begun.length, 2)
  begun[1]?.resolve('after')
  assert.deepEqual(await Promise.all(later), ['after', 'after', 'after'])
  await rest()
  begun[2]?.resolve('last')
  assert.deepEqual([await latest, begun.length], ['last', 3])
})

test('who asks in the turn of the event loop in which a question ends joins the one that waited for it', async () => {
  const { begun, ask } = heldReads()
  const first = ask()
  await rest()
  const later = ask()
  begun[0]?.resolve('before')
  await first
  const latest = ask()
  await rest()
  assert.equal(begun.length, 2)
  begun[1]?.resolve('after')
  await rest()
  begun[2]?.resolve('asked once more')
  assert.deepEqual(await Promise.all([later, latest]), ['after', 'after'])
})

test('a question that fails does so for those who joined it, and for nobody else', async () => {
  const { begun, ask } = heldReads()
  const first = [ask(), ask()]
  await rest()
  const later = ask()
  begun[0]?.reject(new Error('away'))
  for (const one of first) await assert.rejects(one, { message: 'away' })
  await rest()
  begun[1]?.resolve('back')
  assert.equal(await later, 'back')
})

test('different questions do not wait for each other, and one that nobody waits for is not remembered', async () => {
  const { begun, ask } = heldReads()
  const asked = [ask('a'), ask('b')]
  await rest()
  assert.equal(begun.length, 2)
  for (const [i, read] of begun.entries()) read.resolve(String(i))
  assert.deepEqual(await Promise.all(asked), ['0', '1'])
  const again = ask('a')
  await rest()
  begun[2]?.resolve('2')
  assert.equal(await again, '2')
})
