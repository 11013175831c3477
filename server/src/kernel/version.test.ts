import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareVersions, parseVersion } from './version.ts'

const vectors = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../../contract/version-vectors.json'), 'utf8')) as [
  string,
  string,
  number,
][]
const compare = (a: string, b: string) => compareVersions(parseVersion(a), parseVersion(b))

test('versions are in the order that was recorded of PHP', () => {
  assert.ok(vectors.length > 2000)
  assert.deepEqual(
    vectors.filter(([a, b, order]) => compare(a, b) !== order),
    [],
  )
})

test('versions of numbers are in the order of their numbers, and a number more is more', () => {
  const numbers = fc.array(fc.nat(10 ** 12), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const first = [...a.keys()].find((i) => a[i] !== b[i])
      const expected =
        first === undefined || first >= b.length ? Math.sign(a.length - b.length) : Math.sign((a[first] ?? 0) - (b[first] ?? 0))
      assert.equal(compare(a.join('.'), b.join('.')), expected)
    }),
  )
})

test('any two texts have an order, and beta versions come before what they lead to', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => [-1, 0, 1].includes(compare(a, b))))
  const steps = ['2.0-dev', '2.0-alpha', '2.0-beta', '2.0-RC1', '2.0', '2.0-p1']
  const pairs = steps.flatMap((a, i) => steps.map((b, k) => [compare(a, b), Math.sign(i - k)]))
  assert.deepEqual(
    pairs.map(([order]) => order),
    pairs.map(([, expected]) => expected),
  )
})
