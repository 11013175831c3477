import type { IncomingHttpHeaders } from 'node:http'
import type { FieldError } from '../kernel/problem.ts'

/** Every request has one, whatever it asks. */
const inEach = 'host'

/** Tells which of the fields came as headers, where they would be passed over. Any other header is nobody's concern. */
export function headersOf(fields: readonly string[], place: string): (headers: IncomingHttpHeaders) => FieldError[] {
  const message = `It goes into the ${place}, not into a header.`
  const spelled = fields
    .filter((name) => name !== inEach)
    .flatMap((name) => [name, name.replaceAll('_', '-')].map((as) => [as, name] as const))
  const fieldOf = new Map(spelled)
  return (headers) => {
    const given = new Set<string>()
    for (const header in headers) {
      const field = fieldOf.get(header)
      if (field !== undefined) given.add(field)
    }
    return Array.from(given, (path) => ({ path, message }))
  }
}
