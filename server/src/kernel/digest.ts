import { createHash } from 'node:crypto'

/** The SHA-256 of a value, in hex; the order of the fields does not matter. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}

/** The same text for the same value, in whatever order its fields came. */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value)) ?? 'null'

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
