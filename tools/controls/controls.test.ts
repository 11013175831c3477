import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { proofs } from './all.ts'
import { locate } from './locate.ts'
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

test('every test that SECURITY.md names has a control that can be taken out, and every control is named there', () => {
  const named = namedTests(read('SECURITY.md'))
  const proven = Object.entries(proofs).flatMap(([file, titles]) => Object.keys(titles).map((title) => [file, title] as const))
  const meets = ([file, title]: readonly [string, string], [other, its]: readonly [string, string]) =>
    `/${other}`.endsWith(`/${file}`) && (title === its || title === '')
  assert.deepEqual(
    named.filter((one) => !proven.some((other) => meets(one, other))).map((one) => one.join(' ')),
    [],
    'not proven',
  )
  assert.deepEqual(
    proven.filter((one) => !named.some((other) => meets(other, one))).map((one) => one.join(' ')),
    [],
    'not named',
  )
})

/** Files of tests with the titles named behind them; a file without a title stands for all of it. */
function namedTests(page: string): [file: string, title: string][] {
  const found: [string, string][] = []
  for (const row of page.split('\n').filter((line) => line.startsWith('|'))) {
    const items = [...row.matchAll(/`([\w./-]+\.test\.ts|connector\/test\/\w+\.php)`|"([^"]+)"/g)]
    let file = ''
    for (const [i, [, place, title]] of items.entries()) {
      if (place !== undefined) file = place
      if (place !== undefined && items[i + 1]?.[2] === undefined) found.push([file, ''])
      if (title !== undefined && file !== '') found.push([file, title])
    }
  }
  return found
}
