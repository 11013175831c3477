import { CompiledQuery, type Kysely } from 'kysely'
import type pg from 'pg'
import { type ConstructorOptions, type Job, PgBoss } from 'pg-boss'
import type { Log } from '../kernel/context.ts'
import type { Queue } from '../kernel/job.ts'

const queue = 'site-work'
const dead = 'site-work-dead'
const heartbeatSeconds = 10

/** What travels through the queue: where the job's own record is. */
export interface Ticket {
  jobId: string
  workspaceId: string
}

/** The queue with its working side. What `handle` throws is tried again; what was tried too often goes to `bury`. */
export interface QueueWorker extends Queue {
  /** Takes jobs until `stop`: one at a time for a site, `concurrency` in this process. */
  work(
    concurrency: number,
    handle: (ticket: Ticket, signal: AbortSignal) => Promise<void>,
    bury: (ticket: Ticket) => Promise<void>,
  ): Promise<void>
  stop(): Promise<void>
}

/** pg-boss as the queue: it decides when and where a job runs, `jobs` says what became of it. */
export async function openQueue(connection: pg.ClientConfig, log: Log, role: { works: boolean }): Promise<QueueWorker> {
  const boss = new PgBoss({
    ...(connection as Pick<ConstructorOptions, 'host' | 'user' | 'database' | 'connectionString'>),
    application_name: 'service queue',
    max: 6,
    schedule: false,
    supervise: role.works,
    monitorIntervalSeconds: 5,
    useListenNotify: true,
    notifyHeartbeatIntervalMs: 5000,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue met an error and goes on'))
  await boss.start()
  await boss.createQueue(dead, { retryLimit: 20, retryBackoff: true })
  await boss.createQueue(queue, {
    policy: 'singleton',
    heartbeatSeconds,
    expireInSeconds: 23 * 3600,
    retryBackoff: true,
    retryDelay: 1,
    retryDelayMax: 60,
    notify: true,
    deadLetter: dead,
  })
  let workers: string[] = []

  return {
    async send(db, { id, workspaceId, siteId, retries }) {
      const ticket: Ticket = { jobId: id, workspaceId }
      const options = { singletonKey: siteId ?? id, group: { id: workspaceId }, retryLimit: retries, db: within(db) }
      await boss.send(queue, ticket, options)
    },
    nudge() {
      for (const worker of workers) boss.notifyWorker(worker)
    },
    async work(concurrency, handle, bury) {
      const options = { batchSize: 1, localConcurrency: concurrency, groupConcurrency: concurrency, pollingIntervalSeconds: 1 } as const
      const id = await boss.work(queue, options, async ([job]: Job<Ticket>[]) => {
        if (!job) return
        try {
          await handle(job.data, job.signal)
        } finally {
          for (const worker of workers) boss.notifyWorker(worker)
        }
      })
      workers = [id]
      await boss.work(dead, { pollingIntervalSeconds: 5 }, async ([job]: Job<Ticket>[]) => job && bury(job.data))
    },
    stop: () => boss.stop({ graceful: true, timeout: 5000, close: true }),
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
