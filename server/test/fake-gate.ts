// The connector's gate as PROTOCOL.md §1 has it, on the fake site's side: verify, take the nonce, run the verb, sign the answer.
import { frameResponse, unframeRequest } from '../src/connector/envelope.ts'
import { createKeyPair, importPublicKey, type KeyPair, type PublicKey } from '../src/connector/keys.ts'
import { HELLO_TAG, type Headers, headerValue, REQUEST_CAP, VERB_TAG } from '../src/connector/shapes.ts'
import { signResponse } from '../src/connector/sign.ts'
import { type Call, parseRequest, type VerifiedRequest, verifyRequest } from '../src/connector/verify.ts'
import { type FakeAnswer, failure } from './fake-data.ts'
import type { FakeState } from './fake-state.ts'
import { FAKE_VERBS, WRITES } from './fake-verbs.ts'

export type Pairing = { siteId: string; current: PublicKey; next?: PublicKey }
export type FakeConnector = {
  url: string
  state: FakeState
  keys: KeyPair
  pairing: Pairing | undefined
  nonces: Map<string, number>
  answers: Map<string, FakeAnswer | 'running'>
  /** Unix seconds by the site's own clock. */
  now: () => number
}
export type Wire = { status: number; headers: Record<string, string>; body: Buffer }
export type Incoming = { headers: Headers; body: Buffer }
/** `inner` is the request as the gate judged it, out of its envelope. */
export type Gated = { wire: Wire; method: string; enveloped: boolean; inner: Incoming }

export function createConnector(url: string, state: FakeState, now: () => Date): FakeConnector {
  const unix = () => Math.floor(now().getTime() / 1000) + state.skewSeconds
  return { url, state, keys: createKeyPair(), pairing: undefined, nonces: new Map(), answers: new Map(), now: unix }
}

/** Undefined while the site is not paired: the plugin is deaf then. */
export async function gate(connector: FakeConnector, outer: Incoming): Promise<Gated | undefined> {
  const { pairing } = connector
  if (!pairing) return undefined
  const framed = outer.headers['svc-protocol'] === undefined ? unframeRequest(outer.body) : undefined
  const incoming = framed ?? outer
  const enveloped = framed !== undefined
  const wrap = (wire: Wire) => (enveloped ? envelope(wire) : wire)
  const verified = admit(connector, pairing, incoming)
  if (!verified.ok) return { wire: wrap(refusal(verified.reason, connector.now())), method: '', enveloped, inner: incoming }
  const call = parseRequest(verified, incoming.body)
  if (!call) return { wire: wrap(refusal('body', connector.now())), method: '', enveloped, inner: incoming }
  const before = connector.state.fault?.(call.method, 'before')
  const answer = before === 'cut' ? undefined : before ? { error: before } : await once(connector, verified.requestId, call)
  const cut = answer === undefined || connector.state.fault?.(call.method, 'after') === 'cut'
  if (cut) return { wire: { status: 0, headers: {}, body: Buffer.alloc(0) }, method: call.method, enveloped, inner: incoming }
  const signature = headerValue(incoming.headers, 'signature') ?? ''
  return { wire: wrap(signAnswer(connector, pairing.siteId, signature, answer)), method: call.method, enveloped, inner: incoming }
}

/** Steps 1 to 8. */
function admit(connector: FakeConnector, pairing: Pairing, { headers, body }: Incoming): ReturnType<typeof verifyRequest> {
  const { siteId, current, next } = pairing
  const keys = next ? [current, next] : [current]
  const now = connector.now()
  const message = { headers, body, maxBytes: REQUEST_CAP, siteId, keys, tags: [VERB_TAG, HELLO_TAG] as const, now }
  const verified = verifyRequest(message)
  if (!verified.ok) return verified
  if (connector.nonces.has(verified.nonce)) return { ok: false, reason: 'nonce' }
  remember(connector, verified, now)
  if (next && verified.keyid === next.keyid) connector.pairing = { siteId, current: next }
  return verified
}

function remember({ nonces }: FakeConnector, { nonce, keepNonceUntil }: VerifiedRequest, now: number): void {
  nonces.set(nonce, keepNonceUntil)
  const [oldest] = nonces
  if (oldest && oldest[1] < now) nonces.delete(oldest[0])
}

/** A write whose request id was seen is answered from memory. */
async function once(connector: FakeConnector, requestId: string, call: Call): Promise<FakeAnswer> {
  if (!WRITES.has(call.method)) return run(connector, requestId, call)
  const known = connector.answers.get(requestId)
  if (known === 'running') return failure('busy', 'The same request is still at work.')
  if (known) return known
  if (connector.state.clone) return failure('clone', 'This is a copy of the site that was paired.')
  connector.answers.set(requestId, 'running')
  const answer = await run(connector, requestId, call)
  connector.answers.set(requestId, answer)
  return answer
}

async function run(connector: FakeConnector, requestId: string, { method, params, payload }: Call): Promise<FakeAnswer> {
  const { state, url, pairing } = connector
  const verb = Object.hasOwn(FAKE_VERBS, method) ? FAKE_VERBS[method] : undefined
  if (!verb) return failure('unknown_verb', 'The connector has no such verb.')
  const keyids = [pairing?.current.keyid, pairing?.next?.keyid].filter((keyid) => keyid !== undefined)
  const answer = await verb(state, { requestId, params, payload, siteUrl: url, keyids, now: connector.now() })
  if (method === 'keys.rotate' && pairing) {
    connector.pairing = { ...pairing, next: { keyid: String(params.keyid), key: importPublicKey(String(params.public)) } }
  }
  if (method === 'disconnect') forget(connector)
  return answer
}

export function forget(connector: FakeConnector): void {
  connector.pairing = undefined
  connector.nonces.clear()
  connector.answers.clear()
  connector.state.tickets.clear()
}

const STATUS: Record<string, number> = { bad_request: 400, unknown_verb: 404, clone: 409, fence: 409, busy: 409, failed: 500 }

function signAnswer(connector: FakeConnector, siteId: string, requestSignature: string, answer: FakeAnswer): Wire {
  const asked = { siteId, requestSignature }
  const status = 'error' in answer ? (STATUS[answer.error.code] ?? 500) : 200
  if ('payload' in answer && answer.payload) {
    const body = sliceBody(answer.result, answer.payload)
    return signWire(connector, { ...asked, status, body, contentType: 'application/octet-stream' })
  }
  return signWire(connector, { ...asked, status, body: Buffer.from(JSON.stringify(answer)), contentType: 'application/json' })
}

/** An answer to be signed, with what it is bound to. */
interface Unsigned {
  siteId: string
  requestSignature: string
  status: number
  body: Buffer
  contentType: 'application/json' | 'application/octet-stream'
}

export function signWire(connector: FakeConnector, { siteId, requestSignature, status, body, contentType }: Unsigned): Wire {
  const signer = { keyid: 's1', privateKey: connector.keys.privateKey }
  const headers = signResponse(signer, { body, siteId, status, contentType, created: connector.now(), requestSignature })
  return { status, headers, body }
}

export function sliceBody(meta: object, payload: Buffer): Buffer {
  const json = Buffer.from(JSON.stringify(meta))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(json.length)
  return Buffer.concat([length, json, payload])
}

function refusal(reason: string, time: number): Wire {
  const body = Buffer.from(JSON.stringify({ svc: 1, refused: reason, time }))
  return { status: 401, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body }
}

export function envelope(wire: Wire): Wire {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=UTF-8', 'cache-control': 'no-store' }, body: frameResponse(wire) }
}
