// Ed25519 keys as they travel and rest: raw 32 bytes in standard base64. A seed is a private key and is never logged.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { decodeBase64 } from './shapes.ts'

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

export type KeyPair = { privateKey: KeyObject; seed: string; public: string }
export type PublicKey = { keyid: string; key: KeyObject }

/** A fresh pair; `seed` is the raw private half in base64, `public` the raw public half. */
export function createKeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32).toString('base64')
  return { privateKey, seed, public: rawPublicKey(privateKey) }
}

/** The raw public half of either key, in base64. */
export function rawPublicKey(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
}

/** Throws a TypeError unless `seed` is 32 bytes in canonical base64. */
export function importSeed(seed: string): KeyObject {
  return createPrivateKey(pem('PRIVATE', PKCS8_PREFIX, seed))
}

/** Throws a TypeError unless `raw` is 32 bytes in canonical base64. */
export function importPublicKey(raw: string): KeyObject {
  return createPublicKey(pem('PUBLIC', SPKI_PREFIX, raw))
}

/** As a text: whatever is an object, Node first takes for a key, and makes an error of it, which takes as long as to read the key (24.21). */
const pem = (half: 'PRIVATE' | 'PUBLIC', prefix: Buffer, raw: string) =>
  `-----BEGIN ${half} KEY-----\n${Buffer.concat([prefix, thirtyTwoBytes(raw)]).toString('base64')}\n-----END ${half} KEY-----\n`

function thirtyTwoBytes(base64: string): Buffer {
  const bytes = decodeBase64(base64)
  if (bytes?.length !== 32) throw new TypeError('A key is 32 bytes in standard base64.')
  return bytes
}
