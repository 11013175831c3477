import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { logOverdrawn } from './activity/overdrawn.ts'
import { ask } from './approvals/ask.ts'
import { duties, followed, jobKinds, operationsByName, recurring, siteSummary } from './capabilities.ts'
import type { Config } from './config.ts'
import { createServer } from './http/server.ts'
import { buryJob, runJob } from './jobs/worker.ts'
import type { Log } from './kernel/context.ts'
import { openAudit } from './platform/audit.ts'
import { openChanges } from './platform/changes.ts'
import { openClock } from './platform/clock.ts'
import { checkServer, clientConfig, connectPool } from './platform/database.ts'
import { createGuardedFetch, type GuardedRequest } from './platform/guarded-fetch.ts'
import { openMasterKey, openStorage } from './platform/installation.ts'
import type { Resolve } from './platform/lookups.ts'
import { migrate } from './platform/migrate.ts'
import type { DatabaseAddress } from './platform/open-database.ts'
import { openPools } from './platform/pools.ts'
import { openQueue, ticketSent } from './platform/queue.ts'
import { openSignals, type SignalTimes } from './platform/signals.ts'
import { openTurns } from './platform/turns.ts'
import { openFleet } from './sites/fleet.ts'
import { seenBy } from './sites/seen.ts'
import { type Identify, openKnownTokens } from './tokens/known.ts'
import type { World } from './world.ts'

const migrations = join(import.meta.dirname, '../migrations')
/** Jobs that one process works on at the same time; most of it is waiting for sites. */
const jobsAtOnce = 16
/** How long a stop waits for requests, its own to others too; with 5 s for the jobs to end it stays below the 10 s a drain may take. */
const patienceMs = 2500

/** Of those who watch sites: most of their requests wait, and a server that is down keeps each of them for seconds. */
const watchLimits = { perAddress: 32, perParty: 512, together: 64, inAll: 1024 }

export interface Service {
  world: World
  identify: Identify
  /** Absent where this process only works. */
  server: FastifyInstance | undefined
  /** Stops taking work, lets what runs reach a safe point, closes everything. */
  close(): Promise<void>
}

export interface Parts {
  config: Config
  log: Log
  address: DatabaseAddress
  now(): Date
  /** Absent: as often as is usual. A test that moves the time does what is due itself. */
  turnsEveryMs?: number
  /** Absent: the usual ones. */
  signalTimes?: SignalTimes
  /** Absent: as this machine finds names. */
  resolve?: Resolve
  /** Names of duties that are not done by themselves: of a test that does them when it wants. */
  withoutDuties?: string[]
}

/** Brings the database up to date. */
export async function prepareDatabase({ address, log }: Pick<Parts, 'address' | 'log'>): Promise<string[]> {
  // A migration takes as long as it takes.
  const pool = connectPool(address, poolLog(log), { query_timeout: 0 })
  try {
    await checkServer(pool)
    return await migrate(pool, migrations)
  } finally {
    await pool.end()
  }
}

/** Builds the world once and starts what the role asks for; it does not listen yet. */
export async function openService(parts: Parts): Promise<Service> {
  const { config, log, address, now } = parts
  await prepareDatabase(parts)
  const serves = config.role !== 'work'
  const works = config.role !== 'serve'
  const pools = openPools(address, poolLog(log))
  const db = pools.work
  const [masterKey, signals, queue, storage] = await Promise.all([
    openMasterKey(db, config),
    openSignals(clientConfig(address), log, parts.signalTimes),
    openQueue(clientConfig(address), log, { works }),
    openStorage(config),
  ])
  const fleet = openFleet(pools.fleet, signals, siteSummary)
  const changes = openChanges(signals)
  const tokens = openKnownTokens(pools.door, signals, now, log)
  const audit = openAudit(db, now, log)
  const stopping = new AbortController()
  const givenUp = new AbortController()
  const way = { allowPrivate: config.allowPrivateSites, givenUp: givenUp.signal }
  const outbound = createGuardedFetch({ ...way, ...(parts.resolve && { resolve: parts.resolve }) })
  const watching = createGuardedFetch({ ...way, limits: watchLimits })
  const wireOf = (party: string) => ({ fetch: (request: GuardedRequest) => outbound.fetch({ ...request, party }), now })
  const world: World = {
    config,
    db,
    log,
    now,
    queue,
    storage,
    fleet,
    operations: operationsByName,
    changes,
    jobKinds,
    followed,
    recurring,
    masterKey,
    audit: audit.audit,
    budgets: config.budgets,
    overdrawn: (caller, budget) => logOverdrawn(world, caller, budget),
    ask: (asked) => ask(world, asked),
    seenBy: (caller): Partial<World> => seenBy(fleet, caller),
    wire: { fetch: outbound.fetch, now },
    watch: watching.fetch,
    inspectTls: outbound.inspect,
    tunnel: outbound.tunnel,
    neverReached: outbound.neverReached,
    stopping: stopping.signal,
    changed: (workspaceId, siteIds) => fleet.forget(workspaceId, siteIds),
    turn: openTurns(),
    shareOf: (workspaceId, use): Partial<World> => ({
      db: use === 'read' ? pools.reads(workspaceId) : pools.writes(workspaceId),
      wire: wireOf(workspaceId),
    }),
  }
  if (works) {
    signals.on(ticketSent, { hear: queue.wake, forget: queue.wake })
    await queue.work(
      jobsAtOnce,
      (ticket, lost) => runJob({ ...world, wire: wireOf(ticket.workspaceId) }, ticket, { lost, stopping: stopping.signal }),
      (ticket) => buryJob(world, ticket),
    )
  }
  const byThemselves = duties.filter(({ name }) => !parts.withoutDuties?.includes(name))
  const clock = works ? openClock(world, byThemselves, parts.turnsEveryMs) : undefined
  const server = serves ? await createServer(world, tokens, pools) : undefined

  return {
    world,
    identify: tokens.identify,
    server,
    async close() {
      await queue.pause()
      stopping.abort(new Error('the service is stopping'))
      const timer = setTimeout(() => givenUp.abort(stopping.signal.reason), patienceMs)
      await Promise.all([server && closeServer(server), clock?.close()])
      await queue.stop()
      clearTimeout(timer)
      await Promise.all([audit.close(), tokens.close(), signals.close(), outbound.close(), watching.close()])
      await pools.close()
    },
  }
}

/** Requests that are being answered are finished; what still runs after `patienceMs`, a slow download mostly, is cut off. */
async function closeServer(server: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => server.server.closeAllConnections(), patienceMs)
  await server.close()
  clearTimeout(timer)
}

const poolLog = (log: Log) => ({ warn: (words: string) => log.warn({}, words) })
