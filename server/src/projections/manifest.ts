import { z } from 'zod'
import { AwaitingApproval } from '../kernel/awaiting.ts'
import { type AnyOperation, type Effect, isRead, type Path, type Scope } from '../kernel/operation.ts'
import { problems } from '../kernel/problem.ts'
import { commandOf, splitPath } from './command.ts'

/** JSON Schema 2020-12, as far as we look into it. */
export interface JsonSchema {
  type?: string | string[]
  description?: string | undefined
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: unknown[]
  const?: unknown
  default?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  [keyword: string]: unknown
}

/** What a stranger may know of one operation. */
export interface Entry {
  name: string
  tool?: string
  /** The first is where it lives, the others are aliases. */
  http: Path[]
  action?: string
  /** Fields that may stand in the body and mean nothing. */
  ignores?: readonly string[]
  title: string
  summary: string
  guidance?: string
  scope: Scope
  effect: Effect
  idempotent: boolean
  status: 200 | 201 | 202
  list?: string
  /** The field with the rows of an output that is no list by itself. */
  rows?: string
  /** The fields of a list's item that matter at a glance. */
  brief?: readonly string[]
  /** What of an item belongs into a table, the most important first. */
  columns?: readonly string[]
  /** Approval-only tokens may call it. */
  direct: boolean
  /** It asks a site while the caller waits. */
  waits: boolean
  /** The answer is shown once. */
  secret: boolean
  /** The answer is a file; it has no output schema. */
  bytes: boolean
  /** The answer never ends by itself: server-sent events, of which `output` is the data of one. */
  stream: boolean
  input: JsonSchema
  output?: JsonSchema
  example: Record<string, unknown>
  /** The example as typed into a shell, where a token may do it at all. */
  command?: string
  /** For signed-in people alone. */
  personal?: true
}

export interface Manifest {
  operations: Entry[]
  /** Code → HTTP status, exit code of `svc`, title. */
  problems: Record<string, { status: number; exit: number; title: string; retryable: boolean; next: string }>
}

const known = new WeakMap<readonly AnyOperation[], Manifest>()

/**
 * The public half of every operation as plain JSON: all that OpenAPI, the docs, the command line and typed clients are made from.
 * A list is described once, in 150 ms: nobody changes what they are given.
 */
export function manifest(operations: readonly AnyOperation[]): Manifest {
  const described = known.get(operations) ?? { operations: operations.map(entryOf), problems }
  known.set(operations, described)
  return described
}

function entryOf(operation: AnyOperation): Entry {
  const { name, tool, http, action, ignores, title, summary, guidance, scope, effect, list, rows, brief, columns } = operation
  return {
    name,
    ...(tool && { tool }),
    http: [http].flat(),
    ...(action && { action }),
    ...(ignores && { ignores }),
    title,
    summary,
    ...(guidance && { guidance }),
    scope,
    effect,
    idempotent: isRead(operation) || (operation.idempotent ?? false),
    status: operation.status ?? 200,
    ...(list && { list }),
    ...(rows && { rows }),
    ...(brief && { brief }),
    ...(columns && { columns }),
    direct: operation.direct === true,
    waits: operation.waits !== undefined && operation.waits !== false,
    secret: operation.secret ?? false,
    bytes: operation.bytes ?? false,
    stream: operation.stream ?? false,
    input: schemaOf(operation.input, 'input'),
    ...(!operation.bytes && { output: schemaOf(operation.output, 'output') }),
    example: operation.example,
    ...(operation.personal ? { personal: true as const } : scope !== 'manage' && { command: commandOf(operation) }),
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const {
    $schema: _,
    '~standard': __,
    ...json
  } = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => trim(jsonSchema, io) }) as JsonSchema
  return json
}

/** Inputs stay closed. Outputs are open, so that a client made today survives a field added tomorrow. What a format says needs no pattern. */
function trim(schema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output') {
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.format) delete schema.pattern
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

export const awaitingSchema = (): JsonSchema => schemaOf(AwaitingApproval, 'output')

/** What a token may do at all; the rest is for a signed-in person. */
export const forTokens = ({ operations, problems }: Manifest): Manifest => ({
  operations: operations.filter(({ scope, personal }) => scope !== 'manage' && !personal),
  problems,
})

/** The input's fields that do not travel in the path, with what is required of them. */
export function fieldsBeside(entry: Entry, inPath: readonly string[]): { name: string; required: boolean; schema: JsonSchema }[] {
  return Object.entries(entry.input.properties ?? {})
    .filter(([name]) => !inPath.includes(name))
    .map(([name, schema]) => ({ name, required: entry.input.required?.includes(name) ?? false, schema }))
}

/** The type of a list that is sent as the object it is, with everything beside its items. */
export const wholeList = 'application/vnd.svc.list+json'

/** What REST sends: a list travels bare, its totals in the headers. */
export function answerOf(entry: Entry): JsonSchema {
  const { output = {}, list } = entry
  return (list && output.properties?.[list]) || output
}

/** The HTTP statuses of its possible failures, the caller's mistakes first. */
export function failuresOf(http: Path, entries: readonly Entry[]): number[] {
  const { method } = splitPath(http)
  const posted = method === 'post'
  // What is named may be missing, or a name that several things have.
  const names = entries.some(({ input }) => Object.keys(input.properties ?? {}).some((field) => /_ids?$/.test(field)))
  const asksSite = posted || entries.some(({ waits }) => waits)
  return [
    ...[400, 401, 403],
    ...(names ? [404] : []),
    ...(posted || names ? [409] : []),
    // Whatever may come with a body may come with one that is too large or of no kind.
    ...(method === 'get' ? [] : [413, 415]),
    ...(posted ? [422] : []),
    ...(entries.some(({ bytes }) => bytes) ? [416] : []),
    ...[429, 500, 503],
    ...(asksSite ? [502, 504] : []),
  ]
}
