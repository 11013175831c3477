import { CompiledQuery, type Kysely, sql } from 'kysely'
import type pg from 'pg'
import { type ConstructorOptions, type Job, PgBoss, type WorkOptions } from 'pg-boss'
import type { Log } from '../kernel/context.ts'
import type { Queue } from '../kernel/job.ts'

const queue = 'jobs'
const dead = 'jobs-dead'
/** A worker that is silent for so long is taken for dead; pg-boss allows no less. */
const heartbeatSeconds = 10
/** A ticket whose worker was killed so often is buried. */
const killsSurvived = 30
/** How often somebody looks for silent workers. */
const superviseSeconds = 2

/** What travels through the queue: where the job's own record is. */
export interface Ticket {
  jobId: string
  workspaceId: string
}

/** What a transaction says that sent a ticket; heard by every process when it commits. */
export const ticketSent = 'svc_tickets'

/** The queue with its working side. Only a killed worker's ticket is tried again; one tried too often goes to `bury`. */
export interface QueueWorker extends Queue {
  /** Takes jobs until `pause`: one at a time for a site, `concurrency` in this process. The signal says that the ticket was lost. */
  work(
    concurrency: number,
    handle: (ticket: Ticket, signal: AbortSignal) => Promise<void>,
    bury: (ticket: Ticket) => Promise<void>,
  ): Promise<void>
  /** A ticket was sent, here or elsewhere. */
  wake(): void
  /** Takes no more; what runs goes on. */
  pause(): Promise<void>
  stop(): Promise<void>
}

/** pg-boss as the queue: it decides when and where a job runs, `jobs` says what became of it. */
export async function openQueue(connection: pg.ClientConfig, log: Log, role: { works: boolean }): Promise<QueueWorker> {
  const boss = new PgBoss({
    ...(connection as Pick<ConstructorOptions, 'host' | 'user' | 'database' | 'connectionString'>),
    application_name: 'service queue',
    // Whoever looks for a job is done within milliseconds; each connection costs the database as much as hundreds of looks.
    max: 3,
    schedule: false,
    supervise: role.works,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue met an error and goes on'))
  await boss.start()
  await createQueues(boss)
  const loops = () => boss.getWipData().filter(({ name }) => name === queue)
  // A loop that has a job looks again as soon as it is done with it.
  const lookAgain = () => {
    for (const { id, count } of loops()) if (count > 0) boss.notifyWorker(id)
  }
  // pg-boss itself would wake all of them for each ticket, and each would ask the database.
  const wake = () => {
    lookAgain()
    const firstIdle = new Map(loops().flatMap(({ workId, id, count }) => (count === 0 ? [[workId, id]] : [])))
    for (const id of firstIdle.values()) boss.notifyWorker(id)
  }

  return {
    ...tickets(boss),
    wake,
    async work(concurrency, handle, bury) {
      const one = async ([job]: Job<Ticket>[]) => {
        if (!job) return
        // Where there was one ticket there may be more: whoever finds one wakes the next.
        wake()
        await handle(job.data, job.signal).finally(lookAgain)
      }
      await boss.work(queue, every(1), one)
      // Soft, so that one workspace leaves room for the others; in each process, so that more workers are more for everybody.
      const localGroupConcurrency = Math.floor(concurrency * 0.75) - 1
      await boss.work(queue, { ...every(10), localConcurrency: concurrency - 1, localGroupConcurrency }, one)
      await boss.work(dead, { pollingIntervalSeconds: 2 }, async ([job]: Job<Ticket>[]) => {
        if (!job) return
        await bury(job.data)
        // Until it is gone, the failed ticket keeps its site's other jobs waiting.
        await boss
          .getDb()
          .executeSql(`DELETE FROM pgboss.job WHERE name = $1 AND state = 'failed' AND data->>'jobId' = $2`, [queue, job.data.jobId])
      })
    },
    async pause() {
      await Promise.all([boss.offWork(queue, { wait: false }), boss.offWork(dead, { wait: false })])
    },
    stop: () => boss.stop({ graceful: true, timeout: 5000, close: true }),
  }
}

/** One loop for each job at a time. One of them looks often for what has become due, the others wait to be told. */
const every = (seconds: number): WorkOptions => ({ batchSize: 1, pollingIntervalSeconds: seconds })

async function createQueues(boss: PgBoss): Promise<void> {
  await boss.createQueue(dead, { retryLimit: 20, retryBackoff: true })
  await boss.createQueue(queue, {
    // A site's jobs go one after another, and a site that is busy does not stand in the way of the others.
    policy: 'key_strict_fifo',
    heartbeatSeconds,
    expireInSeconds: 23 * 3600,
    retryBackoff: true,
    retryDelay: 1,
    retryDelayMax: 60,
    deadLetter: dead,
  })
}

function tickets(boss: PgBoss): Pick<Queue, 'send' | 'drop' | 'holds'> {
  return {
    async send(db, { id, workspaceId, siteId, delaySeconds = 0 }) {
      const ticket: Ticket = { jobId: id, workspaceId }
      const delay = delaySeconds > 0 ? { startAfter: delaySeconds } : {}
      await boss.send(queue, ticket, {
        ...delay,
        singletonKey: siteId ?? id,
        group: { id: workspaceId },
        retryLimit: killsSurvived,
        db: within(db),
      })
      if (delaySeconds === 0) await sql`SELECT pg_notify(${ticketSent}, '')`.execute(db)
    },
    async drop(db, jobId) {
      await sql`DELETE FROM pgboss.job WHERE name = ${queue} AND state < 'active' AND data->>'jobId' = ${jobId}`.execute(db)
    },
    async holds(db, jobIds) {
      const { rows } = await sql<{ id: string }>`SELECT data->>'jobId' AS id FROM pgboss.job
        WHERE ((name = ${queue} AND state <= 'active') OR (name = ${dead} AND state < 'completed')) AND data->>'jobId' = ANY(${jobIds})`.execute(
        db,
      )
      return new Set(rows.map((row) => row.id))
    },
  }
}

/** Lets pg-boss write inside our transaction. */
function within(db: Kysely<unknown>) {
  return {
    async executeSql(text: string, values: unknown[] = []) {
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
      return { rows }
    },
  }
}
