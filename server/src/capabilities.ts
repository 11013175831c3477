import { capability as activity } from './activity/capability.ts'
import { capability as approvals } from './approvals/capability.ts'
import { capability as audit } from './audit/capability.ts'
import { capability as backups } from './backups/capability.ts'
import { capability as clients } from './clients/capability.ts'
import { capability as errors } from './errors/capability.ts'
import { capability as events } from './events/capability.ts'
import { capability as fleet } from './fleet/capability.ts'
import { capability as holdings } from './holdings/capability.ts'
import { capability as inventory } from './inventory/capability.ts'
import { capability as jobs } from './jobs/capability.ts'
import { type Capability, type Duty, type Recurring, type Summary, summarized } from './kernel/capability.ts'
import type { Followed, JobKind } from './kernel/job.ts'
import type { AnyOperation } from './kernel/operation.ts'
import { capability as links } from './links/capability.ts'
import { capability as login } from './login/capability.ts'
import { capability as members } from './members/capability.ts'
import { capability as notifications } from './notifications/capability.ts'
import { capability as pairing } from './pairing/capability.ts'
import { capability as performance } from './performance/capability.ts'
import { retentionDuty } from './platform/retention.ts'
import { capability as policies } from './policies/capability.ts'
import { capability as reports } from './reports/capability.ts'
import { capability as restores } from './restores/capability.ts'
import { capability as rollouts } from './rollouts/capability.ts'
import { capability as schedules } from './schedules/capability.ts'
import { capability as security } from './security/capability.ts'
import { capability as sites } from './sites/capability.ts'
import { capability as timetable } from './timetable/capability.ts'
import { capability as tokens } from './tokens/capability.ts'
import { capability as tweaks } from './tweaks/capability.ts'
import { capability as updates } from './updates/capability.ts'
import { capability as uptime } from './uptime/capability.ts'
import { capability as views } from './views/capability.ts'
import { capability as vulnerabilities } from './vulnerabilities/capability.ts'
import { capability as workspaces } from './workspaces/capability.ts'
import type { Context, World } from './world.ts'

/** The table of contents. A capability may import only those above it. */
export const capabilities = {
  workspaces,
  members,
  tokens,
  sites,
  audit,
  jobs,
  activity,
  policies,
  approvals,
  vulnerabilities,
  inventory,
  security,
  pairing,
  backups,
  schedules,
  restores,
  updates,
  tweaks,
  rollouts,
  uptime,
  links,
  performance,
  errors,
  notifications,
  clients,
  reports,
  events,
  fleet,
  views,
  timetable,
  login,
  holdings,
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
