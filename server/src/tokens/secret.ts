import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** What a token looks like: `svc_`, 32 base62 characters (190 bits), 6 base62 characters of their CRC-32. */
export const TokenPattern = /^svc_[0-9A-Za-z]{38}$/

/** A fresh token in plain text; shown once, never stored. */
export function newToken(): string {
  const secret = Array.from({ length: 32 }, () => base62[randomInt(62)]).join('')
  return `svc_${secret}${checksum(secret)}`
}

/** True for text that has the form and the checksum of a token; anyone can tell offline, without a look-up. */
export function looksLikeToken(text: string): boolean {
  return TokenPattern.test(text) && checksum(text.slice(4, 36)) === text.slice(36)
}

/** What is stored, and looked up by: SHA-256, 32 bytes. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** What is shown in lists, 12 characters. */
export const prefixOfToken = (token: string): string => token.slice(0, 12)

function checksum(secret: string): string {
  let value = crc32(secret)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = base62[value % 62] + text
    value = Math.floor(value / 62)
  }
  return text
}
