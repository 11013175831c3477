import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clean } from './clean.ts'
import { DOORS, doorUrl } from './doors.ts'
import { envelopeCap, frameRequest, frameResponse, unframeRequest, unframeResponse } from './envelope.ts'
import { jsonSize } from './json-size.ts'
import { comparePaths, pathBytes, SitePath, sitePath } from './site-text.ts'

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const headers = { 'content-type': 'application/json', signature: 'svc=:AAAA:' }

test('any message survives its envelope, whatever is printed around it', () => {
  const property = fc.property(bytes, bytes, bytes, (body, before, after) => {
    const framed = frameResponse({ status: 409, headers, body })
    assert.deepEqual(unframeResponse(Buffer.concat([before, framed, after]), 300), { status: 409, headers, body })
    assert.deepEqual(unframeRequest(frameRequest({ headers, body })), { headers, body })
    assert.ok(framed.length <= envelopeCap(body.length))
  })
  fc.assert(property, { numRuns: 300 })
})

test('what is no envelope, or holds more than it may, is not opened', () => {
  const framed = frameResponse({ status: 200, headers, body: Buffer.alloc(100) })
  assert.equal(unframeResponse(framed, 99), undefined)
  const broken = [
    '',
    '-----SVC-BEGIN-----',
    '-----SVC-BEGIN----------SVC-END-----',
    '-----SVC-BEGIN-----e30=-----SVC-END-----',
    '-----SVC-END----------SVC-BEGIN-----',
  ]
  for (const text of broken) assert.equal(unframeResponse(Buffer.from(text), 100), undefined)
  const frames = [
    '',
    '[]',
    '{}',
    '{"svc_envelope":2,"headers":{},"body":""}',
    '{"svc_envelope":1,"headers":{"a":1},"body":""}',
    '{"svc_envelope":1,"headers":{},"body":"A"}',
  ]
  for (const text of frames) assert.equal(unframeRequest(Buffer.from(text)), undefined)
})

test('doors are built from the right address, also for WordPress in a folder', () => {
  const site = { url: 'https://garden.example/wp/', home: 'https://garden.example' }
  assert.deepEqual(
    DOORS.map((door) => doorUrl(site, door)),
    [
      'https://garden.example/?svc-connector=1',
      'https://garden.example/wp-json/svc-connector/v1/rpc',
      'https://garden.example/?rest_route=/svc-connector/v1/rpc',
      'https://garden.example/wp/wp-admin/admin-ajax.php?action=svc_connector',
      'https://garden.example/wp/xmlrpc.php?svc-connector=1',
      'https://garden.example/wp/wp-cron.php?svc-connector=1',
    ],
  )
})

test('cleaned text is one short line without anything invisible, and cleaning it again changes nothing', () => {
  const nasty = fc.string({ unit: 'binary', maxLength: 80 })
  const property = fc.property(nasty, fc.integer({ min: 2, max: 40 }), (text, max) => {
    const cleaned = clean(text, max)
    assert.ok(cleaned.length <= max)
    assert.doesNotMatch(cleaned, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/u)
    assert.equal(clean(cleaned, max), cleaned)
  })
  fc.assert(property, { numRuns: 2_000 })
  assert.equal(clean('a\r\n\tb\u202ec\u200d\u{e0041}\u0007', 20), 'a bc')
  assert.equal(clean('Zoë 🌻 日本', 20), 'Zoë 🌻 日本')
  assert.equal(clean('🌻🌻🌻', 4), '🌻…')
})

test('paths come back byte for byte, and sort in walk order', () => {
  const property = fc.property(
    bytes.filter((path) => path.length > 0),
    (path) => assert.deepEqual(pathBytes(sitePath(path)), path),
  )
  fc.assert(property, { numRuns: 500 })
  const walked = ['a', 'a/b', 'a/b/c', 'a/c', 'a b', 'a-b', 'a.txt', 'b', 'é']
  assert.deepEqual(walked.toReversed().sort(comparePaths), walked)
  assert.ok(SitePath.safeParse({ b64: Buffer.from('ff2f61', 'hex').toString('base64') }).success)
  for (const bad of [
    '',
    '/',
    '/a',
    'a/',
    '../a',
    'a/..',
    'a/./b',
    'a\0',
    { b64: Buffer.from('../a').toString('base64') },
    { b64: '' },
    7,
  ]) {
    assert.equal(SitePath.safeParse(bad).success, false, JSON.stringify(bad))
  }
})

test('the depth and the number of values of a JSON text are seen through strings', () => {
  const size = (text: string) => jsonSize(Buffer.from(text))
  assert.deepEqual(size('{"a":[1,2,{"b":"[[,\\"{,"}]}'), { depth: 3, values: 6 })
  assert.deepEqual(size('"\\\\",[['), { depth: 2, values: 4 })
  assert.equal(size('"open [[[').depth, 0)
})
