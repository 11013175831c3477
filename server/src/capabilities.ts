import { createRequire } from 'node:module'
import { type Capability, type Duty, type Recurring, type Summary, summarized } from './kernel/capability.ts'
import type { Followed, JobKind } from './kernel/job.ts'
import type { AnyOperation } from './kernel/operation.ts'
import { retentionDuty } from './platform/retention.ts'
import type { Context, World } from './world.ts'

/** The table of contents, a line for each. A capability may import only those above it. */
const names = [
  'workspaces',
  'members',
  'tokens',
  'sites',
  'audit',
  'jobs',
  'activity',
  'policies',
  'approvals',
  'vulnerabilities',
  'inventory',
  'security',
  'pairing',
  'backups',
  'schedules',
  'restores',
  'updates',
  'tweaks',
  'rollouts',
  'uptime',
  'links',
  'performance',
  'errors',
  'notifications',
  'clients',
  'reports',
  'events',
  'fleet',
  'views',
  'timetable',
  'login',
  'holdings',
]

/** At once: what awaits at its top cannot be loaded by tests that share a process. */
const load = createRequire(import.meta.url)
const capabilityOf = (name: string): Capability<World> => load(`./${name}/capability.ts`).capability

export const capabilities: Readonly<Record<string, Capability<World>>> = Object.fromEntries(names.map((name) => [name, capabilityOf(name)]))

const all = Object.values(capabilities)

/** What is told of each site beside what the site's own row has. */
export const siteSummary: Summary = Object.assign({}, ...all.map(({ summary }) => summary))

/** Everything the service can do. */
export const operations: AnyOperation[] = all.flatMap((capability) => capability.operations).map((each) => summarized(each, siteSummary))

export const operationsByName: ReadonlyMap<string, AnyOperation> = new Map(operations.map((operation) => [operation.name, operation]))

export const jobKinds: ReadonlyMap<string, JobKind<World>> = new Map(
  all.flatMap(({ jobs = [] }) => jobs).map((kind) => [kind.type, kind as JobKind<World>]),
)

export const followed: ReadonlyMap<string, Followed<Context>> = new Map(all.flatMap(({ followed = {} }) => Object.entries(followed)))

/** What is done for each site again and again. */
export const recurring: readonly Recurring<World>[] = all.flatMap((capability) => capability.recurring ?? [])

/** Everything that comes again by itself. */
export const duties: Duty<World>[] = [
  ...all.flatMap((capability) => capability.duties ?? []),
  retentionDuty(all.flatMap(({ retention = [] }) => retention)),
]
