// Writes the signed headers of svc-connector-v1: requests (service → site), notices (site → service) and answers.
import { createHash, type KeyObject, sign } from 'node:crypto'
import { freshBytes } from '../kernel/random.ts'
import {
  HELLO_TAG,
  parseSignature,
  REQUEST_COMPONENTS,
  RESPONSE_COMPONENTS,
  RESPONSE_TAG,
  type RequestTag,
  signatureBase,
  VERB_TAG,
} from './shapes.ts'

export type Signer = { keyid: string; privateKey: KeyObject }
export type MessageType = 'application/json' | 'application/octet-stream'
export type SignedHeaders = Record<string, string> & { signature: string }

export type RequestToSign = {
  /** Whole, or its parts in order. */
  body: Buffer | readonly Buffer[]
  contentType?: MessageType
  siteId: string
  requestId: string
  tag: RequestTag
  /** Unix seconds, in the receiver's time. */
  created: number
  nonce?: string
}

export type ResponseToSign = {
  body: Buffer
  siteId: string
  status: number
  contentType: MessageType
  created: number
  /** The `Signature` header of the request that is answered. */
  requestSignature: string
}

/** The tag that a verb must travel under. */
export function tagOf(method: string): RequestTag {
  return method === 'hello' ? HELLO_TAG : VERB_TAG
}

/** 16 random bytes, 22 base64url characters. */
export function createNonce(): string {
  return freshBytes(16).toString('base64url')
}

/** All headers of a signed POST, lower-case. */
export function signRequest(signer: Signer, request: RequestToSign): SignedHeaders {
  const headers = {
    'content-type': request.contentType ?? 'application/json',
    'content-digest': contentDigest(request.body),
    'svc-protocol': '1',
    'svc-site': request.siteId,
    'svc-request-id': request.requestId,
  }
  const { created, tag, nonce = createNonce() } = request
  const parameters = `${REQUEST_COMPONENTS};created=${created};expires=${created + 60};nonce="${nonce}";keyid="${signer.keyid}";alg="ed25519";tag="${tag}"`
  return withSignature(signer, headers, [['"@method"', 'POST'], ...fields(headers)], parameters)
}

/** All headers of a signed answer, lower-case. Throws a TypeError when the request's signature is none. */
export function signResponse(signer: Signer, response: ResponseToSign): SignedHeaders {
  const asked = parseSignature(response.requestSignature)
  if (!asked) throw new TypeError('An answer is bound to the signature of its request.')
  const headers = {
    'content-type': response.contentType,
    'content-digest': contentDigest(response.body),
    'svc-protocol': '1',
    'svc-site': response.siteId,
  }
  const lines: [string, string][] = [
    ['"@status"', String(response.status)],
    ...fields(headers),
    ['"signature";req;key="svc"', asked.member],
  ]
  const parameters = `${RESPONSE_COMPONENTS};created=${response.created};keyid="${signer.keyid}";alg="ed25519";tag="${RESPONSE_TAG}"`
  return { ...withSignature(signer, headers, lines, parameters), 'cache-control': 'no-store' }
}

/** RFC 9530, SHA-256. */
export function contentDigest(body: Buffer | readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const part of Buffer.isBuffer(body) ? [body] : body) hash.update(part)
  return `sha-256=:${hash.digest('base64')}:`
}

function withSignature(signer: Signer, headers: Record<string, string>, lines: [string, string][], parameters: string): SignedHeaders {
  const signature = sign(null, signatureBase(lines, parameters), signer.privateKey).toString('base64')
  return { ...headers, 'signature-input': `svc=${parameters}`, signature: `svc=:${signature}:` }
}

function fields(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [`"${name}"`, value])
}
