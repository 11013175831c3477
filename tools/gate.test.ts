import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const heavy = globSync('e2e/{native,browser,wasm,tasks,durability,connector}/*.test.ts', { cwd: ROOT }).toSorted()

test('what the gate leaves out a prove: command runs, and each file that such a command names is there', () => {
  const [, pattern = ''] = /^proved='(.+)'$/m.exec(read('.ci/run')) ?? assert.fail('.ci/run names nothing that is proved elsewhere')
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const proving = Object.entries(scripts).filter(([name]) => name.startsWith('prove:'))
  const named = proving.flatMap(([, script]) => script.split(' ').filter((word) => word.endsWith('.test.ts')))
  for (const file of named) assert.ok(globSync(file, { cwd: ROOT }).length > 0, `${file} is not there`)
  const leftOut = heavy.filter((file) => new RegExp(pattern).test(file))
  assert.ok(leftOut.length > 0)
  assert.deepEqual(
    leftOut.filter((file) => !named.includes(file)),
    [],
  )
})

test('a file that the gate begins early is there', () => {
  const [, list = ''] = /^long=\((.+)\)$/m.exec(read('.ci/run')) ?? assert.fail('.ci/run begins nothing early')
  for (const word of list.split(' ')) assert.ok(globSync(word, { cwd: ROOT }).length > 0, word)
})
