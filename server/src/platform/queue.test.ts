import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { aDatabase } from '../../test/database.ts'
import { clientConfig } from './database.ts'
import { openQueue, type QueueWorker, type Ticket, ticketSent } from './queue.ts'
import { openSignals } from './signals.ts'

const log = { info() {}, warn() {}, error() {} }

test('one workspace has three quarters of each process, so more with more of them, and another begins beside it at once', {
  timeout: 60_000,
}, async () => {
  const database = await aDatabase()
  const running = new Map<string, number>()
  const gate = Promise.withResolvers<void>()
  const handle = async ({ workspaceId }: Ticket) => {
    running.set(workspaceId, (running.get(workspaceId) ?? 0) + 1)
    await gate.promise
  }
  const queues: QueueWorker[] = []
  const signals = await openSignals(clientConfig(database.address), log)
  const join = async () => {
    const queue = await openQueue(clientConfig(database.address), log, { works: true })
    queues.push(queue)
    signals.on(ticketSent, { hear: queue.wake, forget: queue.wake })
    await queue.work(16, handle, async () => undefined)
    return queue
  }
  const send = (workspaceId: string, n: number) =>
    queues[0]?.send(database.db, { id: `job_${workspaceId}_${n}`, workspaceId, siteId: `site_${workspaceId}_${n}` })
  const until = async (workspaceId: string, n: number) => {
    while ((running.get(workspaceId) ?? 0) < n) await sleep(10)
  }
  try {
    await join()
    for (let n = 0; n < 40; n++) await send('a', n)
    await until('a', 12)
    await send('b', 0)
    await until('b', 1)
    assert.equal(running.get('a'), 12)
    await join()
    await until('a', 24)
    await send('b', 1)
    await until('b', 2)
    assert.equal(running.get('a'), 24)
  } finally {
    gate.resolve()
    await Promise.all([signals.close(), ...queues.map((queue) => queue.stop())])
    await database.drop()
  }
})

test('a ticket makes a few of the sixteen loops ask the database, not each of them at each step', async () => {
  const database = await aDatabase()
  const signals = await openSignals(clientConfig(database.address), log)
  const queue = await openQueue(clientConfig(database.address), log, { works: true })
  const done = new Set<string>()
  const asked = mock.method(pg.Client.prototype, 'query')
  const fetches = () => asked.mock.calls.filter(({ arguments: [text] }) => String(text).includes('strict_fifo_heads')).length
  try {
    signals.on(ticketSent, { hear: queue.wake, forget: queue.wake })
    await queue.work(
      16,
      async ({ jobId }) => void done.add(jobId),
      async () => undefined,
    )
    while (fetches() < 16) await sleep(10)
    const woken = mock.method(PgBoss.prototype, 'notifyWorker')
    queue.wake()
    assert.equal(woken.mock.callCount(), 2, 'where none has a job, one that looks often and one of the others')
    woken.mock.restore()
    const before = fetches()
    for (let n = 0; n < 30; n++) {
      await queue.send(database.db, { id: `job_${n}`, workspaceId: `w${n % 3}`, siteId: `site_${n}` })
      while (done.size <= n) await sleep(5)
    }
    const each = (fetches() - before) / 30
    assert.ok(each <= 10, `${each} fetches for a ticket`)
  } finally {
    asked.mock.restore()
    await Promise.all([signals.close(), queue.stop()])
    await database.drop()
  }
})
