import type { Kysely, RawBuilder } from 'kysely'
import type { Caller } from './context.ts'
import type { Page, Wanted } from './cursor.ts'
import type { SiteSaid } from './site-said.ts'

/** How far a job is. `total` 0: not known yet. */
export interface Progress {
  percent: number | null
  done: number
  total: number
  unit: string
  /** Looked at so far. */
  bytes?: number
}

/** A failure of the work itself, told to the user; `retryable` false ends the job at once. */
export interface JobFailure {
  code: string
  message: string
  /** What to do about it. */
  next: string
  retryable: boolean
  site_said?: SiteSaid
}

/** What a running job may do to its own record. Every call throws `LostJob` when a newer attempt has taken over. */
export interface Running {
  id: string
  type: string
  siteId: string | null
  workspaceId: string
  /** This attempt's number. It goes along with every write, here and on the site. */
  fence: number
  requestedBy: RequestedBy
  /** By which a person let it be done. */
  approvalId: string | null
  signal: AbortSignal
  phase(name: string): Promise<void>
  progress(progress: Progress): Promise<void>
  /** What an earlier attempt left under this name. */
  stateOf(step: string): Promise<unknown>
  /** With a transaction, together with what else it writes. */
  saveState(step: string, state: unknown, db?: Kysely<unknown>): Promise<void>
  finishStep(step: string): Promise<void>
}

/** A job as the work of another kind sees it within it: what that work keeps and is doing is told apart by these names, and it is not what was approved. */
export const within = (job: Running, step: string, phase: string): Running => ({
  ...job,
  approvalId: null,
  phase: (name) => job.phase(`${phase}: ${name}`),
  stateOf: (name) => job.stateOf(`${step} ${name}`),
  saveState: (name, state, db) => job.saveState(`${step} ${name}`, state, db),
  finishStep: (name) => job.finishStep(`${step} ${name}`),
})

export interface RequestedBy {
  type: Caller['type']
  id: string
  name: string
}

/** Who asks, as it is kept with a job, a backup or an entry of the activity. */
export const asker = ({ caller: { type, id, name } }: { caller: Caller }): RequestedBy => ({ type, id, name })

/** What became of the work. `partly`: not of all that was asked for; `taken_back`: it went wrong, and the site is as it was before. */
export const OUTCOMES = ['done', 'partly', 'taken_back', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** How a job ended, for lists. `summary` is one sentence of ours; a name that a site gave is in it only where it is plain. */
export interface JobSummary {
  outcome: Outcome
  summary: string
}

export const counted = (count: number, one: string, more = `${one}s`): string => `${count.toLocaleString('en')} ${count === 1 ? one : more}`

/** Work that outlives a request. `work` is safe to run twice; what it returns becomes the job's result. */
export interface JobKind<World, Input = Record<string, unknown>, Result = unknown> {
  type: string
  /** How many attempts that met a passing failure are followed by another; killed ones do not count. */
  retries: number
  /** It asks its site nothing, or only what may be asked at any time, so it waits for none of the site's other jobs, and none waits for it. */
  apart?: boolean
  /** It may leave the site other than it was, so a backup begun before its end is not of the site as it is now. */
  changesSite: boolean
  /** Of the changes that are seen by comparing what is installed, all that it makes by itself; absent: any. */
  changesOnly?: readonly string[]
  /** The backup that it puts back onto the site: while the job is open, it may not be deleted. */
  backupNeeded?(input: Input): string | undefined
  /** A begun attempt leaves something elsewhere, so a cancel is carried out by the next attempt, even of a job that waits. */
  tidies?: boolean
  work(world: World, job: Running, input: Input): Promise<Result>
  /** What that result comes to. */
  summarize(result: Result): JobSummary
  /** What of its end people are told; without a result it has failed. Undefined: nothing. */
  happening?(result: Result | undefined): string | undefined
  /** What of a long result is worth reading, for who pays for each word, and what that leaves out, in a sentence. */
  brief?(result: Result): { result: Record<string, unknown>; without: string }
  /** What may be done about it, now that it has ended as it did. */
  next?(world: World & { workspaceId: string }, job: DoneJob<Result>): NextStep[] | Promise<NextStep[]>
  /** Tells the capability how it ended when it did not complete; in the transaction that ends the job. */
  ended?(world: World & { db: Kysely<unknown> }, job: Ended, input: Input): Promise<void>
}

export interface ListedFilter {
  siteId?: string | undefined
  status?: string | undefined
  outcome?: Outcome | undefined
}

/** Neither the one that is named, each by its id without what such ids begin with. */
export interface Between {
  olderThan: string | undefined
  newerThan: string | undefined
  limit: number | undefined
}

/** What is followed as a job is, and is none; by the beginning of its id. Undefined: there is no such thing. */
export interface Followed<Context> {
  find(context: Context, id: string): Promise<object | undefined>
  cancel(context: Context, id: string): Promise<unknown>
  /** Where list_jobs lists them with the jobs: what it calls them, how many there are, to be asked for within another statement, and some of them, newest first, as jobs in a list are. */
  listed?: {
    type: string
    count(context: Context, filter: ListedFilter): RawBuilder<unknown>
    items(context: Context, filter: ListedFilter, between: Between): Promise<{ id: string }[]>
  }
  /** A page of those that wait for a person, as jobs. */
  waiting?(context: Context, siteId: string | undefined, wanted: Wanted): Promise<Page<object>>
}

/** The types of the jobs that only look at their site. */
export const harmless = (kinds: ReadonlyMap<string, Pick<JobKind<never>, 'type' | 'changesSite'>>): string[] =>
  [...kinds.values()].filter(({ changesSite }) => !changesSite).map(({ type }) => type)

/** The types of the jobs that may leave their site other than it was. */
export const changing = (kinds: ReadonlyMap<string, Pick<JobKind<never>, 'type' | 'changesSite'>>): string[] =>
  [...kinds.values()].filter(({ changesSite }) => changesSite).map(({ type }) => type)

/** The types of the jobs that take turns on their site. */
export const inLine = (kinds: ReadonlyMap<string, Pick<JobKind<never>, 'type' | 'apart'>>): string[] =>
  [...kinds.values()].filter(({ apart }) => !apart).map(({ type }) => type)

/** The site whose jobs it takes its turn with; null: none. */
export const lineOf = (kinds: ReadonlyMap<string, { apart?: boolean }>, type: string, siteId: string | null): string | null =>
  kinds.get(type)?.apart ? null : siteId

/** A call that leads on from here: what for, the tool, and its input. */
export interface NextStep {
  why: string
  tool: string
  input: Record<string, unknown>
}

/** A job with a result. */
export interface DoneJob<Result> {
  id: string
  siteId: string
  result: Result
  outcome: Outcome | null
  createdAt: Date
  completedAt: Date
}

export interface Ended {
  id: string
  siteId: string | null
  workspaceId: string
  status: 'failed' | 'canceled'
  error: JobFailure | null
}

export interface Queued {
  id: string
  workspaceId: string
  siteId: string | null
  /** Not before so many seconds have passed. */
  delaySeconds?: number
}

/** Where jobs wait for a worker. Everything here happens inside the caller's transaction. */
export interface Queue {
  send(db: Kysely<unknown>, job: Queued): Promise<void>
  /** Takes a job out that no worker has begun. */
  drop(db: Kysely<unknown>, jobId: string): Promise<void>
  /** Which of these jobs wait, or are with a worker. */
  holds(db: Kysely<unknown>, jobIds: string[]): Promise<ReadonlySet<string>>
}

/** Thrown to a worker whose job a newer attempt has taken over, or which ended meanwhile. */
export class LostJob extends Error {}

/** Thrown to a worker whose job somebody canceled. */
export class CanceledJob extends Error {}

/** What is written down where a cancel must not end the job: a later step is where it does. */
export async function uncanceled(step: Promise<void>): Promise<void> {
  await step.catch((error: unknown) => {
    if (!(error instanceof CanceledJob)) throw error
  })
}
