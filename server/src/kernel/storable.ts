import type { FieldError } from './problem.ts'

/** The texts in a value that the database cannot hold: those with a NUL or with half a character (a lone surrogate). */
export function unstorable(value: unknown, path = ''): FieldError[] {
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0') ? [] : [{ path, message: 'Must not contain NUL or half characters.' }]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => unstorable(inner, path ? `${path}.${name}` : name))
}
