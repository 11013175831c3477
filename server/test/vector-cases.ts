// The cases of contract/wire-vectors.json, one line each: a name, what is done to a good message, and the verdict it must get.
import { HELLO_TAG, NOTICE_TAG, RESPONSE_TAG, type Refusal, type RequestTag, VERB_TAG } from '../src/connector/shapes.ts'
import { contentDigest } from '../src/connector/sign.ts'
import { type Forged, forgeRequest, forgeResponse, looseBase64, malleable, NOW, SEEDS, SITE, type VectorCase } from './vector-forge.ts'

type Row = [name: string, expect: 'ok' | Refusal, message: Forged, more?: Partial<VectorCase>]
type Change = Record<string, string | undefined>

const hello = '{"method":"hello","params":{}}'
const notice = '{"method":"enrolled","params":{}}'

/** A good message with headers replaced or, with undefined, removed after it was signed. */
function altered(changes: (headers: Record<string, string>) => Change, message = forgeRequest()): Forged {
  const headers = Object.entries({ ...message.headers, ...changes(message.headers) }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return { ...message, headers: Object.fromEntries(headers) }
}

const swap = (name: string, edit: (value: string) => string | undefined) => altered((headers) => ({ [name]: edit(headers[name] ?? '') }))
const input = (parameters: (usual: string) => string) => forgeRequest({ parameters })
const said = (body: string, tag?: typeof HELLO_TAG) => forgeRequest(tag ? { body, tag } : { body })

const UPLOAD = { 'content-type': 'application/octet-stream' }
const uploaded = (words: string, bytes: string, length = words.length, tag: RequestTag = VERB_TAG) =>
  forgeRequest({ body: `${String.fromCharCode(0, 0, length >> 8, length & 255)}${words}${bytes}`, headers: UPLOAD, tag })

const REQUESTS: Row[] = [
  ['a ping', 'ok', forgeRequest()],
  [
    'spaces and tabs around values',
    'ok',
    altered((h) => Object.fromEntries(Object.entries(h).map(([name, value]) => [name, ` \t${value}\t `]))),
  ],
  ['params left out', 'ok', said('{"method":"ping"}')],
  ['params as an empty list', 'ok', said('{"method":"ping","params":[]}')],
  ['text beyond ASCII in the body', 'ok', said('{"method":"login.issue","params":{"requester":"Zoë 🌻"}}')],
  ['a hello', 'ok', said(hello, HELLO_TAG)],
  ['a hello two days old', 'ok', forgeRequest({ body: hello, tag: HELLO_TAG, created: NOW - 172_800 })],
  ['a hello two days early', 'ok', forgeRequest({ body: hello, tag: HELLO_TAG, created: NOW + 172_800 })],
  ['created at the end of the tolerance ahead', 'ok', forgeRequest({ created: NOW + 300 })],
  ['the last second of the longest life', 'ok', forgeRequest({ created: NOW - 300, life: 300 })],

  ['an upload', 'ok', uploaded('{"method":"restore.put","params":{"items":[]}}', 'bytes \0 of any kind')],
  ['an upload of nothing', 'ok', uploaded('{"method":"restore.put","params":{"items":[]}}', '')],

  ['no Signature-Input', 'signature_input', swap('signature-input', () => undefined)],
  ['an empty Signature-Input', 'signature_input', swap('signature-input', () => '')],
  ['Signature-Input ends with a line feed', 'signature_input', swap('signature-input', (value) => `${value}\n`)],
  ['Signature-Input ends with CRLF', 'signature_input', swap('signature-input', (value) => `${value}\r\n`)],
  ['Signature-Input begins with a line feed', 'signature_input', swap('signature-input', (value) => `\n${value}`)],
  ['a second label after ours', 'signature_input', swap('signature-input', (value) => `${value}, other=("@method");created=1`)],
  ['a second label before ours', 'signature_input', swap('signature-input', (value) => `other=("@method");created=1, ${value}`)],
  ['our label twice', 'signature_input', swap('signature-input', (value) => `${value}, ${value}`)],
  ['another label', 'signature_input', swap('signature-input', (value) => value.replace(/^svc=/, 'sig1='))],
  ['the label in capitals', 'signature_input', swap('signature-input', (value) => value.replace(/^svc=/, 'SVC='))],
  ['parameters in another order, signed', 'signature_input', input((p) => p.replace(/(;created=\d+)(;expires=\d+)/, '$2$1'))],
  ['one more parameter, signed', 'signature_input', input((p) => `${p};x="1"`)],
  ['no nonce, signed', 'signature_input', input((p) => p.replace(/;nonce="[^"]+"/, ''))],
  ['no expires, signed', 'signature_input', input((p) => p.replace(/;expires=\d+/, ''))],
  ['a short nonce, signed', 'signature_input', input((p) => p.replace(/;nonce="./, ';nonce="'))],
  ['a nonce of standard base64, signed', 'signature_input', input((p) => p.replace(/;nonce="../, ';nonce="+/'))],
  ['another algorithm, signed', 'signature_input', input((p) => p.replace('alg="ed25519"', 'alg="hmac-sha256"'))],
  ['a component less, signed', 'signature_input', input((p) => p.replace(' "svc-request-id"', ''))],
  [
    'components in another order, signed',
    'signature_input',
    input((p) => p.replace('"svc-protocol" "svc-site"', '"svc-site" "svc-protocol"')),
  ],
  ['a negative time, signed', 'signature_input', input((p) => p.replace('created=', 'created=-'))],
  ['a time with a fraction, signed', 'signature_input', input((p) => p.replace(/created=(\d+)/, 'created=$1.0'))],
  ['a time of 13 digits, signed', 'signature_input', input((p) => p.replace(/created=(\d+)/, 'created=$1000'))],
  ['spaces between the parameters, signed', 'signature_input', input((p) => p.replaceAll(';', '; '))],
  ['the tag of an answer', 'signature_input', forgeRequest({ tag: RESPONSE_TAG })],
  ['a notice sent to a site', 'signature_input', forgeRequest({ body: notice, tag: NOTICE_TAG })],
  ['a keyid with capitals, signed', 'signature_input', forgeRequest({ keyid: 'K1' })],
  ['another content type, signed', 'signature_input', forgeRequest({ headers: { 'content-type': 'application/json; charset=utf-8' } })],
  ['another protocol, signed', 'signature_input', forgeRequest({ headers: { 'svc-protocol': '2' } })],
  ['no content type', 'signature_input', swap('content-type', () => undefined)],
  ['no site', 'signature_input', swap('svc-site', () => undefined)],
  ['no request id', 'signature_input', swap('svc-request-id', () => undefined)],
  ['a request id of another shape, signed', 'signature_input', forgeRequest({ headers: { 'svc-request-id': 'req_../../x' } })],
  ['the site ends with a line feed', 'signature_input', swap('svc-site', (value) => `${value}\n`)],

  ['created too long ago', 'window', forgeRequest({ created: NOW - 301, life: 300 })],
  ['created too far ahead', 'window', forgeRequest({ created: NOW + 301 })],
  ['expired by a second', 'window', forgeRequest({ created: NOW - 61 })],
  ['a life of more than 300 s', 'window', forgeRequest({ life: 301 })],
  ['a life of nothing', 'window', forgeRequest({ life: 0 })],
  ['a life that ends before it begins', 'window', forgeRequest({ life: -1 })],
  ['a hello more than two days old', 'window', forgeRequest({ body: hello, tag: HELLO_TAG, created: NOW - 172_801 })],
  ['a hello more than two days early', 'window', forgeRequest({ body: hello, tag: HELLO_TAG, created: NOW + 172_801 })],
  ['a hello with a life of more than 300 s', 'window', forgeRequest({ body: hello, tag: HELLO_TAG, life: 301 })],

  ['no Signature', 'signature', swap('signature', () => undefined)],
  ['an empty Signature', 'signature', swap('signature', () => 'svc=::')],
  ['Signature ends with a line feed', 'signature', swap('signature', (value) => `${value}\n`)],
  ['a second label in Signature', 'signature', swap('signature', (value) => `${value}, other=:AAAA:`)],
  ['base64 without padding', 'signature', swap('signature', (value) => value.replace('==:', ':'))],
  ['base64 with a space', 'signature', swap('signature', (value) => value.replace(/^(svc=:.{10})/, '$1 '))],
  ['base64 with unused bits set', 'signature', swap('signature', looseBase64)],
  ['base64url', 'signature', swap('signature', () => `svc=:${Buffer.alloc(64, 0xfb).toString('base64url')}==:`)],
  ['63 bytes', 'signature', swap('signature', () => `svc=:${Buffer.alloc(63).toString('base64')}:`)],
  ['65 bytes', 'signature', swap('signature', () => `svc=:${Buffer.alloc(65).toString('base64')}:`)],
  ['64 zero bytes', 'signature', swap('signature', () => `svc=:${Buffer.alloc(64).toString('base64')}:`)],
  ['S + L instead of S', 'signature', swap('signature', malleable)],
  ['signed by another key under our keyid', 'signature', forgeRequest({ seed: SEEDS.other })],
  ['signed by the site itself', 'signature', forgeRequest({ seed: SEEDS.site })],
  ['another request id than was signed', 'signature', swap('svc-request-id', () => 'req_other')],
  [
    'another nonce than was signed',
    'signature',
    swap('signature-input', (v) => v.replace(/nonce="./, (start) => `nonce="${start.endsWith('A') ? 'B' : 'A'}`)),
  ],
  [
    'another tag than was signed',
    'signature',
    swap('signature-input', (v) => v.replace(/"svc-connector-v1"$/, '"svc-connector-v1-hello"')),
  ],

  ['no Content-Digest', 'digest', swap('content-digest', () => undefined)],
  ['another body', 'digest', { ...forgeRequest(), body: Buffer.from('{"method":"ping","params":{} }') }],
  ['an empty body', 'digest', { ...forgeRequest(), body: Buffer.alloc(0) }],
  [
    'a digest by another algorithm, signed',
    'digest',
    forgeRequest({ headers: { 'content-digest': `sha-512=:${Buffer.alloc(64).toString('base64')}:` } }),
  ],
  [
    'two digests, signed',
    'digest',
    forgeRequest({ headers: { 'content-digest': `${contentDigest(Buffer.from('{"method":"ping","params":{}}'))}, sha-512=:AAAA:` } }),
  ],
  [
    'a digest with unused bits set, signed',
    'digest',
    forgeRequest({ headers: { 'content-digest': looseBase64(contentDigest(Buffer.from('{"method":"ping","params":{}}'))) } }),
  ],
  ['Content-Digest ends with a line feed', 'digest', swap('content-digest', (value) => `${value}\n`)],

  ['signed for another site', 'audience', forgeRequest({ headers: { 'svc-site': 'site_other' } })],
  ['another site than was signed', 'audience', swap('svc-site', () => 'site_other')],
  ['an unknown key', 'key', forgeRequest({ keyid: 'k9' })],
  ['the site’s key id', 'key', forgeRequest({ keyid: 's1', seed: SEEDS.site })],
  ['a nonce seen before', 'nonce', forgeRequest({ created: NOW - 5 }), { seen: true }],

  ['no JSON', 'body', said('method=ping')],
  ['half a JSON', 'body', said('{"method":"ping"')],
  ['a list', 'body', said('["ping"]')],
  ['null', 'body', said('null')],
  ['no method', 'body', said('{"params":{}}')],
  ['a method that is no text', 'body', said('{"method":["ping"],"params":{}}')],
  ['params that are no object', 'body', said('{"method":"ping","params":"all"}')],
  ['params that are a list', 'body', said('{"method":"ping","params":[1]}')],
  ['depth 33', 'body', said(`{"method":"ping","params":{"a":${'['.repeat(31)}${']'.repeat(31)}}}`)],
  ['an upload whose JSON is said to be longer than the body', 'body', uploaded('{"method":"restore.put"}', '', 25)],
  ['an upload whose JSON is cut', 'body', uploaded('{"method":"restore.put"}', '', 23)],
  ['an upload of three bytes', 'body', forgeRequest({ body: '\0\0\0', headers: UPLOAD })],
  ['plain JSON that says it is an upload', 'body', forgeRequest({ body: '{"method":"ping","params":{}}', headers: UPLOAD })],
  ['an upload that says it is plain JSON', 'body', said('\0\0\0\x11{"method":"ping"}x')],
  ['a hello as an upload', 'body', uploaded(hello, '', hello.length, HELLO_TAG)],
  ['hello under the tag of the other verbs', 'body', said(hello)],
  ['another verb under the tag of hello', 'body', said('{"method":"ping","params":{}}', HELLO_TAG)],
]

const NOTICES: Row[] = [
  ['a notice', 'ok', forgeRequest({ body: notice, tag: NOTICE_TAG })],
  ['an order sent to the service', 'signature_input', forgeRequest()],
  ['a notice signed by the service', 'signature', forgeRequest({ body: notice, tag: NOTICE_TAG, seed: SEEDS.service })],
  ['a notice under the service’s keyid', 'key', forgeRequest({ body: notice, tag: NOTICE_TAG, keyid: 'k1' })],
  ['a notice as an upload', 'signature_input', forgeRequest({ body: notice, tag: NOTICE_TAG, headers: UPLOAD })],
  ['a notice of another site', 'audience', forgeRequest({ body: notice, tag: NOTICE_TAG, headers: { 'svc-site': 'site_other' } })],
  ['a late notice', 'window', forgeRequest({ body: notice, tag: NOTICE_TAG, created: NOW - 61 })],
  ['a notice seen before', 'nonce', forgeRequest({ body: notice, tag: NOTICE_TAG, created: NOW - 5 }), { seen: true }],
]

const requestSignature = forgeRequest().headers.signature ?? ''
const answer = (order: Omit<Parameters<typeof forgeResponse>[0], 'requestSignature'> = {}) => forgeResponse({ requestSignature, ...order })
const swapAnswer = (name: string, edit: (value: string) => string | undefined) =>
  altered((headers) => ({ [name]: edit(headers[name] ?? '') }), answer())

const RESPONSES: Row[] = [
  ['an answer', 'ok', answer()],
  ['an answer with an error', 'ok', answer({ status: 409, body: '{"error":{"code":"clone","message":"A copy."}}' }), { status: 409 }],
  ['a slice', 'ok', answer({ body: '\0\0\0\x02{}payload', headers: { 'content-type': 'application/octet-stream' } })],
  [
    'an answer to another request',
    'signature',
    forgeResponse({ requestSignature: forgeRequest({ created: NOW + 1 }).headers.signature ?? '' }),
  ],
  ['an answer without its signature', 'signature', swapAnswer('signature', () => undefined)],
  ['an answer without Signature-Input', 'signature_input', swapAnswer('signature-input', () => undefined)],
  ['an answer whose Signature-Input ends with a line feed', 'signature_input', swapAnswer('signature-input', (value) => `${value}\n`)],
  ['an answer with a second label', 'signature_input', swapAnswer('signature-input', (value) => `${value}, other=("@status")`)],
  [
    'an answer not bound to a request, signed',
    'signature_input',
    answer({ parameters: (p) => p.replace(' "signature";req;key="svc"', '') }),
  ],
  ['an answer under the tag of a request', 'signature_input', answer({ tag: HELLO_TAG })],
  ['an answer in HTML, signed', 'signature_input', answer({ headers: { 'content-type': 'text/html' } })],
  ['another status than was signed', 'signature', answer(), { status: 500 }],
  ['an answer with another body', 'digest', { ...answer(), body: Buffer.from('{"result":{"time":1795132801}}') }],
  ['an answer with unused bits set in its signature', 'signature', swapAnswer('signature', looseBase64)],
  ['an answer with S + L instead of S', 'signature', swapAnswer('signature', malleable)],
  ['an answer of another site', 'audience', answer({ headers: { 'svc-site': 'site_other' } })],
  ['an answer under an unknown key', 'key', answer({ keyid: 's9' })],
  ['an answer signed by the service', 'signature', answer({ seed: SEEDS.service })],
  ['an old answer', 'window', answer({ created: NOW - 301 })],
  ['an early answer', 'window', answer({ created: NOW + 301 })],
]

/** All cases that are made here. */
export function vectorCases(): VectorCase[] {
  const bound = (more: Partial<VectorCase> = {}) => ({ status: 200, request_signature: requestSignature, ...more })
  return [
    ...REQUESTS.map((row) => toCase('request', row)),
    ...NOTICES.map((row) => toCase('notice', row)),
    ...RESPONSES.map(([name, expect, message, more]) => toCase('response', [name, expect, message, bound(more)])),
  ]
}

function toCase(kind: VectorCase['kind'], [name, expect, { headers, body }, more]: Row): VectorCase {
  return { name, kind, now: NOW, site_id: SITE, headers, body_b64: body.toString('base64'), ...more, expect }
}
