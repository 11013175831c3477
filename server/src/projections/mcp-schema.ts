import { z } from 'zod'
import { type AnyOperation, isRead, mayWait, rowsOf } from '../kernel/operation.ts'
import type { JsonSchema } from './manifest.ts'

/** How much an output schema tells. A model reads all of it before its first call, so the shorter ones are for tools with much to tell. */
export interface Detail {
  depth: number
  enums: boolean
  /** Fields that may be null take three times the room of others. */
  nullables: boolean
  required: boolean
}

export const outputDetails: readonly Detail[] = [
  { depth: 4, enums: true, nullables: true, required: true },
  { depth: 4, enums: false, nullables: true, required: false },
  { depth: 3, enums: false, nullables: false, required: false },
  { depth: 1, enums: false, nullables: false, required: false },
  { depth: 0, enums: false, nullables: false, required: false },
]

const idempotencyKey: JsonSchema = { type: 'string', description: 'Acts once a day.' }

const why: JsonSchema = { type: 'string', description: 'For approval.' }

const everything: JsonSchema = { type: 'string', description: 'all: everything.' }

/** Told by two names of its own rows: the shortest, the longer of them first, as that takes the fewest tokens. */
function fieldsOf(brief: readonly string[]): JsonSchema {
  const short = brief.toSorted((one, other) => one.length - other.length).slice(0, 2)
  return { type: 'string', description: `${short.toSorted((one, other) => other.length - one.length)} or all.` }
}

/** What a tool takes: one flat, closed object that clients of every age can read. */
export function inputSchema(operation: AnyOperation): JsonSchema {
  const { properties: all = {}, required } = plain(z.toJSONSchema(operation.input, { io: 'input', target: 'draft-07' }) as JsonSchema)
  const properties = Object.fromEntries(Object.entries(all).filter(([name]) => !operation.unshown?.includes(name)))
  if (properties.limit) {
    if (operation.briefLimit !== undefined) properties.limit.default = operation.briefLimit
    // Nobody asks for less than one item, and who does is told.
    delete properties.limit.minimum
  }
  return {
    type: 'object',
    properties: {
      ...properties,
      ...(operation.brief && isRead(operation) && { fields: fieldsOf(operation.brief) }),
      ...(operation.hasBrief && { fields: everything }),
      ...(!isRead(operation) && { idempotency_key: idempotencyKey }),
      ...(mayWait(operation) && { why }),
    },
    ...(required?.length && { required }),
    additionalProperties: false,
  }
}

/** What a tool returns: an open object, so that a client made today survives a field added tomorrow. */
export function outputSchema(operation: AnyOperation, detail: Detail): JsonSchema {
  const full = z.toJSONSchema(operation.output, { io: 'output', target: 'draft-07' }) as JsonSchema
  if (full.type !== 'object' || !full.properties) throw new Error(`${operation.name} has a tool, so its output must be an object.`)
  const shown = operation.brief?.concat(operation.briefWhere ?? []).map((path) => path.split('.')[0])
  const items = full.properties[rowsOf(operation) ?? '']?.items
  if (items?.properties && shown)
    items.properties = Object.fromEntries(Object.entries(items.properties).filter(([name]) => shown.includes(name)))
  // An approval-only token is answered with an approval instead, which has other fields and a status of its own.
  const waits = mayWait(operation)
  if (waits && full.properties.status) full.properties.status = { type: 'string' }
  return { ...outline(full, detail, detail.depth), ...(detail.required && !waits && full.required && { required: full.required }) }
}

/** Tools by their names, without the routes that lead to the same. */
export const withoutRoutes = (text: string) => text.replaceAll(/ \((?:GET|POST|DELETE) [^)]*\)/g, '')

/** What clients of every age know. Formats, patterns and lengths are left to the descriptions; `run` checks them. */
function plain(node: JsonSchema): JsonSchema {
  if (node.$ref || node.allOf || Array.isArray(node.type)) throw new Error('A tool takes no recursive, intersected or nullable arguments.')
  const { type, description, properties, required, items, anyOf, oneOf, minimum, maximum, additionalProperties, ...rest } = node
  const alternatives = anyOf ?? oneOf
  return {
    ...(type && { type }),
    ...(description && { description: withoutRoutes(description) }),
    ...(node.const !== undefined && { enum: [node.const] }),
    ...pick(rest, ['enum']),
    // A switch that nobody touches is off; that need not be read.
    ...(rest.default !== false && pick(rest, ['default'])),
    ...(isLimit(minimum) && { minimum }),
    ...(isLimit(maximum) && { maximum }),
    // What the list says of itself goes for each of its items.
    ...(items && { items: plain(description ? { ...items, description: undefined } : items) }),
    ...(alternatives && { anyOf: alternatives.map(plain) }),
    ...(properties && { properties: mapValues(properties, plain), additionalProperties: false }),
    ...(required && { required }),
    ...(isOpenMap(additionalProperties) && { additionalProperties: plain(additionalProperties) }),
  }
}

const isLimit = (value: unknown) => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER

const isOpenMap = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Names and types down to a depth, nothing else. */
function outline(node: JsonSchema, detail: Detail, depth: number): JsonSchema {
  const alternatives = alternativesOf(node)
  if (alternatives) return oneOfThem(alternatives.map((each) => outline(each, detail, depth)))
  const { type, properties, items } = node
  if (properties && depth > 0) return { type: 'object', properties: outlines(properties, detail, depth - 1) }
  if (items && depth > 0 && isWorthTelling(items, detail)) return { type: 'array', items: outline(items, detail, depth - 1) }
  const values = node.const === undefined ? node.enum : [node.const]
  return { type: type ?? typeof values?.[0], ...(detail.enums && values && { enum: values }) }
}

function outlines(properties: Record<string, JsonSchema>, detail: Detail, depth: number): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, schema]) => isWorthTelling(schema, detail))
      .map(([name, schema]) => [name, outline(schema, detail, depth)]),
  )
}

/** What may be anything has no schema at all. */
function isWorthTelling(schema: JsonSchema, { nullables }: Detail): boolean {
  const alternatives = alternativesOf(schema)
  if (alternatives) return nullables || !alternatives.some(({ type }) => type === 'null')
  return (schema.type ?? schema.enum ?? schema.const) !== undefined
}

const alternativesOf = (schema: JsonSchema) => schema.anyOf ?? schema.oneOf ?? typesOf(schema)

/** A list of types is legal, but not every client reads it. */
const typesOf = ({ type }: JsonSchema): JsonSchema[] | undefined => (Array.isArray(type) ? type.map((each) => ({ type: each })) : undefined)

function oneOfThem(alternatives: JsonSchema[]): JsonSchema {
  const different = [...new Map(alternatives.map((each) => [JSON.stringify(each), each])).values()]
  return different.length === 1 && different[0] ? different[0] : { anyOf: different }
}

function pick(node: JsonSchema, names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.filter((name) => name in node).map((name) => [name, node[name]]))
}

const mapValues = (record: Record<string, JsonSchema>, change: (schema: JsonSchema) => JsonSchema) =>
  Object.fromEntries(Object.entries(record).map(([name, schema]) => [name, change(schema)]))
