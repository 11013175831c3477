// Rules on what tests do.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { duties } from './src/capabilities.ts'
import { lineOf, nodesOf, type SyntaxNode } from './test/syntax-tree.ts'
import { byHand } from './test/world.ts'

const root = join(import.meta.dirname, '..')
const tests = globSync(['{server,cli,mcp,dashboard,tools,demo}/**/*.test.{ts,tsx}', '{server/test,e2e}/**/*.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**', 'server/testing.test.ts'],
})
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

test('tests wait by until(), which looks long enough', () => {
  assert.ok(tests.length > 200, `${tests.length} files`)
  for (const file of tests) if (file !== 'server/test/until.ts') assert.doesNotMatch(textOf(file), /for \(let waited\b/, file)
})

test('a test looks at the connections of its own database: its PostgreSQL serves other tests meanwhile', () => {
  for (const file of tests) assert.doesNotMatch(textOf(file), /\bFROM pg_stat_activity\b(?!\s+WHERE datname = current_database\(\))/i, file)
})

test('what a test does by hand the clock of its service leaves alone, which would do it beside the test once that takes long', () => {
  // These do nothing in a test’s world unless it says so.
  const never = [...byHand.withoutDuties, 'uptime', 'feed']
  const clocked = duties.filter((duty) => 'everyMs' in duty && duty.run.name !== 'run' && !never.includes(duty.name))
  assert.ok(clocked.length > 3)
  for (const file of tests.filter((each) => each.endsWith('.test.ts'))) {
    const text = textOf(file)
    const own = clocked.filter((duty) => 'run' in duty && new RegExp(`\\b${duty.run.name}\\(`).test(text))
    // Who serves alone has no clock.
    const isLeft = (name: string) => new RegExp(`withoutDuties: \\[.*'${name}'|SERVICE_ROLE: 'serve'`).test(text)
    for (const { name } of own) assert.ok(isLeft(name), `${file} leaves '${name}' to the clock too`)
  }
})

/** Lines that demand an error and say of none which: a text in its place is only what is told when there is none. */
function unnamed(text: string, file?: string): number[] {
  const says = (node: SyntaxNode | undefined) => node !== undefined && text.slice(node.start, node.end)
  const isText = ({ type, value, callee }: SyntaxNode) =>
    type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string') || says(callee as SyntaxNode) === 'JSON.stringify'
  return nodesOf(text, file)
    .filter(({ type, callee }) => type === 'CallExpression' && /^assert\.(rejects|throws)$/.test(says(callee as SyntaxNode) || ''))
    .filter((call) => {
      const [, expected] = call['arguments'] as SyntaxNode[]
      return !expected || isText(expected)
    })
    .map((call) => lineOf(text, call))
}

test('who expects an error says which', () => {
  const written = [
    'await assert.rejects(f())',
    "assert.throws(f, 'told')",
    'assert.rejects(f, `told`)',
    'assert.rejects(f, JSON.stringify(x))',
  ]
  for (const line of written) assert.deepEqual(unnamed(line), [1], line)
  for (const line of ['assert.rejects(f, /x/)', "assert.throws(f, { code: 'x' }, 'told')", 'assert.rejects(f, Missing)', 'assert.ok(f)'])
    assert.deepEqual(unnamed(line), [], line)
  const found = tests.flatMap((file) => unnamed(textOf(file), file).map((line) => `${file}:${line}`))
  assert.deepEqual(found, [])
})
