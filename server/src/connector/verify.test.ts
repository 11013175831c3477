import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createKeyPair, importPublicKey } from './keys.ts'
import { HELLO_TAG, type Headers, headerValue, REQUEST_CAP, VERB_TAG } from './shapes.ts'
import { createNonce, signRequest, signResponse } from './sign.ts'
import { parseCall, verifyRequest, verifyResponse } from './verify.ts'

const now = 1_795_132_800
const siteId = 'site_01jabc'
const service = createKeyPair()
const site = createKeyPair()
const other = createKeyPair()
const body = Buffer.from('{"method":"updates.apply","params":{"job":"job_1","fence":1}}')
const request = { body, siteId, requestId: 'req_1', tag: VERB_TAG, created: now } as const
const headers = signRequest({ keyid: 'k1', privateKey: service.privateKey }, request)
const answer = { body, siteId, status: 200, contentType: 'application/json', created: now, requestSignature: headers.signature } as const
const answerHeaders = signResponse({ keyid: 's1', privateKey: site.privateKey }, answer)
const { 'cache-control': _, ...covered } = answerHeaders

type Message = { headers: Headers; body: Buffer }

const asRequest = (message: Message) =>
  verifyRequest({
    ...message,
    now,
    siteId,
    maxBytes: REQUEST_CAP,
    tags: [VERB_TAG],
    keys: [{ keyid: 'k1', key: importPublicKey(service.public) }],
  })
const asResponse = (message: Message) =>
  verifyResponse({
    ...message,
    now,
    siteId,
    status: 200,
    maxBytes: REQUEST_CAP,
    requestTag: VERB_TAG,
    requestSignature: headers.signature,
    keys: [{ keyid: 's1', key: importPublicKey(site.public) }],
  })

const splice = (text: Buffer, at: number, remove: number, insert: Buffer) => {
  const start = at % (text.length + 1)
  return Buffer.concat([text.subarray(0, start), insert, text.subarray(start + remove)])
}
const flip = (text: Buffer, at: number, bit: number) => text.map((byte, i) => (i === at % text.length ? byte ^ (1 << bit) : byte)) as Buffer
const nat = fc.nat({ max: 1_000 })
const piece = fc
  .oneof(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\r\n', ' ', ';', '=', '"', ', x=1', '\0', 'svc='))
  .map((x) => Buffer.from(x as string))
const edit = fc.oneof(
  fc.tuple(nat, fc.nat({ max: 7 })).map(
    ([at, bit]) =>
      (text: Buffer) =>
        flip(text, at, bit),
  ),
  fc.tuple(nat, piece).map(
    ([at, text]) =>
      (value: Buffer) =>
        splice(value, at, 0, text),
  ),
  fc.tuple(nat, fc.integer({ min: 1, max: 5 })).map(
    ([at, length]) =>
      (value: Buffer) =>
        splice(value, at, length, Buffer.alloc(0)),
  ),
  fc.tuple(nat, nat).map(
    ([from, to]) =>
      (value: Buffer) =>
        splice(value, to, 0, value.subarray(from % value.length, (from % value.length) + 6)),
  ),
  fc.constantFrom(
    (value: Buffer) => Buffer.concat([value, Buffer.from(', '), value]),
    (value: Buffer) => Buffer.from(value.toString().toUpperCase()),
    (value: Buffer) => Buffer.from(value.toString().split(';').reverse().join(';')),
    () => Buffer.alloc(0),
  ),
)

/** One to three edits of the body or of covered headers, or two headers exchanged. */
function mutated(original: Headers): fc.Arbitrary<Message> {
  const names = Object.keys(original)
  const one = fc.tuple(fc.constantFrom('body', ...names), edit)
  const edits = fc.array(one, { minLength: 1, maxLength: 3 }).map((list) => list.reduce(change, { headers: original, body }))
  const swap = fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...names))
    .map(([a, b]) => ({ headers: { ...original, [a]: original[b], [b]: original[a] }, body }))
  return fc.oneof({ weight: 9, arbitrary: edits }, { weight: 1, arbitrary: swap })
}

function change(message: Message, [name, apply]: [string, (text: Buffer) => Buffer]): Message {
  if (name === 'body') return { ...message, body: message.body.length > 0 ? apply(message.body) : message.body }
  const value = Buffer.from(message.headers[name] ?? '', 'latin1')
  return { ...message, headers: { ...message.headers, [name]: value.length > 0 ? apply(value).toString('latin1') : '' } }
}

const isSame = (original: Headers, message: Message) =>
  message.body.equals(body) && Object.keys(original).every((name) => headerValue(message.headers, name) === original[name])

test('none of 14,000 changed requests is accepted', () => {
  assert.equal(asRequest({ headers, body }).ok, true)
  const property = fc.property(mutated(headers), (message) => isSame(headers, message) || !asRequest(message).ok)
  fc.assert(property, { numRuns: 14_000 })
})

test('none of 6,000 changed answers is accepted', () => {
  assert.equal(asResponse({ headers: covered, body }).ok, true)
  const property = fc.property(mutated(covered), (message) => isSame(covered, message) || !asResponse(message).ok)
  fc.assert(property, { numRuns: 6_000 })
})

test('each flipped bit of the signature and of the body is found', () => {
  const bytes = Buffer.from(headers.signature.slice('svc=:'.length, -1), 'base64')
  for (let bit = 0; bit < 512; bit++) {
    const signature = `svc=:${flip(bytes, bit >> 3, bit & 7).toString('base64')}:`
    assert.equal(asRequest({ headers: { ...headers, signature }, body }).ok, false)
  }
  for (let bit = 0; bit < body.length * 8; bit++) assert.equal(asRequest({ headers, body: flip(body, bit >> 3, bit & 7) }).ok, false)
})

test('a request is taken within five minutes of its making, and for as long as it says', () => {
  const at = (seconds: number, made: object = {}) => {
    const signed = signRequest({ keyid: 'k1', privateKey: service.privateKey }, { ...request, ...made })
    const keys = [{ keyid: 'k1', key: importPublicKey(service.public) }]
    const verified = verifyRequest({ headers: signed, body, now: now + seconds, siteId, maxBytes: 100, tags: [VERB_TAG], keys })
    return verified.ok ? 'ok' : verified.reason
  }
  assert.deepEqual(
    [0, -300, 60].map((seconds) => at(seconds)),
    ['ok', 'ok', 'ok'],
  )
  assert.deepEqual(
    [-301, 61, 301, 86_400].map((seconds) => at(seconds)),
    Array(4).fill('window'),
  )
})

test('an answer is taken within five minutes of its making', () => {
  const at = (seconds: number) => {
    const signed = signResponse({ keyid: 's1', privateKey: site.privateKey }, { ...answer, created: now + seconds })
    const verified = asResponse({ headers: signed, body })
    return verified.ok ? 'ok' : verified.reason
  }
  assert.deepEqual([0, 300, -300].map(at), ['ok', 'ok', 'ok'])
  assert.deepEqual([301, -301].map(at), ['window', 'window'])
})

test('a hello travels under its own tag, and nothing else does', () => {
  const of = (method: string, tag: typeof VERB_TAG | typeof HELLO_TAG) => parseCall(Buffer.from(JSON.stringify({ method })), tag)?.method
  assert.deepEqual([of('hello', HELLO_TAG), of('ping', VERB_TAG)], ['hello', 'ping'])
  assert.deepEqual([of('hello', VERB_TAG), of('ping', HELLO_TAG)], [undefined, undefined])
})

test('a request signed for one site is refused by another, even with the same key', () => {
  const verified = verifyRequest({
    headers,
    body,
    now,
    siteId: 'site_2',
    maxBytes: 100,
    tags: [VERB_TAG],
    keys: [{ keyid: 'k1', key: importPublicKey(service.public) }],
  })
  assert.deepEqual(verified, { ok: false, reason: 'audience' })
})

test('the current and the next key are both accepted, and the keyid chooses', () => {
  const keys = [
    { keyid: 'k1', key: importPublicKey(service.public) },
    { keyid: 'k2', key: importPublicKey(other.public) },
  ]
  const signed = (keyid: string, pair: typeof other) => signRequest({ keyid, privateKey: pair.privateKey }, request)
  const verdict = (each: Headers) => verifyRequest({ headers: each, body, now, siteId, maxBytes: 100, tags: [VERB_TAG], keys })
  assert.equal(verdict(signed('k1', service)).ok, true)
  assert.equal(verdict(signed('k2', other)).ok, true)
  assert.deepEqual(verdict(signed('k2', service)), { ok: false, reason: 'signature' })
})

test('a body over the cap is refused before anything else is looked at', () => {
  const verified = verifyRequest({ headers: {}, body, now, siteId, maxBytes: body.length - 1, tags: [VERB_TAG], keys: [] })
  assert.deepEqual(verified, { ok: false, reason: 'body' })
})

test('a nonce is kept for as long as its request could be accepted', () => {
  const verified = asRequest({ headers, body })
  assert.ok(verified.ok && verified.keepNonceUntil >= now + 300)
})

test('a body nested a million deep is refused without being parsed', () => {
  assert.equal(parseCall(Buffer.from(`{"method":"ping","params":{"a":${'['.repeat(1_000_000)}`), VERB_TAG), undefined)
  assert.ok(parseCall(Buffer.from(`{"method":"ping","params":{"a":"${'['.repeat(1_000)}\\"[["}}`), VERB_TAG))
})

test('nonces are 22 base64url characters and differ', () => {
  const nonces = Array.from({ length: 1_000 }, createNonce)
  assert.ok(nonces.every((nonce) => /^[\w-]{22}$/.test(nonce)))
  assert.equal(new Set(nonces).size, 1_000)
})
