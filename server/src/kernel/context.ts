import type { Kysely } from 'kysely'
import type { Budget, Budgets } from './budget.ts'
import type { CursorAfter } from './cursor.ts'
import type { AnyOperation, Scope } from './operation.ts'

/** Whoever is asking. Tokens, sessions and jobs have all become this before `run` sees them. */
export interface Caller {
  type: 'user' | 'token' | 'system'
  id: string
  name: string
  workspaceId: string
  scopes: ReadonlySet<Scope>
  /** True: it may read, and do what an operation marks `direct`; everything else waits for a person. */
  approvalOnly: boolean
  /** Only these sites are there for it. */
  sees?: Sees
  /** All agents of its workspace are paused, it among them. */
  paused?: true
  /** When a person last showed a second factor in the session that asks; absent: none was. */
  factorAt?: Date
  /** A person or a policy let this call be done, which its caller may not do alone. */
  approved?: Approved
}

/** Which sites of a workspace somebody sees: those with one of the ids, the tag and the client that are named. */
export interface Sees {
  site_ids?: string[] | undefined
  tag?: string | undefined
  client?: string | undefined
}

/** People of a client: what colleagues tell each other is not for them. */
export const isGuest = ({ type, sees }: Pick<Caller, 'type' | 'sees'>): boolean => type === 'user' && sees !== undefined

/** Who let it be done, and by which approval: it says what else must be so when the work begins. */
export interface Approved {
  id: string
  by: Pick<Caller, 'type' | 'id' | 'name'>
  /** Of work in waves: none of them is asked for again. */
  allWaves?: boolean
}

/** The face a call came through; shown in the activity log as its source. */
export type Face = 'api' | 'mcp' | 'dashboard' | 'system'

/** A logger that takes facts first, words second. */
export interface Log {
  info(facts: object, words: string): void
  warn(facts: object, words: string): void
  error(facts: object, words: string): void
}

/** One recorded call: who, what, how it ended. */
export interface AuditEntry {
  workspace_id: string
  caller_type: Caller['type']
  caller_id: string
  operation: string
  face: Face
  outcome: string
  request_id: string
  site_id: string | null
}

/** What a call does with its turn: it works, it mostly waits for a site or a job's end, or it sends a file. */
export type Turn = 'work' | 'wait' | 'download'

/** What the kernel needs of the outside world. Capabilities see a richer one, `World` in world.ts, built once in main.ts. */
export interface Kernel {
  db: Kysely<unknown>
  now(): Date
  log: Log
  /** With a database (the transaction of a write) the entry is written there and then; without one soon, in a batch. */
  audit(entry: AuditEntry, db?: Kysely<unknown>): Promise<void> | undefined
  /** What tokens may use up in an hour, as the operator set it. */
  budgets: Budgets
  /** Tells the owners that a caller asked for more than a budget had left. */
  overdrawn(caller: Caller, budget: Budget): Promise<void>
  /** Called when a write has committed, so that what is kept in memory of these sites (of all without ids) is read again. */
  changed(workspaceId: string, siteIds?: Iterable<string>): void
  /** A call's turn among those of its workspace, until it is given back; throws `rate_limited` when none comes in time. At once where one is free. */
  turn(workspaceId: string, kind: Turn, signal?: AbortSignal): (() => void) | Promise<() => void>
  /** Does what an approval-only caller asks for, keeps it until a person decides, or refuses it, and answers what the caller is told; undefined: it was let be done and is not yet. */
  ask(asked: Asked): Promise<Pick<Outcome, 'output' | 'replayed' | 'awaiting'> | undefined>
  /** What of this world is there for a caller who does not see all sites. */
  seenBy(caller: Caller): Partial<Kernel>
  /** What of this world the calls of one workspace are given instead: a share that leaves the others theirs. */
  shareOf(workspaceId: string, use: 'read' | 'write'): Partial<Kernel>
}

/** How a call arrived. */
export interface Call {
  caller: Caller | undefined
  face: Face
  requestId: string
  /** As it came; `run` checks it. */
  idempotencyKey?: unknown
  /** Why, in the words of an approval-only caller; `run` checks it. */
  reason?: unknown
  /** The client hung up, or the service is stopping. */
  signal?: AbortSignal | undefined
  /** Of each item or row of what is read, the fields that the face shows; absent: all of them. */
  shows?: readonly string[] | undefined
}

/** A call of somebody we know. */
export interface Known extends Call {
  caller: Caller
}

/** What an approval-only caller asks for. */
export interface Asked {
  operation: AnyOperation
  call: Known
  /** As it came. It was understood. */
  given: Record<string, unknown>
  /** Writes that it was asked for, in the transaction that keeps it. */
  record(db: Kysely<unknown>): Promise<void> | undefined
}

/** A shorter form of an output, and what it leaves out, in a sentence; it is for the faces and leaves with none of them. */
export type Brief = () => { output: object; without: string }

/** What came out, and whether it is the stored answer of an earlier, equal call. */
export interface Outcome {
  output: unknown
  replayed: boolean
  /** What was taken for granted of the input, in a sentence for the caller. */
  notice?: string
  /** Of a list with pages, so that whoever shows fewer of its items can say where the rest begins. */
  cursorAfter?: CursorAfter | undefined
  /** What of a long output is worth reading, for who pays for each word. */
  brief?: Brief | undefined
  /** Nothing was done yet: a person decides. */
  awaiting?: true
}
