import { argon2 as argon2Callback, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const argon2 = promisify(argon2Callback)
const cost = { parallelism: 1, tagLength: 32, memory: 65_536, passes: 3 }

const derive = (password: string, nonce: Buffer) => argon2('argon2id', { ...cost, message: Buffer.from(password), nonce })

/** Argon2id with 64 MiB and 3 passes, in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive(password, nonce)
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${text(nonce)}$${text(tag)}`
}

const known = new RegExp(`^\\$argon2id\\$v=19\\$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}\\$([\\w+/]+)\\$([\\w+/]+)$`)
/** Nobody's: without a hash to compare with as much is computed. */
const nobodys = { nonce: randomBytes(16), tag: Buffer.alloc(cost.tagLength) }

/** Takes as long when there is no hash. */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const [, nonce, tag] = known.exec(passwordHash ?? '') ?? []
  const kept = nonce && tag ? { nonce: Buffer.from(nonce, 'base64'), tag: Buffer.from(tag, 'base64') } : nobodys
  const given = await derive(password, kept.nonce)
  return kept.tag.length === given.length && timingSafeEqual(kept.tag, given) && kept !== nobodys
}

const letters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789'

/** 20 characters without look-alikes, about 115 bits. */
export const newPassword = () => Array.from({ length: 20 }, () => letters[randomInt(letters.length)]).join('')
