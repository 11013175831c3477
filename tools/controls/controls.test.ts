import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'oxc-parser'
import { faults } from '../mutation/faults.ts'
import { locate } from '../mutation/locate.ts'
import { editsOf } from '../mutation/proof.ts'
import { proofs } from './all.ts'
import { unproven } from './named.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

test('what takes a control out still stands once in its file, or leaving it out would prove nothing', () => {
  const stale: string[] = []
  const proven = Object.entries(proofs).flatMap(([file, titles]) =>
    Object.entries(titles).map(([title, mutation]) => [file, title, ...mutation]),
  )
  for (const [file = '', title = '', ...mutation] of [...proven, ...faults]) {
    if (!existsSync(join(ROOT, file.split(' ')[0] ?? ''))) stale.push(`there is no ${file}`)
    for (const edit of editsOf(mutation)) {
      const times = read(locate(ROOT, edit.file)).split(edit.from).length - 1
      if (times !== 1 || edit.from === edit.to) stale.push(`${file} “${title}”: ${times} times in ${edit.file}: ${edit.from}`)
    }
  }
  assert.deepEqual(stale, [])
})

test('what is left when a control is taken out is a program still, or its test would fail for no reason of its own', () => {
  const broken: string[] = []
  const takenOut = [...Object.values(proofs).flatMap((titles) => Object.values(titles)), ...faults.map(([, , ...mutation]) => mutation)]
  for (const mutation of takenOut) {
    const sources = new Map<string, string>()
    for (const { file, from, to } of editsOf(mutation)) {
      const at = locate(ROOT, file)
      sources.set(
        at,
        (sources.get(at) ?? read(at)).replace(from, () => to),
      )
    }
    for (const [file, source] of sources) {
      const errors = file.endsWith('.ts') || file.endsWith('.tsx') ? parseSync(file, source).errors : []
      if (errors.length > 0) broken.push(`${file}: ${errors[0]?.message} after ${mutation[1]}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('each test that SECURITY.md names was seen to fail without its control', () => {
  assert.deepEqual(unproven(read('SECURITY.md')), { tests: [], unnamed: [] })
})
