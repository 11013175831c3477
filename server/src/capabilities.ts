import * as activity from './activity/operations.ts'
import { backup } from './backups/jobs.ts'
import * as backups from './backups/operations.ts'
import { verify } from './backups/verify-jobs.ts'
import * as inventory from './inventory/operations.ts'
import * as jobs from './jobs/operations.ts'
import type { JobKind } from './kernel/job.ts'
import type { AnyOperation } from './kernel/operation.ts'
import * as login from './login/operations.ts'
import { disconnect } from './pairing/goodbye-jobs.ts'
import { connect } from './pairing/jobs.ts'
import * as pairing from './pairing/operations.ts'
import { restore, undo } from './restores/jobs.ts'
import * as restores from './restores/operations.ts'
import * as rollouts from './rollouts/operations.ts'
import * as schedules from './schedules/operations.ts'
import { check } from './security/jobs.ts'
import * as security from './security/operations.ts'
import * as sites from './sites/operations.ts'
import * as tokens from './tokens/operations.ts'
import { tweak } from './tweaks/jobs.ts'
import * as tweaks from './tweaks/operations.ts'
import { update } from './updates/jobs.ts'
import * as updates from './updates/operations.ts'
import * as vulnerabilities from './vulnerabilities/operations.ts'
import type { World } from './world.ts'

/** The table of contents. A capability may import only those above it; `workspaces` is the lowest and has no operations yet. */
export const capabilities = {
  tokens,
  sites,
  jobs,
  activity,
  vulnerabilities,
  inventory,
  security,
  pairing,
  backups,
  schedules,
  restores,
  updates,
  rollouts,
  tweaks,
  login,
}

const isOperation = (value: unknown): value is AnyOperation => typeof value === 'object' && value !== null && 'handle' in value

/** Everything the service can do. */
export const operations: AnyOperation[] = Object.values(capabilities).flatMap((capability) => Object.values(capability).filter(isOperation))

export const jobKinds: ReadonlyMap<string, JobKind<World>> = new Map(
  [backup, check, connect, disconnect, restore, undo, update, tweak, verify].map((kind) => [kind.type, kind as JobKind<World>]),
)
