// Judges signed messages of svc-connector-v1. The order of the steps is connector/PROTOCOL.md §1's; nothing is read before it is proven.
import { createHash, timingSafeEqual, verify } from 'node:crypto'
import { jsonSize } from './json-size.ts'
import type { PublicKey } from './keys.ts'
import {
  HELLO_TAG,
  type Headers,
  headerValue,
  MAX_DEPTH,
  MAX_LIFE_SECONDS,
  MAX_VALUES,
  NOTICE_TAG,
  parseDigest,
  parseSignature,
  REQUEST_ID,
  REQUEST_INPUT,
  RESPONSE_INPUT,
  type Refusal,
  type Refused,
  type RequestTag,
  SITE_ID,
  signatureBase,
  tolerance,
} from './shapes.ts'

export type RequestToVerify = {
  headers: Headers
  body: Buffer
  maxBytes: number
  /** The only audience that is right: the receiving site, or the site whose notice this claims to be. */
  siteId: string
  keys: readonly PublicKey[]
  tags: readonly RequestTag[]
  /** Unix seconds. */
  now: number
}
/** `upload`: bytes stand behind the JSON of the body. */
export type VerifiedRequest = {
  ok: true
  tag: RequestTag
  upload: boolean
  keyid: string
  requestId: string
  nonce: string
  keepNonceUntil: number
}

export type ResponseToVerify = {
  status: number
  headers: Headers
  body: Buffer
  maxBytes: number
  siteId: string
  keys: readonly PublicKey[]
  /** The `Signature` header of the request that this must answer. */
  requestSignature: string
  requestTag: RequestTag
  /** Unix seconds, in the site's time. */
  now: number
}
export type VerifiedResponse = { ok: true; created: number; keyid: string; contentType: string }
export type Call = { method: string; params: Record<string, unknown>; payload?: Buffer }

const UPLOAD = 'application/octet-stream'
const COVERED = ['content-type', 'content-digest', 'svc-protocol', 'svc-site'] as const

/** Steps 1 to 7. The caller then stores the nonce (8) and reads the body with `parseCall` (9). */
export function verifyRequest(message: RequestToVerify): VerifiedRequest | Refused {
  if (message.body.length > message.maxBytes) return refused('body')
  const value = (name: string) => headerValue(message.headers, name) ?? ''
  const input = REQUEST_INPUT.exec(value('signature-input'))
  const tag = message.tags.find((each) => each === input?.[6])
  const takes: readonly string[] = tag === NOTICE_TAG ? ['application/json'] : ['application/json', UPLOAD]
  if (!input || !tag || !takes.includes(value('content-type')) || value('svc-protocol') !== '1') return refused('signature_input')
  if (!SITE_ID.test(value('svc-site')) || !REQUEST_ID.test(value('svc-request-id'))) return refused('signature_input')
  const [, parameters = '', created, expires, nonce = '', keyid = ''] = input
  if (!withinWindow(Number(created), Number(expires), message.now, tag)) return refused('window')
  const lines = [['"@method"', 'POST'], ...covered(value), ['"svc-request-id"', value('svc-request-id')]] as [string, string][]
  const reason = judge(message, value, keyid, () => signatureBase(lines, parameters))
  if (reason) return refused(reason)
  const upload = value('content-type') === UPLOAD
  return { ok: true, tag, upload, keyid, nonce, requestId: value('svc-request-id'), keepNonceUntil: Number(created) + 2 * tolerance(tag) }
}

/** All steps of an answer; it must be signed by one of the site's keys and bound to the very request. */
export function verifyResponse(message: ResponseToVerify): VerifiedResponse | Refused {
  if (message.body.length > message.maxBytes) return refused('body')
  const value = (name: string) => headerValue(message.headers, name) ?? ''
  const input = RESPONSE_INPUT.exec(value('signature-input'))
  const known = value('content-type') === 'application/json' || value('content-type') === 'application/octet-stream'
  if (!input || !known || value('svc-protocol') !== '1' || !SITE_ID.test(value('svc-site'))) return refused('signature_input')
  const [, parameters = '', created, keyid = ''] = input
  if (Math.abs(Number(created) - message.now) > tolerance(message.requestTag)) return refused('window')
  const asked = parseSignature(message.requestSignature)
  if (!asked) return refused('signature')
  const lines = [['"@status"', String(message.status)], ...covered(value), ['"signature";req;key="svc"', asked.member]] as [
    string,
    string,
  ][]
  const reason = judge(message, value, keyid, () => signatureBase(lines, parameters))
  return reason ? refused(reason) : { ok: true, created: Number(created), keyid, contentType: value('content-type') }
}

/** Step 9: the verb and its parameters, or undefined. A hello travels only under its own tag, and nothing else does. */
export function parseCall(body: Buffer, tag: RequestTag): Call | undefined {
  const value = parseJson(body)
  if (!isRecord(value) || typeof value.method !== 'string') return undefined
  const params = value.params ?? {}
  const fits = tag === NOTICE_TAG || (value.method === 'hello') === (tag === HELLO_TAG)
  // PHP writes an empty object as [].
  if (Array.isArray(params) && params.length === 0) return fits ? { method: value.method, params: {} } : undefined
  return fits && isRecord(params) ? { method: value.method, params } : undefined
}

/** Step 9 of a verified request of either kind. */
export function parseRequest({ tag, upload }: Pick<VerifiedRequest, 'tag' | 'upload'>, body: Buffer): Call | undefined {
  return upload ? parseUpload(body, tag) : parseCall(body, tag)
}

/** A body with bytes behind its JSON; never a hello. */
function parseUpload(body: Buffer, tag: RequestTag): Call | undefined {
  const length = body.length >= 4 ? body.readUInt32BE(0) : Number.POSITIVE_INFINITY
  if (tag === HELLO_TAG || length > body.length - 4) return undefined
  const call = parseCall(body.subarray(4, 4 + length), tag)
  return call && { ...call, payload: body.subarray(4 + length) }
}

/** 4 bytes big-endian length, the JSON, then the bytes; in parts, because the bytes may be millions. */
export function frameUpload(words: Buffer, payload: Buffer): Buffer[] {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(words.length)
  return [length, words, payload]
}

/** UTF-8 JSON no deeper than the protocol allows, of at most a million values; undefined otherwise. */
export function parseJson(body: Buffer): unknown {
  const { depth, values } = jsonSize(body)
  if (depth > MAX_DEPTH || values > MAX_VALUES) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    return undefined
  }
}

type Judged = { body: Buffer; siteId: string; keys: readonly PublicKey[] }

/** Steps 4 to 7. */
function judge(message: Judged, value: (name: string) => string, keyid: string, base: () => Buffer): Refusal | undefined {
  const signature = parseSignature(value('signature'))
  if (!signature) return 'signature'
  const digest = parseDigest(value('content-digest'))
  if (!digest || !timingSafeEqual(digest, createHash('sha256').update(message.body).digest())) return 'digest'
  if (value('svc-site') !== message.siteId) return 'audience'
  const known = message.keys.find((each) => each.keyid === keyid)
  if (!known) return 'key'
  return verify(null, base(), known.key, signature.bytes) ? undefined : 'signature'
}

function withinWindow(created: number, expires: number, now: number, tag: RequestTag): boolean {
  const life = expires - created
  const grace = tag === HELLO_TAG ? tolerance(tag) : 0
  return life > 0 && life <= MAX_LIFE_SECONDS && Math.abs(created - now) <= tolerance(tag) && now <= expires + grace
}

function covered(value: (name: string) => string): [string, string][] {
  return COVERED.map((name) => [`"${name}"`, value(name)])
}

function refused(reason: Refusal): Refused {
  return { ok: false, reason }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
