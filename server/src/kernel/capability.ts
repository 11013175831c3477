import type { RawBuilder } from 'kysely'
import type { z } from 'zod'
import type { JobKind } from './job.ts'
import type { AnyOperation } from './operation.ts'

/** Everything one folder brings; `capabilities.ts` has a line for each. */
export interface Capability<World> {
  /** In this order agents and people are shown them. */
  operations: readonly AnyOperation[]
  jobs?: readonly JobKind<World, never>[]
  duties?: readonly Duty<World>[]
  summary?: Summary
  retention?: readonly Retention[]
}

/** What comes again by itself: for the service, for each site, or once a day for each workspace. Each has a loop of its own in every process that works. */
export type Duty<World> = { name: string } & (ServiceDuty<World> | SiteDuty<World> | WorkspaceDuty<World>)

export interface ServiceDuty<World> {
  everyMs: number
  /** Any number of processes may do it at the same time. */
  run(world: World): Promise<unknown>
}

/** A few queries, in one transaction that nobody else has this turn in. Both answer when the next turn is. */
export interface SiteDuty<World> {
  ofSite: {
    first(here: World & { workspaceId: string }, siteId: string): Promise<Date>
    run(here: World & { workspaceId: string }, siteId: string): Promise<Date>
  }
}

/** May take hours; another process takes over six hours after one that was killed. What it answers is logged. */
export interface WorkspaceDuty<World> {
  ofWorkspace(world: World, workspaceId: string): Promise<object>
}

/** What a capability tells in each site, by field: what it is, and the SQL that makes it for the row `s` of `sites`. */
export type Summary = Readonly<Record<string, { shape: z.ZodType; sql: RawBuilder<unknown>; brief?: boolean }>>

/** Rows that are let go so many days after the time in their column `at`. */
export interface Retention {
  table: string
  at: string
  days: number
}

/** The operation as it is with what all capabilities tell of a site. */
export function summarized(operation: AnyOperation, summary: Summary): AnyOperation {
  if (!operation.withSummary) return operation
  const parts = Object.entries(summary)
  const output = operation.withSummary(Object.fromEntries(parts.map(([field, { shape }]) => [field, shape])))
  const brief = parts.flatMap(([field, part]) => (part.brief ? [field] : []))
  return { ...operation, output, ...(operation.brief && { brief: [...operation.brief, ...brief] }) }
}
