import { argon2 as argon2Callback, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const argon2 = promisify(argon2Callback)

/** Argon2's memory in KiB, passes and lanes (RFC 9106). */
interface Cost {
  memory: number
  passes: number
  parallelism: number
}
const usual: Cost = { memory: 65_536, passes: 3, parallelism: 1 }
const tagLength = 32

const derive = (password: string, nonce: Buffer, cost: Cost) =>
  argon2('argon2id', { ...cost, tagLength, message: Buffer.from(password), nonce })

/** Argon2id with 64 MiB and 3 passes where nothing else is said, in the PHC string format, which names them. */
export async function hashPassword(password: string, cost = usual): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive(password, nonce, cost)
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${text(nonce)}$${text(tag)}`
}

interface Kept {
  cost: Cost
  nonce: Buffer
  tag: Buffer
}
/** Nobody's: without a hash to compare with as much is computed. */
const nobodys: Kept = { cost: usual, nonce: randomBytes(16), tag: Buffer.alloc(tagLength) }

/** Takes as long when there is no hash. A hash made at another cost is compared at that one, so the usual one may change. */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const kept = read(passwordHash ?? '') ?? nobodys
  const given = await derive(password, kept.nonce, kept.cost)
  return kept.tag.length === given.length && timingSafeEqual(kept.tag, given) && kept !== nobodys
}

const phc = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([\w+/]+)\$([\w+/]+)$/

function read(passwordHash: string): Kept | undefined {
  const [, memory, passes, parallelism, nonce, tag] = phc.exec(passwordHash) ?? []
  if (!nonce || !tag) return undefined
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  return { cost, nonce: Buffer.from(nonce, 'base64'), tag: Buffer.from(tag, 'base64') }
}

const letters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789'

/** 20 characters without look-alikes, about 115 bits. */
export const newPassword = () => Array.from({ length: 20 }, () => letters[randomInt(letters.length)]).join('')
