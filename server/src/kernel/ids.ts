import { freshBytes } from './random.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** `site_` + 26 characters of lower-case Crockford base32: 48 bits of time, 80 of chance. Sorts by creation, like a ULID. */
export function newId<Prefix extends string>(prefix: Prefix, now: Date): `${Prefix}_${string}` {
  let text = ''
  for (let time = now.getTime(), i = 0; i < 10; i++, time = Math.floor(time / 32)) text = alphabet.charAt(time % 32) + text
  for (const byte of freshBytes(16)) text += alphabet.charAt(byte & 31)
  return `${prefix}_${text}`
}
