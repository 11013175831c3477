import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { JoinedReads } from './joined-reads.ts'

/** Reads that end when the test says so, in the order in which they began, and so do their rests. */
function heldReads() {
  const begun: PromiseWithResolvers<string>[] = []
  const rests: PromiseWithResolvers<void>[] = []
  const reads = new JoinedReads<string>(() => {
    const resting = Promise.withResolvers<void>()
    rests.push(resting)
    return resting.promise
  })
  const ask = (question = 'jobs') =>
    reads.ask(question, () => {
      const read = Promise.withResolvers<string>()
      begun.push(read)
      return read.promise
    })
  return { begun, rests, reads, ask }
}
/** Until all that can happen by itself has happened. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await breathe()
}

test('who asks while the question runs joins the next one, which begins when that has ended and serves all of them', async () => {
  const { begun, rests, ask } = heldReads()
  const first = [ask(), ask()]
  await settled()
  const later = [ask(), ask(), ask()]
  await settled()
  assert.equal(begun.length, 1)
  begun[0]?.resolve('before')
  assert.deepEqual(await Promise.all(first), ['before', 'before'])
  rests[0]?.resolve()
  await settled()
  const latest = ask()
  await settled()
  assert.equal(begun.length, 2)
  begun[1]?.resolve('after')
  assert.deepEqual(await Promise.all(later), ['after', 'after', 'after'])
  rests[1]?.resolve()
  await settled()
  begun[2]?.resolve('last')
  assert.deepEqual([await latest, begun.length], ['last', 3])
})

test('who asks in the turn of the event loop in which a question ends joins the one that waited for it', async () => {
  const { begun, ask } = heldReads()
  const first = ask()
  await settled()
  const later = ask()
  begun[0]?.resolve('before')
  await first
  for (let microtasks = 0; microtasks < 20; microtasks++) await Promise.resolve()
  const latest = ask()
  await settled()
  assert.equal(begun.length, 2)
  begun[1]?.resolve('after')
  await settled()
  begun[2]?.resolve('asked once more')
  assert.deepEqual(await Promise.all([later, latest]), ['after', 'after'])
})

test('after a question that served several the next one rests until they have come back, and serves them together', async () => {
  const { begun, rests, ask } = heldReads()
  const first = [ask(), ask()]
  await settled()
  begun[0]?.resolve('before')
  await Promise.all(first)
  const one = ask()
  await settled()
  const other = ask()
  await settled()
  assert.deepEqual([begun.length, rests.length], [1, 1])
  rests[0]?.resolve()
  await settled()
  begun[1]?.resolve('after')
  assert.deepEqual(await Promise.all([one, other]), ['after', 'after'])
})

test('who asks alone never rests', async () => {
  const { begun, rests, ask } = heldReads()
  for (const answer of ['first', 'second']) {
    const asked = ask()
    await settled()
    begun.at(-1)?.resolve(answer)
    assert.equal(await asked, answer)
    await settled()
  }
  assert.deepEqual([begun.length, rests.length], [2, 0])
})

test('a question that fails does so for those who joined it, and for nobody else', async () => {
  const { begun, rests, reads, ask } = heldReads()
  const first = [ask(), ask()]
  await settled()
  const later = ask()
  begun[0]?.reject(new Error('away'))
  for (const one of first) await assert.rejects(one, { message: 'away' })
  rests[0]?.resolve()
  await settled()
  begun[1]?.resolve('back')
  assert.equal(await later, 'back')
  await settled()
  const broken = reads.ask('jobs', () => {
    throw new Error('not even begun')
  })
  await assert.rejects(broken, { message: 'not even begun' })
  await settled()
  assert.equal(reads.size, 0)
})

test('different questions do not wait for each other, and one that nobody waits for is not remembered', async () => {
  const { begun, reads, ask } = heldReads()
  const asked = [ask('a'), ask('b')]
  await settled()
  assert.equal(begun.length, 2)
  for (const [i, read] of begun.entries()) read.resolve(String(i))
  assert.deepEqual(await Promise.all(asked), ['0', '1'])
  await settled()
  assert.equal(reads.size, 0)
  const again = ask('a')
  await settled()
  begun[2]?.resolve('2')
  assert.equal(await again, '2')
})
