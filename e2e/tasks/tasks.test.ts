// The 25 tasks that an agency gives to an agent, on 300 sites: right, in few calls, in little room.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { learnOfVulnerabilities } from './past.ts'
import type { Planted } from './place.ts'
import { plant } from './planted.ts'
import { questions } from './questions.ts'
import { meteredTools, type Spent, type Task } from './task.ts'
import { beforeTheFeed, unknowns } from './unknowns.ts'
import { works } from './works.ts'

const bars = { tasks: 25, calls: 2, tokens: 3000, mostTokens: 10_000 }
/** Those that change something come in an order in which none spoils another. */
const inOrder = [...Object.keys(questions), 12, 2, 19, 4, 13, 14, 15, 18, 22, 6, 10, 23].map(Number)

let planted: Planted
const spent = new Map<number, Spent>()
before(async () => {
  planted = await plant()
})
after(() => planted?.close())

async function perform(task: Task): Promise<Spent> {
  await task.before?.(planted)
  const { tools, spent } = meteredTools(await planted.agent(task.task.slice(0, 60)))
  const answer = await task.work(tools, { yesterday: planted.yesterday })
  const found = task.seen ? { ...(answer as object), ...(await task.seen(planted)) } : answer
  assert.deepEqual(found, task.right(planted))
  return spent
}

test(`unknown is the answer: ${beforeTheFeed.task}`, async () => {
  await perform(beforeTheFeed)
  await learnOfVulnerabilities(planted)
})

for (const task of unknowns) test(`unknown is the answer: ${task.task}`, async () => void (await perform(task)))

for (const n of inOrder) {
  const task = questions[n] ?? works[n] ?? assert.fail(`There is no task ${n}.`)
  test(`${n}. ${task.task}`, async (t) => {
    const cost = await perform(task)
    spent.set(n, cost)
    t.diagnostic(`${cost.calls} calls, ${cost.tokens} tokens`)
    assert.ok(cost.tokens <= bars.mostTokens, `${cost.tokens} tokens`)
  })
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

test(`all ${bars.tasks} are right, with ${bars.calls} calls and ${bars.tokens} tokens at most in the middle`, () => {
  assert.equal(spent.size, bars.tasks)
  const all = [...spent.values()]
  assert.ok(median(all.map(({ calls }) => calls)) <= bars.calls, `${median(all.map(({ calls }) => calls))} calls`)
  assert.ok(median(all.map(({ tokens }) => tokens)) <= bars.tokens, `${median(all.map(({ tokens }) => tokens))} tokens`)
})
