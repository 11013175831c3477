import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** `site_` + 26 characters of lower-case Crockford base32: 48 bits of time, 80 of chance. Sorts by creation, like a ULID. */
export function newId<Prefix extends string>(prefix: Prefix, now: Date): `${Prefix}_${string}` {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(now.getTime(), 0, 6)
  randomBytes(10).copy(bytes, 6)
  let bits = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (let i = 0; i < 26; i++) {
    text = alphabet[Number(bits & 31n)] + text
    bits >>= 5n
  }
  return `${prefix}_${text}`
}
