// The exact shapes of svc-connector-v1 (connector/PROTOCOL.md §1). One algorithm, one order of parameters, nothing negotiable.

export type Headers = Readonly<Record<string, string | undefined>>
export type RequestTag = 'svc-connector-v1' | 'svc-connector-v1-hello' | 'svc-connector-v1-notice'
export type Refusal = 'signature_input' | 'window' | 'signature' | 'digest' | 'key' | 'nonce' | 'body' | 'audience'
export type Refused = { ok: false; reason: Refusal }

export const VERB_TAG = 'svc-connector-v1'
export const HELLO_TAG = 'svc-connector-v1-hello'
export const NOTICE_TAG = 'svc-connector-v1-notice'
export const RESPONSE_TAG = 'svc-connector-v1-response'

export const MAX_LIFE_SECONDS = 300
export const REQUEST_CAP = 1024 * 1024
export const JSON_CAP = 8 * 1024 * 1024
export const SLICE_SLACK = 1024 * 1024
export const MAX_DEPTH = 32
export const MAX_VALUES = 1_000_000

export const REQUEST_COMPONENTS = '("@method" "content-type" "content-digest" "svc-protocol" "svc-site" "svc-request-id")'
export const RESPONSE_COMPONENTS = '("@status" "content-type" "content-digest" "svc-protocol" "svc-site" "signature";req;key="svc")'

export const REQUEST_INPUT =
  /^svc=(\("@method" "content-type" "content-digest" "svc-protocol" "svc-site" "svc-request-id"\);created=([0-9]{1,12});expires=([0-9]{1,12});nonce="([A-Za-z0-9_-]{22})";keyid="([a-z0-9]{1,16})";alg="ed25519";tag="(svc-connector-v1(?:-hello|-notice)?)")$/
export const RESPONSE_INPUT =
  /^svc=(\("@status" "content-type" "content-digest" "svc-protocol" "svc-site" "signature";req;key="svc"\);created=([0-9]{1,12});keyid="([a-z0-9]{1,16})";alg="ed25519";tag="svc-connector-v1-response")$/
export const SITE_ID = /^site_[A-Za-z0-9]{1,40}$/
export const REQUEST_ID = /^req_[A-Za-z0-9]{1,40}$/

const SIGNATURE = /^svc=(:[A-Za-z0-9+/]{86}==:)$/
const DIGEST = /^sha-256=:([A-Za-z0-9+/]{43}=):$/

/** Seconds a clock may be wrong; a hello takes two days, so that the skew can be learned from it. */
export function tolerance(tag: RequestTag): number {
  return tag === HELLO_TAG ? 172_800 : 300
}

/** A header's value without spaces and tabs around it. CR and LF stay and make every shape fail. */
export function headerValue(headers: Headers, name: string): string | undefined {
  return headers[name]?.replace(/^[ \t]+|[ \t]+$/g, '')
}

/** Only canonical standard base64: undefined when encoding again would give another text. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** The 64 bytes of a `Signature` header, and its member value with the colons, as the answer's base repeats it. */
export function parseSignature(header: string | undefined): { bytes: Buffer; member: string } | undefined {
  const member = SIGNATURE.exec(header ?? '')?.[1]
  const bytes = member && decodeBase64(member.slice(1, -1))
  return bytes && member ? { bytes, member } : undefined
}

/** The 32 bytes of a `Content-Digest` header. */
export function parseDigest(header: string | undefined): Buffer | undefined {
  const text = DIGEST.exec(header ?? '')?.[1]
  return text === undefined ? undefined : decodeBase64(text)
}

/** RFC 9421 §2.5. `lines` are the components in their order, `parameters` the value of @signature-params. */
export function signatureBase(lines: ReadonlyArray<readonly [component: string, value: string]>, parameters: string): Buffer {
  const rows = lines.map(([component, value]) => `${component}: ${value}`)
  return Buffer.from([...rows, `"@signature-params": ${parameters}`].join('\n'))
}
