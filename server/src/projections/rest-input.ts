// What a request asks: every field from the one place it has, and a refusal of whatever stands anywhere else.
import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isJsonType, parseJson } from '../kernel/json.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { type FieldError, Problem } from '../kernel/problem.ts'
import { headersOf } from './headers.ts'

type Fields = Record<string, unknown>

/** The operation a request means, and its input, to be read only once the caller was admitted. */
export function choose(operations: readonly AnyOperation[], request: FastifyRequest): { operation: AnyOperation; input: () => unknown } {
  const [first] = operations
  if (!first) throw new Error('A route has no operation.')
  if (first.action === undefined) return { operation: first, input: () => inputOf(first, request) }
  const { action, ...fields } = jsonBody(request)
  const operation = operations.find((candidate) => candidate.action === action)
  if (!operation)
    throw notValid([{ path: 'action', message: `Must be one of ${operations.map((candidate) => candidate.action).join(', ')}.` }])
  const { ignores = [] } = operation
  const meant = Object.fromEntries(Object.entries(fields).filter(([name]) => !ignores.includes(name)))
  return { operation, input: () => inputOf(operation, request, meant) }
}

function inputOf(operation: AnyOperation, request: FastifyRequest, body?: Fields): unknown {
  const posted = request.method === 'POST'
  const query = queryOf(request.raw.url ?? '')
  const errors = [
    ...inHeaders(operation, posted ? 'body' : 'query')(request.headers),
    ...(posted ? inQuery(operation, request, query) : inBody(request)),
  ]
  if (errors.length > 0) throw notValid(errors)
  return withPath(posted ? (body ?? jsonBody(request)) : fromQuery(operation, query), request)
}

const headerChecks = new WeakMap<AnyOperation, ReturnType<typeof headersOf>>()

/** Made once: an operation is asked for by one method. */
function inHeaders(operation: AnyOperation, place: 'body' | 'query') {
  const known = headerChecks.get(operation)
  if (known) return known
  const check = headersOf(Object.keys(operation.input.shape), place)
  headerChecks.set(operation, check)
  return check
}

const notValid = (errors: FieldError[]) => new Problem('invalid_payload', 'Some fields are not valid.', { errors: errors.slice(0, 50) })

/** A POST has its fields in the body. One that were overlooked in the query would make it do something else. */
function inQuery({ input, action }: AnyOperation, request: FastifyRequest, query: [string, string][]): FieldError[] {
  return query.map(([name]) => {
    if (isInPath(request, name)) return { path: name, message: inThePath }
    const known = name in input.shape || (name === 'action' && action !== undefined)
    return {
      path: name.slice(0, 200),
      message: known ? 'Put it into the body, not into the query.' : 'There is no such field. Leave it out.',
    }
  })
}

function inBody({ method, headers }: FastifyRequest): FieldError[] {
  if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined) return []
  return [{ path: '', message: `A ${method} has no body; put its fields into the query.` }]
}

const inThePath = 'It is in the path; leave it out here.'
const isInPath = ({ params }: FastifyRequest, name: string) => Object.hasOwn(params as Fields, name)

/** Path fields come from the path alone. */
function withPath(fields: Fields, request: FastifyRequest): Fields {
  const twice = Object.keys(fields).filter((name) => isInPath(request, name))
  if (twice.length > 0) throw notValid(twice.map((path) => ({ path, message: inThePath })))
  return { ...fields, ...(request.params as Fields) }
}

function jsonBody({ body, headers }: FastifyRequest): Fields {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  if (!isJsonType(headers)) throw new Problem('unsupported_media_type', 'Send the body as Content-Type: application/json, not compressed.')
  if (!isUtf8(body)) throw new Problem('invalid_payload', 'The body is not UTF-8.')
  const value = parseJson(body.toString('utf8'))
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Fields
  throw new Problem('invalid_payload', 'The body must be a JSON object.')
}

/** The names and values of a query. What follows a `#` counts as well: no client sends one, and nothing is passed over. */
function queryOf(url: string): [string, string][] {
  const at = url.search(/[?#]/)
  const pairs =
    at < 0
      ? []
      : url
          .slice(at + 1)
          .split('&')
          .filter(Boolean)
  return pairs.map((pair) => {
    const equals = pair.indexOf('=')
    return equals < 0 ? [plain(pair), ''] : [plain(pair.slice(0, equals)), plain(pair.slice(equals + 1))]
  })
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new Problem('invalid_payload', 'The query is not percent-encoded UTF-8.', { cause })
  }
}

const jsonTypes = new WeakMap<AnyOperation, Record<string, string | undefined>>()

/** A query string has no numbers or booleans, so fields that are not text are read as what the schema says. */
function fromQuery(operation: AnyOperation, query: [string, string][]): Fields {
  const types = jsonTypes.get(operation) ?? typesOf(operation)
  const given = new Map<string, unknown>()
  const twice: FieldError[] = []
  for (const [name, text] of query) {
    const before = given.get(name)
    if (types[name] === 'array') given.set(name, [...(Array.isArray(before) ? before : []), text])
    else if (given.has(name)) twice.push({ path: name.slice(0, 200), message: 'It is given twice. Give it once.' })
    else given.set(name, read(types[name], text))
  }
  if (twice.length > 0) throw notValid(twice)
  return Object.fromEntries(given)
}

function typesOf(operation: AnyOperation): Record<string, string | undefined> {
  const { properties = {} } = z.toJSONSchema(operation.input, { io: 'input' })
  const types = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, (schema as { type?: string }).type]))
  jsonTypes.set(operation, types)
  return types
}

function read(type: string | undefined, value: string): unknown {
  if (type === 'integer' && /^(0|-?[1-9]\d{0,14})$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}
