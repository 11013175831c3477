// Makes recorded messages for contract/wire-vectors.json: good ones, and ones that are wrong in exactly one way.
import { createHash, sign } from 'node:crypto'
import { importSeed, rawPublicKey } from '../src/connector/keys.ts'
import {
  NOTICE_TAG,
  REQUEST_COMPONENTS,
  RESPONSE_COMPONENTS,
  RESPONSE_TAG,
  type Refusal,
  type RequestTag,
  signatureBase,
  VERB_TAG,
} from '../src/connector/shapes.ts'
import { contentDigest } from '../src/connector/sign.ts'

export type VectorKeys = { service_public: string; site_public: string }
export type VectorCase = {
  name: string
  kind: 'request' | 'response' | 'notice'
  /** Unix seconds by the receiver's clock. */
  now: number
  site_id: string
  headers: Record<string, string>
  body_b64: string
  status?: number
  request_signature?: string
  /** The receiver has stored this nonce before. */
  seen?: true
  /** Instead of the file's keys. */
  keys?: VectorKeys
  expect: 'ok' | Refusal
}
export type Forged = { headers: Record<string, string>; body: Buffer }

export const NOW = 1_795_132_800
export const SITE = 'site_01jabcdefghjkmnpqrstvwxyz0'
export const SEEDS = { service: seed('service'), site: seed('site'), other: seed('other') }
export const PUBLIC = { service: publicOf(SEEDS.service), site: publicOf(SEEDS.site), other: publicOf(SEEDS.other) }

export type Order = {
  body?: string
  tag?: RequestTag | typeof RESPONSE_TAG
  keyid?: string
  seed?: string
  created?: number
  life?: number
  /** Headers other than the usual ones, signed as they are. */
  headers?: Record<string, string>
  /** Rewrites the parameters before they are signed: the signature is right, the shape is not. */
  parameters?: (usual: string) => string
}

const headersOf = (body: Buffer) => ({
  ...{ 'content-type': 'application/json', 'content-digest': contentDigest(body) },
  ...{ 'svc-protocol': '1', 'svc-site': SITE },
})

/** A request or notice whose signature is right for what it says. */
export function forgeRequest(order: Order = {}): Forged {
  const { body = '{"method":"ping","params":{}}', tag = VERB_TAG, created = NOW, life = 60 } = order
  const { keyid = tag === NOTICE_TAG ? 's1' : 'k1', seed = tag === NOTICE_TAG ? SEEDS.site : SEEDS.service } = order
  const bytes = Buffer.from(body)
  const headers = { ...headersOf(bytes), 'svc-request-id': 'req_01jabcdefghjkmnpqrstvwxyz1', ...order.headers }
  const nonce = createHash('sha256').update(JSON.stringify(order)).digest().subarray(0, 16).toString('base64url')
  const usual = `${REQUEST_COMPONENTS};created=${created};expires=${created + life};nonce="${nonce}";keyid="${keyid}";alg="ed25519";tag="${tag}"`
  const parameters = (order.parameters ?? ((same) => same))(usual)
  return withSignature(seed, { body: bytes, headers, before: [['"@method"', 'POST']], after: [], parameters })
}

export type Answered = Order & { status?: number; requestSignature: string }

/** An answer whose signature is right for what it says. */
export function forgeResponse(order: Answered): Forged {
  const { body = '{"result":{"time":1795132800}}', created = NOW, status = 200, keyid = 's1', tag = RESPONSE_TAG } = order
  const bytes = Buffer.from(body)
  const headers = { ...headersOf(bytes), ...order.headers }
  const usual = `${RESPONSE_COMPONENTS};created=${created};keyid="${keyid}";alg="ed25519";tag="${tag}"`
  const asked: [string, string] = ['"signature";req;key="svc"', order.requestSignature.slice('svc='.length)]
  const parameters = (order.parameters ?? ((same) => same))(usual)
  return withSignature(order.seed ?? SEEDS.site, {
    body: bytes,
    headers,
    before: [['"@status"', String(status)]],
    after: [asked],
    parameters,
  })
}

/** What is signed: the headers, with the lines of the signature base before and after them. */
interface Covered {
  body: Buffer
  headers: Record<string, string>
  before: [string, string][]
  after: [string, string][]
  parameters: string
}

function withSignature(privateSeed: string, { body, headers, before, after, parameters }: Covered): Forged {
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [`"${name}"`, value.trim()])
  const base = signatureBase([...before, ...fields, ...after], parameters)
  const signature = sign(null, base, importSeed(privateSeed)).toString('base64')
  return { body, headers: { ...headers, 'signature-input': `svc=${parameters}`, signature: `svc=:${signature}:` } }
}

/** The same 64 bytes with S + L for S: a second signature for verifiers that do not insist on S < L. */
export function malleable(header: string): string {
  const bytes = Buffer.from(header.slice('svc=:'.length, -1), 'base64')
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
  const moved = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()
  return `svc=:${Buffer.concat([bytes.subarray(0, 32), moved]).toString('base64')}:`
}

/** Sets an unused low bit of the last character: another text for the same bytes. */
export function looseBase64(header: string): string {
  return header.replace(/([A-Za-z0-9+/])(=+:)$/, (_, last: string, end: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}${end}`)
}

function seed(label: string): string {
  return createHash('sha256').update(`svc-connector-v1 test key: ${label}`).digest('base64')
}

function publicOf(privateSeed: string): string {
  return rawPublicKey(importSeed(privateSeed))
}
