import type { RawBuilder } from 'kysely'
import type { z } from 'zod'
import type { Followed, JobKind } from './job.ts'
import type { AnyOperation } from './operation.ts'

/** Everything one folder brings; `capabilities.ts` has a line for each. */
export interface Capability<World> {
  /** In this order agents and people are shown them. */
  operations: readonly AnyOperation[]
  jobs?: readonly JobKind<World, never>[]
  /** By the beginning of their ids: what get_job tells of as of a job. */
  followed?: Readonly<Record<string, Followed<never>>>
  duties?: readonly Duty<World>[]
  summary?: Summary
  recurring?: readonly Recurring<World>[]
  retention?: readonly Retention[]
}

/** What is done for each site again and again, as people are told of it. */
export interface Recurring<World> {
  /** Of its turns. */
  kind: string
  what: string
  /** Seconds, when it was last done, and whether it is switched on, for the row `s` of `sites`. */
  every: RawBuilder<unknown>
  last: RawBuilder<unknown>
  on?: RawBuilder<unknown>
  /** Whether the service does it at all. */
  isOn?(config: World extends { config: infer Config } ? Config : never): boolean
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

/** What a capability tells in each site, by field. */
export type Summary = Readonly<Record<string, SummaryPart>>

export interface SummaryPart {
  shape: z.ZodType
  /** What makes it for the row `s` of `sites`. */
  sql: RawBuilder<unknown>
  /** What of it agents are shown in lists. */
  brief?: true | readonly string[]
  /** By what of it a list of sites can be narrowed. */
  filters?: Readonly<Record<string, Filter>>
}

/** One field that narrows a list. */
export interface Filter {
  input: z.ZodType
  /** Of what the capability told of the site; undefined: that is not known. */
  keeps(part: unknown, wanted: unknown): boolean | undefined
}

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
  if (!operation.list) return { ...operation, output }
  const brief = parts.flatMap(([field, { brief = [] }]) => (brief === true ? [field] : brief.map((each) => `${field}.${each}`)))
  const filters = parts.flatMap(([, part]) => Object.entries(part.filters ?? {}))
  const input = operation.input.extend(Object.fromEntries(filters.map(([name, filter]) => [name, filter.input])))
  return { ...operation, input, output, ...(operation.brief && { brief: [...operation.brief, ...brief] }) }
}
