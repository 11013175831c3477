import { logOverdrawn } from '../activity/overdrawn.ts'
import { ask } from '../approvals/ask.ts'
import { callByName } from '../call-by-name.ts'
import { followed, jobKinds, operationsByName, recurring, siteSummary } from '../capabilities.ts'
import type { Config } from '../config.ts'
import type { Caller, Log } from '../kernel/context.ts'
import { Problem } from '../kernel/problem.ts'
import { openAudit } from '../platform/audit.ts'
import { openChanges } from '../platform/changes.ts'
import { clientConfig, connectPool, databaseOn } from '../platform/database.ts'
import { createGuardedFetch } from '../platform/guarded-fetch.ts'
import { openMasterKey, openStorage } from '../platform/installation.ts'
import type { MasterKey } from '../platform/master-key.ts'
import type { DatabaseAddress } from '../platform/open-database.ts'
import { openQueue } from '../platform/queue.ts'
import type { Signals } from '../platform/signals.ts'
import { openFleet } from '../sites/fleet.ts'
import type { World } from '../world.ts'

/** A command keeps nothing in memory, so it need not hear what others change. */
const deaf: Signals = { fresh: () => false, on() {}, close: async () => {} }

const refuseJobs = () => Promise.reject(new Problem('unavailable', 'A command starts no jobs.'))

/** The world of a command: no port, no worker, gone in a moment. */
export async function openCommandWorld(
  config: Config,
  log: Log,
  address: DatabaseAddress,
  { offered, startsJobs = false }: { offered?: MasterKey | undefined; startsJobs?: boolean | undefined } = {},
): Promise<{ world: World; close(): Promise<void> }> {
  const now = () => new Date()
  const db = databaseOn(connectPool(address, { warn: (words) => log.warn({}, words) }))
  const audit = openAudit(db, now, log)
  const outbound = createGuardedFetch({ allowPrivate: config.allowPrivateSites })
  const queue = startsJobs ? await openQueue(clientConfig(address), log, { works: false }) : undefined
  const world: World = {
    config,
    db,
    log,
    now,
    operations: operationsByName,
    jobKinds,
    followed,
    recurring,
    fleet: openFleet(db, deaf, siteSummary),
    changes: openChanges(deaf),
    storage: await openStorage(config),
    masterKey: await openMasterKey(db, config, offered),
    audit: audit.audit,
    budgets: config.budgets,
    overdrawn: (caller, budget) => logOverdrawn(world, caller, budget),
    ask: (asked) => ask(world, asked),
    // The operator sees everything.
    seenBy: () => ({}),
    wire: { fetch: outbound.fetch, now },
    watch: outbound.fetch,
    inspectTls: outbound.inspect,
    tunnel: outbound.tunnel,
    neverReached: outbound.neverReached,
    queue: queue ?? { send: refuseJobs, drop: refuseJobs, holds: refuseJobs },
    stopping: new AbortController().signal,
    changed() {},
    // Nobody else is in this process.
    turn: async () => () => {},
    shareOf: () => ({}),
  }
  return {
    world,
    async close() {
      await Promise.all([audit.close(), outbound.close(), queue?.stop()])
      await db.destroy()
    },
  }
}

/** Runs an operation as the operator of this machine, through the same door as everybody. */
export async function asOperator(world: World, workspaceId: string, name: string, input: object): Promise<Record<string, unknown>> {
  const caller: Caller = {
    type: 'user',
    id: 'operator',
    name: 'Operator',
    workspaceId,
    scopes: new Set(['read', 'write', 'manage']),
    approvalOnly: false,
  }
  return callByName(world, { caller, face: 'system' }, name, input)
}
