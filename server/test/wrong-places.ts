// Requests in which one field stands where it does not belong, or looks as it should not. The same seed makes the same requests.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { splitPath } from '../src/projections/command.ts'
import type { Entry, JsonSchema } from '../src/projections/manifest.ts'
import type { Random } from './fuzz-requests.ts'
import type { Attempt, Case, Wrong } from './wrong-case.ts'
import { type Ids, oddNames, oddSegments, oddValues, oneOf, plainInput, twice } from './wrong-forms.ts'
import { call, wrongCalls } from './wrong-tool-calls.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = new WeakMap<Entry, (input: unknown) => boolean>()

/** The next attempt. */
export function wrongAttempt(random: Random, entries: readonly Entry[], ids: Ids): Attempt {
  for (;;) {
    const entry = random.pick(entries)
    const takes = validators.get(entry) ?? ajv.compile(entry.input)
    validators.set(entry, takes)
    const [field, schema] = random.pick([...Object.entries(entry.input.properties ?? {}), ['dry_run', { type: 'boolean' }] as const])
    const input = plainInput(entry, ids)
    const value = oneOf(field, schema, ids, input[field] ?? entry.example[field])
    const each: Case = { random, entry, entries, ids, input, field, schema, value, takes }
    const [how, make] = random.pick(Object.entries(entry.tool && random.chance(0.4) ? wrongCalls : wrongRequests))
    const wrong = make(each)
    // What is allowed must have no effect at all: nor a look at the site, which only what is cached leaves alone.
    const looks = entry.waits && (field === 'cached' || !('cached' in input))
    if (!wrong || (wrong.allowed && (entry.effect !== 'read' || looks))) continue
    const { request, allowed = false, named = field } = wrong
    return { operation: entry.name, field, how, request, allowed, named: (!allowed && named) || undefined }
  }
}

/** Requests with nothing wrong: every read, and every write that can be tried without doing it. */
export function rightRequests(random: Random, entries: readonly Entry[], ids: Ids): Attempt['request'][] {
  return entries.flatMap((entry) => {
    const tried = 'dry_run' in (entry.input.properties ?? {})
    if (entry.effect !== 'read' && !tried) return []
    const input = { ...plainInput(entry, ids), ...(tried && { dry_run: true }) }
    const each: Case = { random, entry, entries, ids, input, field: '', schema: {}, value: undefined, takes: () => true }
    return entry.tool ? [rest(each, input), call(each, input)] : [rest(each, input)]
  })
}

/** A request of the case with these fields, the one in question among them or not. */
function rest(
  { random, entry }: Case,
  fields: Record<string, unknown>,
  change: { path?: string; query?: [string, unknown][]; body?: string; headers?: Record<string, string> } = {},
): Attempt['request'] {
  const { method, path, inPath } = addressOf(random, entry, fields)
  const beside = Object.entries(fields).filter(([name]) => !inPath.includes(name))
  const posted = method === 'POST'
  const asked = [...(posted ? [] : beside), ...(change.query ?? [])]
  const query = asked.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(asText(value))}`).join('&')
  const object = { ...(entry.action && { action: entry.action }), ...Object.fromEntries(beside) }
  const body = change.body ?? (posted ? JSON.stringify(object) : undefined)
  return {
    method,
    path: `/api/v1${path}${change.path ?? ''}${query && `?${query}`}`,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...change.headers },
    body,
  }
}

/** Of its addresses one whose fields are all there. */
function addressOf(random: Random, entry: Entry, fields: Record<string, unknown>) {
  const fitting = entry.http.filter((http) => splitPath(http).fields.every((name) => name in fields))
  const { method, path, fields: inPath } = splitPath(random.pick(fitting.length > 0 ? fitting : entry.http))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name])))
  return { method: method.toUpperCase(), path: filled, inPath }
}

const asText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
const without = (input: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => name !== field))
const isPosted = ({ entry }: Case) => entry.http.every((http) => http.startsWith('POST '))
const isInPath = ({ entry, field }: Case) => entry.http.some((http) => http.includes(`{${field}}`))

/** As the text of a query is read: what a type does not say is text. */
function fromText({ type }: JsonSchema, text: string): unknown {
  if (type === 'integer' && /^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text)
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text
}

const wrongRequests: Record<string, (each: Case) => Wrong> = {
  'in the query of a POST': (each) => {
    if (!isPosted(each) || isInPath(each)) return undefined
    const body = each.random.chance(0.7) ? without(each.input, each.field) : each.input
    return { request: rest(each, body, { query: [[each.field, each.value]] }) }
  },
  'in the body of a request without one': (each) => {
    if (isPosted(each)) return undefined
    return {
      request: rest(each, isInPath(each) ? each.input : without(each.input, each.field), {
        body: JSON.stringify({ [each.field]: each.value }),
      }),
      named: false,
    }
  },
  'beside its place in the path': (each) => {
    if (!each.entry.http.every((http) => http.includes(`{${each.field}}`))) return undefined
    const path = rest(each, each.input)
    if (each.random.chance(0.5) || !isPosted(each))
      return { request: { ...path, path: `${path.path}${path.path.includes('?') ? '&' : '?'}${each.field}=${String(each.value)}` } }
    return { request: { ...path, body: JSON.stringify({ ...JSON.parse(path.body ?? '{}'), [each.field]: each.value }) } }
  },
  'in a header': (each) => {
    if (isInPath(each) || !(each.field in (each.entry.input.properties ?? {}))) return undefined
    const name = each.random.pick([each.field, each.field.replaceAll('_', '-')])
    return { request: rest(each, without(each.input, each.field), { headers: { [name]: encodeURIComponent(asText(each.value)) } }) }
  },
  'one level too deep': (each) => {
    if (isInPath(each)) return undefined
    const around = each.random.pick(['input', 'arguments', 'params', 'data', 'body', 'fields'])
    return { request: rest(each, { ...without(each.input, each.field), [around]: { [each.field]: each.value } }), named: false }
  },
  'behind the path': (each) => {
    const tail = each.random.pick([
      `/${each.field}/${encodeURIComponent(asText(each.value))}`,
      `;${each.field}=true`,
      `/${each.field}`,
      `&${each.field}=true`,
      `%3F${each.field}=true`,
    ])
    return { request: rest(each, each.input, { path: tail }), named: false }
  },
  'a field of another operation': (each) => {
    const name = each.random.pick(Object.keys(each.random.pick(each.entries).input.properties ?? { dry_run: true }))
    const { input, ignores = [] } = each.entry
    if (name === undefined || name in (input.properties ?? {}) || name === 'action' || ignores.includes(name)) return undefined
    return { request: rest(each, { ...each.input, [name]: each.ids[name] ?? true }), named: name }
  },
  'the key as a field': (each) => ({ request: rest(each, { ...each.input, idempotency_key: 'k1' }), named: false }),
  'another name': (each) => {
    const name = each.random.pick(oddNames(each.field))
    if (isInPath(each) || name in (each.entry.input.properties ?? {})) return undefined
    const request = isPosted(each)
      ? rest(each, each.input, {
          body: JSON.stringify(each.input).replace(
            /^\{/,
            `{${each.entry.action ? `"action":"${each.entry.action}",` : ''}${JSON.stringify(name)}:${JSON.stringify(each.value)}${Object.keys(each.input).length > 0 ? ',' : ''}`,
          ),
        })
      : rest(each, without(each.input, each.field), { query: [[name, each.value]] })
    return { request, named: false }
  },
  'another value': (each) => {
    if (isInPath(each) || !(each.field in (each.entry.input.properties ?? {}))) return undefined
    const value = each.random.pick(oddValues(each.field, each.value))
    const meant = isPosted(each) ? value : fromText(each.schema, asText(value))
    return { request: rest(each, { ...each.input, [each.field]: value }), allowed: each.takes({ ...each.input, [each.field]: meant }) }
  },
  'another piece of the path': (each) => {
    const id = String(each.ids[each.field])
    if (!isInPath(each) || !(each.field in each.ids)) return undefined
    const request = rest(each, { ...each.input, [each.field]: 'PLACE' })
    return { request: { ...request, path: request.path.replace('PLACE', each.random.pick(oddSegments(id))) }, named: false }
  },
  'given twice': (each) => {
    if (isInPath(each) || !(each.field in (each.entry.input.properties ?? {}))) return undefined
    const others = without(each.input, each.field)
    if (!isPosted(each)) {
      const name = each.random.pick([each.field, `%${each.field.charCodeAt(0).toString(16)}${each.field.slice(1)}`])
      const { path, ...request } = rest(each, others, { query: [[each.field, each.value]] })
      return { request: { ...request, path: `${path}&${name}=${encodeURIComponent(asText(each.random.pick([each.value, 'false', ''])))}` } }
    }
    const { fields } = splitPath(each.entry.http[0] ?? 'GET /')
    const beside = Object.fromEntries(Object.entries(others).filter(([name]) => !fields.includes(name)))
    const body = twice(each.random, { ...(each.entry.action && { action: each.entry.action }), ...beside }, each.field, each.value)
    return { request: rest(each, each.input, { body }) }
  },
  'the action twice': (each) => {
    if (!each.entry.action) return undefined
    const fields = without(each.input, 'site_id')
    return {
      request: rest(each, each.input, { body: twice(each.random, fields, 'action', each.random.pick([each.entry.action, 'ping'])) }),
      named: false,
    }
  },
  'sent as something else': (each) => {
    const request = rest(each, each.input)
    if (request.body === undefined) return undefined
    const [name, value] = each.random.pick([
      ['content-type', 'text/plain'],
      ['content-type', 'application/x-www-form-urlencoded'],
      ['content-type', 'application/json; charset=utf-16'],
      ['content-type', 'application/vnd.api+json'],
      ['content-type', ''],
      ['content-encoding', 'gzip'],
    ] as const)
    return { request: { ...request, headers: { ...request.headers, [name]: value } }, named: false }
  },
}
