import { type Capability, type Duty, type Recurring, type Summary, summarized } from './kernel/capability.ts'
import type { Followed, JobKind } from './kernel/job.ts'
import type { AnyOperation } from './kernel/operation.ts'
import { retentionDuty } from './platform/retention.ts'
import type { Context, World } from './world.ts'

/** The table of contents, a line for each. A capability may import only those above it. */
export const capabilities = {
  workspaces: (await import('./workspaces/capability.ts')).capability,
  members: (await import('./members/capability.ts')).capability,
  tokens: (await import('./tokens/capability.ts')).capability,
  sites: (await import('./sites/capability.ts')).capability,
  audit: (await import('./audit/capability.ts')).capability,
  jobs: (await import('./jobs/capability.ts')).capability,
  activity: (await import('./activity/capability.ts')).capability,
  policies: (await import('./policies/capability.ts')).capability,
  approvals: (await import('./approvals/capability.ts')).capability,
  vulnerabilities: (await import('./vulnerabilities/capability.ts')).capability,
  inventory: (await import('./inventory/capability.ts')).capability,
  security: (await import('./security/capability.ts')).capability,
  pairing: (await import('./pairing/capability.ts')).capability,
  backups: (await import('./backups/capability.ts')).capability,
  schedules: (await import('./schedules/capability.ts')).capability,
  restores: (await import('./restores/capability.ts')).capability,
  updates: (await import('./updates/capability.ts')).capability,
  tweaks: (await import('./tweaks/capability.ts')).capability,
  rollouts: (await import('./rollouts/capability.ts')).capability,
  uptime: (await import('./uptime/capability.ts')).capability,
  links: (await import('./links/capability.ts')).capability,
  performance: (await import('./performance/capability.ts')).capability,
  errors: (await import('./errors/capability.ts')).capability,
  notifications: (await import('./notifications/capability.ts')).capability,
  clients: (await import('./clients/capability.ts')).capability,
  reports: (await import('./reports/capability.ts')).capability,
  events: (await import('./events/capability.ts')).capability,
  fleet: (await import('./fleet/capability.ts')).capability,
  views: (await import('./views/capability.ts')).capability,
  timetable: (await import('./timetable/capability.ts')).capability,
  login: (await import('./login/capability.ts')).capability,
  holdings: (await import('./holdings/capability.ts')).capability,
}

const all: Capability<World>[] = Object.values(capabilities)

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
