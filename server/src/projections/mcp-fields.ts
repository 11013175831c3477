// Which fields of each item an agent is shown: the few it needs to choose, or those it asked for.
import { z } from 'zod'
import { type AnyOperation, rowsOf } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import type { JsonSchema } from './manifest.ts'

type Item = Record<string, unknown>
/** A field, or a field and one of its own. */
type Path = readonly string[]

/** Names of fields, or all of them. */
export type Fields = readonly string[] | 'all'

/** The answer with these fields of its rows, and with those `where` a row has something in them. */
export function shown(rows: string | undefined, fields: Fields, answer: unknown, where: readonly string[] = []): unknown {
  if (!rows || fields === 'all') return answer
  const whole = answer as Item
  const [always, sometimes] = [pathsOf(fields), pathsOf(where)]
  const brief = (item: Item) =>
    picked(item, sometimes.length > 0 ? [...always, ...sometimes.filter((path) => hasSome(item, path))] : always)
  return { ...whole, [rows]: (whole[rows] as Item[] | null)?.map(brief) ?? null }
}

const pathsOf = (names: readonly string[]): Path[] => names.map((name) => name.split('.'))

function hasSome(item: Item, path: Path): boolean {
  const value = path.reduce<unknown>((found, name) => (found as Item | null | undefined)?.[name], item)
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

/** `update.version` leaves `{update: {version}}`, or null. */
function picked(item: Item, paths: readonly Path[]): Item {
  const found: Item = {}
  for (const [name = '', inner] of paths) {
    if (!(name in item)) continue
    const value = item[name]
    const isWhole = inner === undefined || value === null || typeof value !== 'object'
    found[name] = isWhole ? value : { ...(found[name] as Item | undefined), [inner]: (value as Item)[inner] }
  }
  return found
}

/** What an agent asked to be shown. Throws for a name that no item has. */
export function fieldsAsked(operation: AnyOperation, asked: unknown): Fields {
  if (asked === 'all') return 'all'
  const names = typeof asked === 'string' ? asked.split(',').map((name) => name.trim()) : []
  const known = knownFields(operation)
  const missing = names.filter((name) => !known.has(name))
  if (names.length > 0 && missing.length === 0) return names
  const message = known.size === 0 ? 'all, or leave it out.' : `Names with commas between them, or all. There is: ${[...known].join(', ')}.`
  throw new Problem('invalid_payload', 'Some fields are not valid.', { errors: [{ path: 'fields', message }] })
}

const remembered = new WeakMap<AnyOperation, ReadonlySet<string>>()

/** Fields of an item, and the fields of those. */
function knownFields(operation: AnyOperation): ReadonlySet<string> {
  const before = remembered.get(operation)
  if (before) return before
  const whole = z.toJSONSchema(operation.output, { io: 'output' }) as JsonSchema
  const item = whole.properties?.[rowsOf(operation) ?? '']?.items?.properties ?? {}
  const inner = (schema: JsonSchema) => schema.properties ?? schema.anyOf?.find(({ properties }) => properties)?.properties ?? {}
  const names = Object.entries(item).flatMap(([name, schema]) => [name, ...Object.keys(inner(schema)).map((each) => `${name}.${each}`)])
  const known = new Set(names)
  remembered.set(operation, known)
  return known
}
