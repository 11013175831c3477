import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from './json.ts'
import { asProblem } from './problem.ts'

const twice = (text: string) => {
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    return asProblem(error).errors?.[0]?.path
  }
}

test('a name that stands twice in one object is refused by its path, however it is written', () => {
  assert.equal(twice('{"a":1,"b":{"a":2},"a":3}'), 'a')
  assert.equal(twice('{"a":[{"b":{"c":1,"c":1}}]}'), 'a.b.c')
  assert.equal(twice('{"a":1,"\\u0061":2}'), 'a')
  assert.equal(twice('{"a\\"b":1, "a\\"b" : 2}'), 'a"b')
  assert.equal(twice('{"__proto__":1,"__proto__":2}'), '__proto__')
  assert.equal(twice('[{"":1},{"":1,"":1}]'), '')
})

test('what only looks like a name is none', () => {
  for (const value of [
    { a: 'b:c', b: '{"b":1}', c: 'a\\":', d: ['"a":', { a: ':' }] },
    ['a', 'a', [[{ a: 1 }, { a: 1 }]]],
    { 'a:b': 1, ':': 2, '"': 3, '\\': 4 },
    ':"',
    null,
  ])
    assert.deepEqual(parseJson(JSON.stringify(value, null, 1)), value)
})

test('depth costs no stack', () => {
  const deep = 100_000
  assert.ok(parseJson('['.repeat(deep) + ']'.repeat(deep)))
  assert.equal(twice(`${'['.repeat(deep)}{"a":1,"a":2}${']'.repeat(deep)}`), 'a')
})
