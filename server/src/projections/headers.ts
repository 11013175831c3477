import type { IncomingHttpHeaders } from 'node:http'
import type { FieldError } from '../kernel/problem.ts'

/** Every request has one, whatever it asks. */
const inEach = 'host'

/** The fields that came as headers, where they would be passed over. Any other header is nobody's concern. */
export function misplacedHeaders(fields: readonly string[], headers: IncomingHttpHeaders, place: string): FieldError[] {
  const given = fields.filter((name) => name !== inEach && (name in headers || name.replaceAll('_', '-') in headers))
  return given.map((path) => ({ path, message: `It goes into the ${place}, not into a header.` }))
}
