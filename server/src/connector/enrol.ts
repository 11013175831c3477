// The enrolment handshake (connector/PROTOCOL.md §3) as pure functions. The code itself never travels; both sides prove that they know it.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { decodeBase64 } from './shapes.ts'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export type EnrolRequest = { sitePublic: string; url: string; nonce: string }
export type EnrolAnswer = { siteId: string; servicePublic: string; sitePublic: string; requestNonce: string; answerNonce: string }

/** 100 random bits as XXXXX-XXXXX-XXXXX-XXXXX. */
export function createCode(): string {
  const characters = Array.from(randomBytes(20), (byte) => CROCKFORD[byte & 31]).join('')
  return characters.replace(/.{5}(?=.)/g, '$&-')
}

/** What a person typed, as 20 characters; undefined when it cannot be a code. */
export function normaliseCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[-\s]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{20}$/.test(code) ? code : undefined
}

/** K: all that the service stores of a code. Throws a TypeError for what is no code. */
export function codeKey(code: string): Buffer {
  const normal = normaliseCode(code)
  if (normal === undefined) throw new TypeError('An enrolment code has 20 characters.')
  return createHash('sha256').update(normal).digest()
}

/** 16 hex characters by which the service finds K. */
export function codeHint(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16)
}

/** 16 random bytes in standard base64. */
export function createEnrolNonce(): string {
  return randomBytes(16).toString('base64')
}

/** What the site sends to show that it knows the code. */
export function enrolProof(key: Buffer, request: EnrolRequest): string {
  return mac(key, ['enrol-1', request.sitePublic, request.url, request.nonce])
}

/** Takes constant time; a proof that is no canonical base64 of 32 bytes is false. */
export function enrolProofHolds(key: Buffer, request: EnrolRequest, proof: string): boolean {
  return sameMac(enrolProof(key, request), proof)
}

/** What the service answers, over both keys and both nonces. */
export function answerProof(key: Buffer, answer: EnrolAnswer): string {
  return mac(key, ['enrol-2', answer.siteId, answer.servicePublic, answer.sitePublic, answer.requestNonce, answer.answerNonce])
}

/** Takes constant time. */
export function answerProofHolds(key: Buffer, answer: EnrolAnswer, proof: string): boolean {
  return sameMac(answerProof(key, answer), proof)
}

function mac(key: Buffer, parts: readonly string[]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('base64')
}

function sameMac(ours: string, theirs: string): boolean {
  const given = decodeBase64(theirs)
  return given?.length === 32 && timingSafeEqual(Buffer.from(ours, 'base64'), given)
}
