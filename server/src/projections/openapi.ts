import { mayWait } from '../kernel/operation.ts'
import { exampleBody, splitPath } from './command.ts'
import {
  answerOf,
  awaitingSchema,
  type Entry,
  failuresOf,
  fieldsBeside,
  forTokens,
  type JsonSchema,
  type Manifest,
  wholeList,
} from './manifest.ts'
import { headers, idempotencyKey, problemResponses, problemSchema, rangeHeaders, why } from './openapi-parts.ts'

type Json = Record<string, unknown>

/** What a token may do over REST, as OpenAPI 3.1, for generators, gateways and readers. */
export function openapi(manifest: Manifest): Json {
  const { operations, problems } = forTokens(manifest)
  const schemas: Record<string, JsonSchema> = { Problem: problemSchema(problems), AwaitingApproval: awaitingSchema() }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Site fleet service',
      version: '1',
      description: `Manages a fleet of WordPress sites. Lists are bare arrays, and objects with counts and totals for whoever accepts ${wholeList}; errors are application/problem+json (RFC 9457).`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    tags: [...new Set(operations.map(nounOf))].map((name) => ({ name })),
    paths: pathsOf(operations, schemas),
    components: {
      schemas,
      headers,
      parameters: { IdempotencyKey: idempotencyKey, Why: why, ...rangeHeaders },
      responses: problemResponses(problems),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A token: svc_ and 38 letters and digits.' } },
    },
  }
}

const nounOf = ({ name }: Entry) => name.slice(0, name.indexOf('.'))

function pathsOf(operations: readonly Entry[], schemas: Record<string, JsonSchema>): Json {
  const paths: Record<string, Json> = {}
  for (const [http, entries] of byPath(operations)) {
    const { method, path } = splitPath(http)
    paths[path] = { ...paths[path], [method]: describe(http, entries, schemas) }
  }
  return paths
}

/** Several operations may share one POST; each of them then has an `action`. */
function byPath(operations: readonly Entry[]): Map<Entry['http'][number], [Entry, ...Entry[]]> {
  const found: ReturnType<typeof byPath> = new Map()
  for (const entry of operations)
    for (const http of entry.http) {
      const earlier = found.get(http)
      if (earlier) earlier.push(entry)
      else found.set(http, [entry])
    }
  return found
}

function describe(http: Entry['http'][number], entries: [Entry, ...Entry[]], schemas: Record<string, JsonSchema>): Json {
  const [first] = entries
  const one = entries.length === 1 && !first.action
  return {
    operationId: one ? idOf(http, first) : sharedId(http),
    tags: [nounOf(first)],
    summary: one ? first.summary : entries.map(({ title }) => title).join(', '),
    ...(one ? first.guidance && { description: first.guidance } : { description: entries.map(inOneLine).join('\n') }),
    security: [{ token: [...new Set(entries.map(({ scope }) => scope))].length === 1 ? [first.scope] : [] }],
    parameters: parametersOf(http, first),
    ...bodyOf(http, entries, schemas),
    responses: responsesOf(http, entries),
    'x-scope': one ? first.scope : Object.fromEntries(entries.map(({ action, scope }) => [action, scope])),
  }
}

const inOneLine = ({ action, summary, scope }: Entry) => `- \`${action}\`: ${summary} Needs the ${scope} scope.`

/** An alias is named for where it lives: `activity.list` at /sites/{site_id}/activity is `activity.list.sites`. */
function idOf(http: string, { name, http: [home] }: Entry): string {
  return http === home ? name : `${name}.${staticParts(http)[0]}`
}

const sharedId = (http: string) => staticParts(http).join('.')
const staticParts = (http: string) => http.split('/').filter((part, i) => i > 0 && !part.startsWith('{'))

function parametersOf(http: Entry['http'][number], entry: Entry): Json[] {
  const { method, fields } = splitPath(http)
  const { properties = {} } = entry.input
  const inPath = fields.map((name) => parameter({ name, where: 'path', required: true, schema: properties[name] }, entry))
  const reason = mayWait(entry) ? [{ $ref: '#/components/parameters/Why' }] : []
  if (method === 'post') return [...inPath, { $ref: '#/components/parameters/IdempotencyKey' }, ...reason]
  const inQuery = fieldsBeside(entry, fields).map((field) => parameter({ ...field, where: 'query' }, entry))
  const inHeaders = entry.bytes ? Object.keys(rangeHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })) : []
  return [...inPath, ...inQuery, ...inHeaders, ...reason]
}

interface Parameter {
  name: string
  where: 'path' | 'query'
  required: boolean
  schema?: JsonSchema | undefined
}

function parameter({ name, where, required, schema = { type: 'string' } }: Parameter, { example }: Entry): Json {
  const { description, ...rest } = schema
  return {
    name,
    in: where,
    required,
    ...(description && { description }),
    schema: rest,
    ...(name in example && { example: example[name] }),
  }
}

function bodyOf(http: Entry['http'][number], entries: [Entry, ...Entry[]], schemas: Record<string, JsonSchema>): Json {
  const { method, fields } = splitPath(http)
  if (method !== 'post') return {}
  for (const entry of entries) schemas[inputName(entry)] = bodySchema(entry, fields)
  const [first] = entries
  const refs = entries.map((entry) => ({ $ref: `#/components/schemas/${inputName(entry)}` }))
  const examples = Object.fromEntries(entries.map((entry) => [entry.name, { summary: entry.title, value: exampleBody(entry, fields) }]))
  const schema = first.action
    ? {
        oneOf: refs,
        discriminator: { propertyName: 'action', mapping: Object.fromEntries(entries.map((entry, i) => [entry.action, refs[i]?.$ref])) },
      }
    : refs[0]
  const required = entries.every((entry) => (bodySchema(entry, fields).required ?? []).length > 0)
  return { requestBody: { required, content: { 'application/json': { schema, examples } } } }
}

const inputName = ({ name }: Entry) => `${name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Input`

function bodySchema(entry: Entry, inPath: readonly string[]): JsonSchema {
  const fields = fieldsBeside(entry, inPath).filter(({ name }) => !entry.action || name !== 'action')
  const action: Record<string, JsonSchema> = entry.action ? { action: { type: 'string', const: entry.action } } : {}
  const ignored = Object.fromEntries((entry.ignores ?? []).map((name) => [name, { description: 'Means nothing here.' }]))
  const required = [...Object.keys(action), ...fields.filter((field) => field.required).map(({ name }) => name)]
  return {
    type: 'object',
    properties: { ...action, ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema])), ...ignored },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function responsesOf(http: Entry['http'][number], entries: [Entry, ...Entry[]]): Json {
  const { method } = splitPath(http)
  const waits = entries.some(mayWait)
  const statuses = [...new Set([...entries.flatMap(statusesOf), ...(waits ? [202 as const] : [])])].sort()
  const done = statuses.map((status) => [
    String(status),
    doneAt(
      status,
      method,
      entries.filter((entry) => statusesOf(entry).includes(status)),
      waits && status === 202,
    ),
  ])
  const unchanged = method === 'get' ? { 304: { description: 'Unchanged since the ETag in If-None-Match.' } } : {}
  const failures = failuresOf(http, entries).map((status) => [String(status), { $ref: `#/components/responses/Problem${status}` }])
  const other = entries.some(({ bytes }) => bytes) ? { 206: doneAt(206, method, entries) } : unchanged
  return { ...Object.fromEntries([...done, ...failures]), ...other }
}

/** Work that turns out to need no job is done at once. */
function statusesOf({ status, output }: Entry): Entry['status'][] {
  const { type, anyOf = [] } = output?.properties?.job_id ?? {}
  const jobMayBeNull = [type, ...anyOf.map((each) => each.type)].flat().includes('null')
  return status === 202 && jobMayBeNull ? [200, 202] : [status]
}

/** What an approval-only token is told. */
const awaiting = { $ref: '#/components/schemas/AwaitingApproval' }

const says = { 200: 'Done.', 201: 'Made.', 202: 'Accepted; the work goes on as a job.', 206: 'The part that Range asked for.' }

function doneAt(status: keyof typeof says, method: string, entries: Entry[], waits = false): Json {
  const schemas = [...entries.map(answerOf), ...(waits ? [awaiting] : [])]
  const bytes = entries.some((entry) => entry.bytes)
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas }
  const names = [
    'X-Request-Id',
    'RateLimit',
    'RateLimit-Policy',
    'Svc-Notice',
    ...(method === 'get' ? ['ETag'] : []),
    ...(bytes ? ['Accept-Ranges'] : []),
    ...(status === 206 ? ['Content-Range'] : []),
    ...(method === 'post' ? ['Idempotent-Replayed'] : []),
    ...(status === 202 ? ['Location'] : []),
    ...(entries.some(({ list }) => list) ? ['Link', 'X-Total-Count'] : []),
  ]
  return {
    description: entries.length === 0 ? 'Asked for: a person decides.' : says[status],
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: entries.some(({ stream }) => stream)
      ? { 'text/event-stream': { schema: { type: 'string', description: 'Server-sent events; the data of each is JSON.' } } }
      : bytes
        ? { 'application/octet-stream': { schema: {} } }
        : { 'application/json': { schema }, ...wholeOf(entries) },
  }
}

/** A list is also to be had with what stands beside its items. */
function wholeOf([entry]: Entry[]): Json {
  if (entry?.list === undefined) return {}
  const items = { type: 'array', description: 'As in application/json.' }
  return { [wholeList]: { schema: { ...entry.output, properties: { ...entry.output?.properties, [entry.list]: items } } } }
}
