import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Budget } from './budget.ts'
import type { CachedAnswer } from './cached-answer.ts'
import type { Effected, EffectKind } from './effects.ts'
import type { WrittenPage } from './written-page.ts'

/** What a caller may be allowed to do. `manage` is for a signed-in owner or admin and for the operator; never for a token. */
export type Scope = 'read' | 'write' | 'manage'

/** What an operation does to the world. Hints, HTTP checks, approvals and idempotency all follow from this one word. */
export type Effect = 'read' | 'create' | 'change' | 'destroy'

type Method = 'GET' | 'POST' | 'DELETE'
export type Path = `${Method} /${string}`

/** One thing the service can do. REST, tools, the command line, OpenAPI and the authorization tests are all read from this. */
export interface Operation<Context = object, In extends z.ZodObject = z.ZodObject, Out extends z.ZodType = z.ZodType> {
  /** `backups.create` → `svc backups create`, audit and activity. */
  name: `${string}.${string}`
  /** The tool that does the same; absent where agents have no business. */
  tool?: string
  /** Relative to /api/v1. A second one is an alias that narrows by a path parameter. */
  http: Path | [Path, Path]
  /** Operations that share one POST are told apart by the field `action` of the body. */
  action?: string
  /** Fields of its siblings that may stand in its body, where they mean nothing. */
  ignores?: readonly string[]
  /** Three words for a list of tools. */
  title: string
  /** One sentence for people. */
  summary: string
  /** For agents: when to use it, when not. Appended to the summary. */
  guidance?: string
  scope: Scope
  effect: Effect
  /** Doing it twice is the same as doing it once. Reads always are. */
  idempotent?: boolean
  /** 200 unless it makes a thing (201) or starts work that outlives the call (202). */
  status?: 200 | 201 | 202
  /** The output's field that REST sends as a bare array. The output then also has `total`, `limit` and `next_cursor`. */
  list?: string
  /** Of an output that is no list by itself, the field with its rows: agents page through them as through a list. */
  rows?: string
  /** What an agent is shown of each item of a list, or of each row; `update.version` is a part of one. REST shows all of it. */
  brief?: readonly string[]
  /** What they are shown beside that of an item or row that has it: neither 0 nor empty. */
  briefWhere?: readonly string[]
  /** What people see of each item or row in a table: the most important first, ids last. */
  columns?: readonly string[]
  /** Fields that agents are not shown: what they do without, they need not read. */
  unshown?: readonly string[]
  /** It may answer in brief (`Outcome.brief`), as agents are answered who do not ask for all of it. */
  hasBrief?: boolean
  /** How many items an agent gets when it names no limit. */
  briefLimit?: number
  /** Then it gets no more of them than 1,500 tokens have room for, however long they are. */
  isShort?: boolean
  /** Approval-only tokens may call it directly, all of it or with such an input. */
  direct?: boolean | ((input: z.output<In>) => boolean)
  /** A person's own: no token has such a thing. */
  personal?: boolean
  /** It tells and touches only sites that its caller sees, whatever it is given; without this, who does not see all must name one. */
  seesOwn?: boolean
  /** Fields of its input that no answer may show. */
  hides?: readonly string[]
  /** What of its plan (`dry_run`) must still be so when it is done after an approval, all of it where this does not say; without a plan, what of its answer. */
  binds?(plan: z.output<Out>): unknown
  /** By which policies it is decided what becomes of it when an agent asks for it that needs approvals; `bound`: what of its plan it is held to. */
  policy?: EffectKind | ((input: z.output<In>, bound: unknown) => Effected[])
  /** It waits for a site or for other nodes, so it holds no database transaction. */
  waits?: boolean | ((input: z.output<In>) => boolean)
  /** It may answer late though it does next to nothing meanwhile, so it takes its turn among those that wait. */
  lingers?: boolean
  /** What of this input only an owner may do although the scope is enough for the rest, as words for the refusal; undefined: nothing. */
  ownersOnly?(context: Context, input: z.output<In>): Promise<string | undefined>
  /** What a call with a token takes of a budget. */
  cost?: { budget: Budget; takes(context: Context, input: z.output<In>): number | Promise<number> }
  /** Of people an owner alone has it done, no admin, though both may manage; its handler asks, because only that knows roles. */
  byOwner?: boolean
  /** The answer carries a secret: it is never stored, so a repeat with the same idempotency key is a conflict. */
  secret?: boolean
  /** Where it shows whole sites: the output with the parts of a site that all capabilities tell. */
  withSummary?(parts: z.ZodRawShape): z.ZodType
  /** The answer is a `FileAnswer`; there is no tool. */
  bytes?: boolean
  /** The answer is an `EventStream`, `output` one of its events; there is no tool. */
  stream?: boolean
  input: In
  output: Out
  /** Shown in the docs, tried by the authorization test. */
  example: z.input<In>
  handle(context: Context, input: z.output<In>): Promise<z.input<Out> | CachedAnswer | WrittenPage | EventStream>
}

/** What happens from now on, in batches; an empty one says that nothing did. `after` is the place of the last event that was heard. */
export interface EventStream {
  open(after: string | undefined, closed: AbortSignal): AsyncGenerator<StreamEvent[], void>
}

export interface StreamEvent {
  at: string
  event: string
  data: object
}

/** Bytes of a file; `to` is the first that is not wanted. */
export interface FilePart {
  from: number
  to: number
}

/** A file. `known` where its length in bytes is, before it is opened: the same `etag` is the same bytes, and a part can be opened alone. */
export interface FileAnswer {
  filename: string
  contentType: string
  known?: { length: number; etag: string }
  open(part?: FilePart): Readable
  /** Throws what stands in the way of the whole file, before its first byte is sent. */
  whole?(): Promise<unknown>
  /** A browser may show it, under this policy and no other, also within a page of ours; otherwise it is only saved. */
  shownUnder?: string
}

/** Any operation, whatever its types; only `run` and the projections look at it so. */
export type AnyOperation = Operation

export const isRead = (operation: Pick<AnyOperation, 'effect'>) => operation.effect === 'read'

/** The field of the output with what an agent pages through. */
export const rowsOf = ({ list, rows }: Pick<AnyOperation, 'list' | 'rows'>) => list ?? rows

/** Whether an approval-only token may be told that a person decides first. */
export const mayWait = ({ direct, effect, scope, personal }: Pick<AnyOperation, 'direct' | 'effect' | 'scope' | 'personal'>) =>
  scope === 'write' && effect !== 'read' && direct !== true && !personal

/** Whether an approval-only token may do it with this input. */
export const isDirect = ({ direct }: Pick<AnyOperation, 'direct'>, input: Record<string, unknown>) =>
  typeof direct === 'function' ? direct(input) : direct === true

/** It has an answer that is shown once, or an effect outside of the database: once it is approved, its caller calls again to have it done. */
export const isCalledAgain = ({ secret, waits }: Pick<AnyOperation, 'secret' | 'waits'>) => secret === true || waits === true

/** Whether it can say what it would do; whoever may read may ask that. */
export const plans = ({ input }: Pick<AnyOperation, 'input'>) => 'dry_run' in input.shape
