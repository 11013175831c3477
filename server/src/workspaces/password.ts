import { argon2 as argon2Callback, randomBytes, randomInt } from 'node:crypto'
import { promisify } from 'node:util'

const argon2 = promisify(argon2Callback)
const cost = { parallelism: 1, tagLength: 32, memory: 65_536, passes: 3 }

/** Argon2id with 64 MiB and 3 passes, in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await argon2('argon2id', { ...cost, message: Buffer.from(password), nonce })
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${text(nonce)}$${text(tag)}`
}

const letters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789'

/** 20 characters without look-alikes, about 115 bits. */
export const newPassword = () => Array.from({ length: 20 }, () => letters[randomInt(letters.length)]).join('')
