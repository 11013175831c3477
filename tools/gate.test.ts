import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { heavyFiles, LONGEST, PROVED } from './heavy.ts'

const ROOT = join(import.meta.dirname, '..')

test('what the gate leaves out a prove: command runs, and each file that such a command names is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  const proving = Object.entries(scripts).filter(([name]) => name.startsWith('prove:'))
  const named = proving.flatMap(([, script]) => script.split(' ').filter((word) => word.endsWith('.test.ts')))
  for (const file of named) assert.ok(globSync(file, { cwd: ROOT }).length > 0, `${file} is not there`)
  assert.deepEqual(
    PROVED.filter((file) => !named.includes(file)),
    [],
  )
})

test('the gate runs each heavy file that is there once, but what is proved elsewhere', () => {
  for (const file of [...LONGEST, ...PROVED]) assert.ok(existsSync(join(ROOT, file)), `${file} is not there`)
  const files = heavyFiles()
  assert.equal(new Set(files).size, files.length)
  assert.deepEqual([...files, ...PROVED].toSorted(), globSync('e2e/*/*.test.ts', { cwd: ROOT, exclude: ['e2e/judges'] }).toSorted())
})
