import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { proofs } from './all.ts'
import { locate } from './locate.ts'
import { unproven } from './named.ts'
import { editsOf } from './proof.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

test('what takes a control out still stands once in its file, or prove:security would prove nothing', () => {
  const stale: string[] = []
  for (const [file, titles] of Object.entries(proofs))
    for (const [title, mutation] of Object.entries(titles))
      for (const edit of editsOf(mutation)) {
        const times = read(locate(ROOT, edit.file)).split(edit.from).length - 1
        if (times !== 1 || edit.from === edit.to) stale.push(`${file} “${title}”: ${times} times in ${edit.file}: ${edit.from}`)
      }
  assert.deepEqual(stale, [])
})

/** Of the tests that SECURITY.md names; may only become fewer. `npm run prove:security` lists them. */
const NOT_PROVEN_YET = 42

test('the tests of SECURITY.md whose controls were never taken out do not become more', () => {
  const { tests, unnamed } = unproven(read('SECURITY.md'))
  assert.deepEqual(unnamed, [], 'a proof is of a test that the page names')
  assert.ok(tests.length <= NOT_PROVEN_YET, `${tests.length} are not proven:\n${tests.join('\n')}`)
})
