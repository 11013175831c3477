import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { table } from '../server/src/tweaks/table.ts'

const root = join(import.meta.dirname, '..')
const sections = readFileSync(join(root, 'docs/tweaks.md'), 'utf8').split('\n### ').slice(1)

test('docs/tweaks.md tells every tweak as the table does, in its order', () => {
  assert.deepEqual(
    sections.map((section) => section.split('\n')[0]),
    table.map(({ name }) => name),
  )
  for (const [index, tweak] of table.entries()) {
    const lines = (sections[index] ?? '').split('\n')
    const facts = `\`${tweak.id}\` · ${tweak.category} · risk ${tweak.risk} · ${tweak.reversible ? 'can' : 'cannot'} be taken back`
    for (const line of [facts, tweak.description]) assert.ok(lines.includes(line), `${tweak.id}: ${line}`)
    assert.deepEqual(
      lines.filter((line) => line.startsWith('- ')),
      tweak.side_effects.map((effect) => `- ${effect}`),
    )
    assert.equal(lines[lines.indexOf('```nginx') + 1], tweak.nginx?.replace('{uploads}', '/wp-content/uploads/') ?? lines[0], tweak.id)
  }
})

test('the connector knows the same tweaks', () => {
  const source = readFileSync(join(root, 'connector/svc-connector/src/tweaks/class-tweaks.php'), 'utf8')
  const [, list = ''] = /const IDS = array\((.*?)\);/.exec(source) ?? []
  assert.deepEqual(
    [...list.matchAll(/'(\w+)'/g)].map(([, id]) => id),
    table.map(({ id }) => id),
  )
})
