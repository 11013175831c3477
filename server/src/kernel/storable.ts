import type { FieldError } from './problem.ts'

/** The texts in a value that the database cannot hold: those with a NUL or with half a character (a lone surrogate). */
export function unstorable(value: unknown, path = '', found: FieldError[] = []): FieldError[] {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0')) found.push({ path, message: 'Must not contain NUL or half characters.' })
  } else if (value !== null && typeof value === 'object') {
    const inner = value as Record<string, unknown>
    for (const name in inner) unstorable(inner[name], path ? `${path}.${name}` : name, found)
  }
  return found
}
