// A place in the order of what was heard, as listeners are given it. How much others did meanwhile is nobody's business:
// so it says nothing to them, and means something to this process alone.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** A place, and which sites its listener saw there. */
export interface Place {
  at: string
  sight: number
}

const cipher = 'aes-128-ecb'
const key = randomBytes(16)

/** One block, so there is nothing that two places could be compared by. */
export function encryptPlace({ at, sight }: Place): string {
  const [node = '', n = ''] = at.split('-')
  const block = Buffer.alloc(16)
  block.write(node, 'hex')
  block.writeUIntBE(Number(n), 6, 6)
  block.writeUInt32BE(sight, 12)
  const hidden = createCipheriv(cipher, key, null).setAutoPadding(false)
  return Buffer.concat([hidden.update(block), hidden.final()]).toString('hex')
}

/** What nobody was told leads to a place that no node knows. */
export function decryptPlace(text: string): Place | undefined {
  if (!/^[0-9a-f]{32}$/.test(text)) return undefined
  const hidden = createDecipheriv(cipher, key, null).setAutoPadding(false)
  const block = Buffer.concat([hidden.update(text, 'hex'), hidden.final()])
  return { at: `${block.toString('hex', 0, 6)}-${block.readUIntBE(6, 6)}`, sight: block.readUInt32BE(12) }
}
