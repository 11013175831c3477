import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { z } from 'zod'
import { fixtureOperations } from '../../test/fixture-operations.ts'
import { house } from '../../test/mcp-house.ts'
import { operations } from '../capabilities.ts'
import { type AnyOperation, isRead, rowsOf } from '../kernel/operation.ts'
import { outputWith } from '../kernel/output-with.ts'
import type { JsonSchema } from './manifest.ts'
import { fieldsAsked } from './mcp-fields.ts'
import { servedAs } from './mcp-tool-call.ts'
import { type Tool, tokens, toolOperations, tools } from './mcp-tools.ts'

/** What agents are really shown; a test elsewhere keeps this file true to the code. */
const committed = JSON.parse(readFileSync(new URL('../../../contract/tools.json', import.meta.url), 'utf8')) as Tool[]

/** Every schema inside a schema, itself first, with where it is. */
function* within(schema: JsonSchema, at = ''): Generator<[string, JsonSchema]> {
  yield [at, schema]
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* within(property, `${at}.${name}`)
  for (const inner of [schema.items ?? [], schema.anyOf ?? []].flat()) yield* within(inner, `${at}[]`)
}

const known = new Set([
  'type',
  'description',
  'properties',
  'required',
  'items',
  'anyOf',
  'enum',
  'default',
  'minimum',
  'maximum',
  'additionalProperties',
])

test('of the items of each list that is read only what agents are shown is parsed', () => {
  const lists = toolOperations(operations).filter((operation) => operation.brief && isRead(operation))
  for (const [i, tool] of tools(lists).entries()) {
    const operation = lists[i] as AnyOperation
    const { shows = [] } = servedAs(tool, operation)
    const { properties } = z.toJSONSchema(outputWith(operation, shows), { io: 'output' }) as JsonSchema
    const parsed = Object.keys(properties?.[rowsOf(operation) ?? '']?.items?.properties ?? {})
    assert.deepEqual(parsed.sort(), [...new Set(shows)].sort(), operation.name)
  }
  assert.ok(lists.length > 5)
})

test('the fields that a description of fields names are those of its own list', () => {
  const lists = toolOperations(operations).filter((operation) => operation.brief && isRead(operation))
  const told = tools(lists).map(({ inputSchema }, i) => {
    const example = String(inputSchema.properties?.fields?.description).replace(/ or all\.$/, '')
    const names = fieldsAsked(lists[i] as AnyOperation, example)
    assert.equal(names.length, 2, example)
    return example
  })
  assert.ok(told.length > 8 && told.every((example) => example.length <= 'status,since'.length), told.join(' '))
})

test('schemas are plain enough for clients of every age', () => {
  for (const { name, inputSchema, outputSchema } of [...committed, ...tools([...fixtureOperations, ...house()])]) {
    for (const root of [inputSchema, outputSchema]) {
      assert.equal(root.type, 'object')
      for (const [at, schema] of within(root)) {
        assert.deepEqual(
          Object.keys(schema).filter((key) => !known.has(key)),
          [],
          `${name}${at}`,
        )
        assert.ok(!Array.isArray(schema.type), `${name}${at} has a list of types`)
        assert.ok(schema.type ?? schema.anyOf, `${name}${at} has no type`)
      }
      assert.equal(root.anyOf, undefined)
    }
    assert.equal(inputSchema.additionalProperties, false)
    for (const [at, { additionalProperties }] of within(outputSchema)) assert.equal(additionalProperties, undefined, `${name}${at}`)
  }
})

test('every argument is described', () => {
  for (const { name, inputSchema } of committed)
    for (const [argument, { description }] of Object.entries(inputSchema.properties ?? {})) assert.ok(description, `${name}: ${argument}`)
})

test('tools name tools, never routes, and no default that the schema does not have', () => {
  for (const { name, description, inputSchema } of committed) {
    assert.doesNotMatch(description + JSON.stringify(inputSchema), /\b(?:GET|POST|DELETE) \//, name)
    for (const [at, schema] of within(inputSchema)) assert.doesNotMatch(schema.description ?? '', /default\s*:/i, `${name}${at}`)
  }
})

test('every tool says what it does, in a title and in 40 to 500 characters', () => {
  for (const { name, title, description, annotations } of committed) {
    assert.match(name, /^[a-z][a-z_]+$/)
    assert.equal(annotations.title, title)
    assert.ok(description.length >= 40 && description.length <= 500, `${name}: ${description.length}`)
  }
})

test('the four hints are said, and what destroys is marked', () => {
  const hints = Object.fromEntries(committed.map(({ name, annotations }) => [name, annotations]))
  for (const [name, { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }] of Object.entries(hints)) {
    for (const hint of [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]) assert.equal(typeof hint, 'boolean', name)
    assert.ok(!(readOnlyHint && destructiveHint), name)
    assert.equal(readOnlyHint, /^(get|list)_/.test(name), name)
    assert.equal(destructiveHint, ['restore_backup', 'undo_restore', 'update_site'].includes(name), name)
  }
})

test('what the hints cannot say stands in the descriptions', () => {
  const tool = (name: string) => committed.find((each) => each.name === name)
  const fix = tool('apply_security_fix')
  assert.match(fix?.description ?? '', /a person agree.*salts_rotated ends all sessions.*\.htaccess/)
  assert.equal(fix?.annotations.idempotentHint, false, 'again: true makes new salts each time')
  assert.match(tool('site_login_url')?.description ?? '', /hands out an administrator.*only when a person asked/)
})

test('writes take an idempotency key, reads do not', () => {
  for (const { name, inputSchema, annotations } of committed)
    assert.equal('idempotency_key' in (inputSchema.properties ?? {}), !annotations.readOnlyHint, name)
})

/** The tools of the specification; the others are what agents lacked beside them. */
const specified = [
  ...['list_sites', 'get_site', 'list_backups', 'create_backup', 'restore_backup', 'update_site', 'site_login_url', 'get_activity'],
  ...['log_activity', 'get_inventory', 'get_security', 'list_site_tweaks', 'apply_security_fix', 'get_performance', 'get_uptime'],
  ...['get_errors', 'get_broken_links', 'get_job', 'list_jobs'],
]

/** By the estimate, which is above what o200k_base counts; `e2e/judges` counts with that, and holds them to less. */
test('a model has room for the list: 350 tokens a tool, 4,120 the first fifteen, 5,200 those of the specification, 7,200 all', () => {
  for (const tool of committed) assert.ok(tokens(tool) <= 350, `${tool.name} takes ${tokens(tool)} tokens`)
  const known = committed.filter(({ name }) => specified.includes(name))
  const first = known.filter(({ name }) => !['get_performance', 'get_uptime', 'get_errors', 'get_broken_links'].includes(name))
  assert.ok(tokens(first) <= 4120, `the first fifteen take ${tokens(first)} tokens`)
  assert.ok(tokens(known) <= 5200, `those of the specification take ${tokens(known)} tokens`)
  assert.ok(tokens(committed) <= 7200, `the list takes ${tokens(committed)} tokens`)
})

test('tools come in the order of their operations', () => {
  const all = house()
  assert.deepEqual(
    tools(all).map(({ name }) => name),
    all.flatMap(({ tool }) => (tool === undefined ? [] : [tool])),
  )
})

test('the output schema of a list knows only the fields agents are shown', () => {
  const [list] = tools(house())
  assert.deepEqual(Object.keys(list?.outputSchema.properties?.sites?.items?.properties ?? {}), ['id', 'name'])
  assert.equal(list?.inputSchema.properties?.fields?.type, 'string')
})
