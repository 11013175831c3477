// Requests from our own descriptions: valid, nearly valid and wild. The same seed makes the same requests.
import type { JsonSchema } from '../src/projections/manifest.ts'
import type { Tool } from '../src/projections/mcp-tools.ts'
import { contentTypes, deep, methods, oddHeaders, outside, rawPaths, texts, wild } from './fuzz-words.ts'

export interface FuzzRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
}

export interface OpenApi {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, JsonSchema> }
}

interface Described {
  parameters?: { name: string; in: string; schema: JsonSchema }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content?: object; $ref?: string }>
}

export interface Material {
  api: OpenApi
  tools: Tool[]
  /** Authorization headers; the first is allowed everything a token may do. */
  authorizations: (string | undefined)[]
  /** Ids that exist, here or elsewhere, by the name of their field. */
  ids: Record<string, string[]>
}

export type Random = ReturnType<typeof randomOf>

/** mulberry32 and what is made of it. */
export function randomOf(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number) => Math.floor(next() * most)
  const chance = (share: number) => next() < share
  function pick<T>(values: readonly T[]): T {
    return values[below(values.length)] as T
  }
  return { next, below, chance, pick }
}

/** The next request. */
export function requestOf(random: Random, material: Material): FuzzRequest {
  const kind = random.next()
  const request = kind < 0.35 ? mcpRequest(random, material) : kind < 0.42 ? elsewhere(random, material) : restRequest(random, material)
  const authorization = random.chance(0.6) ? material.authorizations[0] : random.pick(material.authorizations)
  if (authorization !== undefined) request.headers.authorization = authorization
  while (random.chance(0.12)) {
    const [name, value] = random.pick(oddHeaders)
    request.headers[name] = value
  }
  return request
}

function restRequest(random: Random, material: Material): FuzzRequest {
  const [template, verbs] = random.pick(Object.entries(material.api.paths))
  const [verb, described] = random.pick(Object.entries(verbs))
  const method = random.chance(0.05) ? random.pick(methods) : random.chance(0.05) && verb === 'get' ? 'HEAD' : verb.toUpperCase()
  const query = new URLSearchParams()
  for (const { name, in: where, schema } of described.parameters ?? [])
    if (where === 'query' && random.chance(0.4))
      do query.append(name, wellFormed(random, schema, material, name))
      while (random.chance(0.05))
  if (random.chance(0.05)) query.append(random.pick(texts).slice(0, 50).toWellFormed(), random.pick(texts).slice(0, 50).toWellFormed())
  const path = `/api/v1${template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(random, material, name))}`
  const schema = described.requestBody?.content['application/json']?.schema
  const posted = schema ? jsonBody(random, aValue(random, resolve(material, schema, random), material, '')) : undefined
  const sent = posted ?? (random.chance(0.03) ? Buffer.from('{"a":1}') : undefined)
  return {
    method,
    path: String(query) === '' ? path : `${path}?${query}`,
    headers: { ...typed(random, sent), ...(random.chance(0.5) && verb === 'post' && { 'idempotency-key': `key-${random.below(40)}` }) },
    body: sent,
  }
}

const typed = (random: Random, body: Buffer | undefined): Record<string, string> => {
  if (!body) return {}
  return random.chance(0.95)
    ? { 'content-type': 'application/json' }
    : random.chance(0.2)
      ? {}
      : { 'content-type': random.pick(contentTypes) }
}

function elsewhere(random: Random, { ids }: Material): FuzzRequest {
  const path =
    random.pick(outside) + (random.chance(0.2) ? `/${random.pick(rawPaths)}` : '') + (random.chance(0.1) ? `?${random.pick(rawPaths)}` : '')
  const body = random.chance(0.4) ? jsonBody(random, random.pick(wild)) : undefined
  return {
    method: random.chance(0.6) ? 'GET' : random.pick(methods),
    path,
    headers: { ...typed(random, body), 'svc-site': random.pick(ids.site_id ?? ['']) },
    body,
  }
}

function mcpRequest(random: Random, material: Material): FuzzRequest {
  const modern = random.chance(0.4)
  const first = message(random, material, modern)
  const batch = !modern && random.chance(0.15)
  const value = batch
    ? Array.from({ length: random.below(random.chance(0.1) ? 60 : 6) }, () => message(random, material, random.chance(0.1)))
    : first
  const { method, params } = first as { method?: unknown; params?: { name?: unknown } | null }
  const mirrored = modern && {
    'mcp-protocol-version': '2026-07-28',
    ...(typeof method === 'string' && { 'mcp-method': headerText(method) }),
    ...(typeof params?.name === 'string' && { 'mcp-name': headerText(params.name) }),
  }
  const body = jsonBody(random, value)
  return {
    method: random.chance(0.97) ? 'POST' : random.pick(methods),
    path: '/api/mcp',
    headers: { ...typed(random, body), ...mirrored },
    body,
  }
}

const headerText = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`)

function message(random: Random, material: Material, modern: boolean): object {
  if (random.chance(0.03)) return { jsonrpc: '2.0', id: random.pick(wild), method: random.pick(wild), params: random.pick(wild) }
  const method = random.chance(0.8)
    ? 'tools/call'
    : random.pick(['tools/list', 'initialize', 'ping', 'server/discover', 'notifications/initialized', 'resources/list', 'constructor', ''])
  const _meta = modern && {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': random.chance(0.95) ? {} : random.pick(wild),
    },
  }
  const tool = random.pick(material.tools)
  const call = {
    name: random.chance(0.95) ? tool.name : random.pick(wild),
    arguments: random.chance(0.95) ? aValue(random, tool.inputSchema, material, '') : random.pick(wild),
  }
  const params =
    method === 'tools/call'
      ? call
      : method === 'initialize'
        ? { protocolVersion: random.chance(0.5) ? '2025-06-18' : random.pick(wild) }
        : {}
  return {
    jsonrpc: random.chance(0.98) ? '2.0' : random.pick(wild),
    ...(random.chance(0.95) && { id: random.chance(0.9) ? random.below(1000) : random.pick(wild) }),
    method,
    params: { ...params, ..._meta },
  }
}

/** Mostly JSON; sometimes cut, doubled, deep, huge or no text at all. */
function jsonBody(random: Random, value: unknown): Buffer {
  const json = JSON.stringify(value) ?? 'undefined'
  const kind = random.next()
  if (kind < 0.9) return Buffer.from(json)
  if (kind < 0.92) return Buffer.from(json.slice(0, random.below(json.length + 1)))
  if (kind < 0.94) return Buffer.from(json.replace(/^\{/, '{"action":"ping","summary":1,"summary":"twice",'))
  if (kind < 0.95) return Buffer.from(deep(20_000))
  if (kind < 0.96) return Buffer.from(`{"a":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`)
  if (kind < 0.965) return Buffer.alloc(70_000 + random.below(1_100_000), ' ')
  if (kind < 0.97) return Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28])
  if (kind < 0.98) return Buffer.from(`\ufeff${json}`)
  return random.chance(0.5) ? Buffer.alloc(0) : Buffer.from(JSON.stringify(random.pick(wild)) ?? '')
}

/** A value that fits the schema, or nearly, or not at all. */
function aValue(random: Random, schema: JsonSchema, material: Material, name: string): unknown {
  if (random.chance(0.06)) return random.pick(wild)
  if (name in material.ids && random.chance(0.9)) return random.pick(material.ids[name] ?? [])
  if (name === 'wait_seconds') return random.chance(0.9) ? 0 : random.pick([1, -1, 26, '1', 0.5])
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) return aValue(random, random.pick(branches), material, name)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).filter(([field]) =>
        random.chance(schema.required?.includes(field) ? 0.96 : 0.4),
      )
      const made = Object.fromEntries(fields.map(([field, inner]) => [field, aValue(random, inner, material, field)]))
      return random.chance(0.04) ? { ...made, [random.pick(texts)]: random.pick(wild) } : made
    }
    case 'array':
      return Array.from({ length: random.below(4) }, () => aValue(random, schema.items ?? {}, material, name))
    case 'integer':
    case 'number':
      return random.chance(0.8) ? random.below(300) : random.pick([0, -1, 1.5, 201, 1e21, 2 ** 53])
    case 'boolean':
      return random.chance(0.5)
    case 'string':
      return random.chance(0.6)
        ? random.pick(['garden', 'example.com', '2026-11-19T09:30:00Z', 'full', 'db', 'update', 'ping', 'Logged by a machine'])
        : random.pick(texts)
    default:
      return random.pick(wild)
  }
}

const wellFormed = (random: Random, schema: JsonSchema, material: Material, name: string) => {
  const value = aValue(random, schema, material, name)
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 3000).toWellFormed()
}

export function segment(random: Random, { ids }: Material, name: string): string {
  if (random.chance(0.85)) return encodeURIComponent(random.pick(ids[name] ?? ['x']))
  return random.chance(0.5) ? random.pick(rawPaths) : encodeURIComponent(random.pick(texts).toWellFormed().slice(0, 300)) || 'x'
}

function resolve({ api }: Material, schema: JsonSchema, random: Random): JsonSchema {
  const chosen = schema.oneOf ? random.pick(schema.oneOf) : schema
  const ref = chosen.$ref
  return typeof ref === 'string' ? (api.components.schemas[ref.slice(ref.lastIndexOf('/') + 1)] ?? chosen) : chosen
}
