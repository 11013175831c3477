// Calls of tools in which one argument stands where it does not belong, or looks as it should not.

import type { Attempt, Case, Wrong } from './wrong-case.ts'
import { oddNames, oddValues, twice } from './wrong-forms.ts'

/** A call of the tool. What is given wins over what it would be; text is sent as it is. */
export function call(
  { entry, random }: Case,
  given: unknown,
  change: { params?: object; message?: object; headers?: Record<string, string>; query?: string; text?: (body: string) => string } = {},
): Attempt['request'] {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: entry.tool, arguments: given, ...change.params },
    ...change.message,
  }
  const body = JSON.stringify(random.chance(0.1) && !change.text ? [message] : message)
  return {
    method: 'POST',
    path: `/api/mcp${change.query ?? ''}`,
    headers: { 'content-type': 'application/json', ...change.headers },
    body: change.text ? change.text(body) : body,
  }
}

const without = (input: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => name !== field))
const isField = ({ entry, field }: Case) => field in (entry.input.properties ?? {})

/** An argument, or the key of a write, which is one as well. */
function moved(each: Case): { field: string; value: unknown; rest: Record<string, unknown> } | undefined {
  if (each.entry.effect !== 'read' && each.random.chance(0.2)) return { field: 'idempotency_key', value: 'k1', rest: each.input }
  if (!isField(each)) return undefined
  return { field: each.field, value: each.value, rest: each.random.chance(0.7) ? without(each.input, each.field) : each.input }
}

export const wrongCalls: Record<string, (each: Case) => Wrong> = {
  'beside the arguments': (each) => {
    const it = moved(each)
    return it && { request: call(each, it.rest, { params: { [it.field]: it.value } }), named: it.field }
  },
  'beside params': (each) => {
    const it = moved(each)
    return it && { request: call(each, it.rest, { message: { [it.field]: it.value } }), named: it.field }
  },
  'in _meta': (each) => {
    const it = moved(each)
    return it && { request: call(each, it.rest, { params: { _meta: { [it.field]: it.value } } }), named: it.field }
  },
  'in a header of the tool server': (each) => {
    const it = moved(each)
    if (!it) return undefined
    const name = each.random.pick([it.field, it.field.replaceAll('_', '-')])
    return { request: call(each, it.rest, { headers: { [name]: encodeURIComponent(String(it.value)) } }), named: false }
  },
  'in the query of the tool server': (each) => {
    const it = moved(each)
    return it && { request: call(each, it.rest, { query: `?${it.field}=${encodeURIComponent(String(it.value))}` }), named: false }
  },
  'one level too deep in the arguments': (each) => {
    const around = each.random.pick(['input', 'arguments', 'params', 'data'])
    return { request: call(each, { ...without(each.input, each.field), [around]: { [each.field]: each.value } }), named: false }
  },
  'arguments under another name': (each) => {
    const name = each.random.pick(['args', 'input', 'Arguments', 'parameters', 'argument'])
    return { request: call(each, undefined, { params: { [name]: each.input } }), named: false }
  },
  'arguments of another kind': (each) => ({
    request: call(each, each.random.pick([null, [], [each.input], JSON.stringify(each.input), 1, true, ''])),
    named: false,
  }),
  'an argument of another tool': (each) => {
    const name = each.random.pick(Object.keys(each.random.pick(each.entries).input.properties ?? {}))
    if (name === undefined || name in (each.entry.input.properties ?? {})) return undefined
    return { request: call(each, { ...each.input, [name]: each.ids[name] ?? true }), named: name }
  },
  'an argument by another name': (each) => {
    const name = each.random.pick(oddNames(each.field))
    if (name in (each.entry.input.properties ?? {})) return undefined
    const text = (body: string) =>
      body.replace(
        '"arguments":{',
        `"arguments":{${JSON.stringify(name)}:${JSON.stringify(each.value)}${Object.keys(each.input).length > 0 ? ',' : ''}`,
      )
    return { request: call(each, each.input, { text }), named: false }
  },
  'an argument of another value': (each) => {
    if (!isField(each)) return undefined
    const given = { ...each.input, [each.field]: each.random.pick(oddValues(each.field, each.value)) }
    return { request: call(each, given), allowed: each.takes(given) }
  },
  'an argument given twice': (each) => {
    if (!isField(each)) return undefined
    const given = twice(each.random, without(each.input, each.field), each.field, each.value)
    return { request: call(each, 'PLACE', { text: (body) => body.replace('"PLACE"', () => given) }) }
  },
  'a member given twice': (each) => {
    const name = each.random.pick(['"arguments":', '"name":', '"params":', '"method":', '"id":'])
    const other = each.random.pick(['{}', '1', '"list_sites"'])
    return { request: call(each, each.input, { text: (body) => body.replace(name, () => `${name}${other},${name}`) }), named: false }
  },
}
