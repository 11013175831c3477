import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Entry, EntryCutter } from './cut-entries.ts'
import { FeedTrouble } from './feed-trouble.ts'

const limits = { entry: 100_000, depth: 50 }

/** The entries of a document that comes in pieces of these sizes, again and again. */
function cut(document: string | Buffer, sizes: readonly number[] = [65_536], open: readonly string[] = []): Entry[] {
  const cutter = new EntryCutter(new Set(open), limits)
  const bytes = Buffer.from(document as string)
  const entries: Entry[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1)
    entries.push(...cutter.push(bytes.subarray(at, at + size)))
    at += size
  }
  cutter.end()
  return entries
}

const asObject = (entries: Entry[]) => Object.fromEntries(entries.map(({ key, value }) => [key, value]))

test('any object comes out as JSON.parse has it, whatever its spacing and however it is cut into pieces', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
  const objects = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }), { noNullPrototype: true })
  fc.assert(
    fc.property(objects, sizes, fc.constantFrom(undefined, 1, '\t', ' \r\n'), (object, pieces, space) => {
      const text = JSON.stringify(object, null, space)
      assert.deepEqual(asObject(cut(text, pieces)), JSON.parse(text))
    }),
    { numRuns: 500 },
  )
})

test('what JSON.parse refuses is refused, and what it takes is taken, for documents broken in every way', () => {
  const sound = '{"a":{"b":[1,-2.5e3,"x\\"\\\\y"],"c":{}},"d é":null , "e":true,"f":"\\u00e9{]","g":[]}'
  const breaks = fc.record({
    at: fc.nat(sound.length),
    gone: fc.nat(3),
    put: fc.constantFrom('', '{', '}', '[', ']', '"', '\\', ',', ':', ' ', '1', 'null', '\n', 'x'),
  })
  let [taken, refused] = [0, 0]
  fc.assert(
    fc.property(fc.array(breaks, { maxLength: 3 }), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (changes, pieces) => {
      const text = changes.reduce((now, { at, gone, put }) => now.slice(0, at) + put + now.slice(at + gone), sound)
      const expected = parsed(text)
      if (expected === undefined) {
        refused++
        assert.throws(() => cut(text, pieces), FeedTrouble, text)
      } else {
        taken++
        assert.deepEqual(asObject(cut(text, pieces)), expected)
      }
    }),
    { numRuns: 3000 },
  )
  assert.ok(taken > 200 && refused > 200, `${taken} taken, ${refused} refused`)
})

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

test('an object that is to be opened gives its own entries, with its name', () => {
  const document = '{"plugins":{"a":{"x":1},"b":2},"other":{"c":3},"themes":[1],"wordpresses":{}}'
  assert.deepEqual(cut(document, [3], ['plugins', 'themes', 'wordpresses']), [
    { group: 'plugins', key: 'a', value: { x: 1 } },
    { group: 'plugins', key: 'b', value: 2 },
    { group: undefined, key: 'other', value: { c: 3 } },
    { group: undefined, key: 'themes', value: [1] },
  ])
})

const refusals: [string, string | Buffer, RegExp][] = [
  ['a web page', '<!doctype html><html>', /web page/],
  ['a list', '[{"a":1}]', /does not begin/],
  ['nothing', '', /not complete/],
  ['a document cut off', '{"a":{"b":', /not complete/],
  ['more after the end', '{"a":1}{"b":2}', /not proper JSON/],
  ['bytes that are not UTF-8', Buffer.from([...Buffer.from('{"a":"'), 0xff, 0xfe, ...Buffer.from('"}')]), /UTF-8/],
  ['too deep a nesting', `{"a":${'['.repeat(60)}${']'.repeat(60)}}`, /deeper/],
  ['a record without end', `{"a":"${'x'.repeat(200_000)}`, /larger than any/],
  ['a key without end', `{"${'x'.repeat(200_000)}`, /larger than any/],
]
for (const [what, document, says] of refusals)
  test(`${what} is refused`, () => {
    assert.throws(
      () => cut(document, [1000]),
      (error) => error instanceof FeedTrouble && says.test(error.message),
    )
  })

test('a byte order mark before it is no harm', () => {
  assert.deepEqual(asObject(cut('\ufeff{"a":1}')), { a: 1 })
})
