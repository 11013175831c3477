import { randomFillSync } from 'node:crypto'

const pool = Buffer.allocUnsafeSlow(4096)
let used = pool.length

/** Up to 4,096 random bytes for what each request needs anew, ids and nonces: the kernel is asked for many at once. Secrets are made by `randomBytes`. */
export function freshBytes(count: number): Buffer {
  const from = take(count)
  return Buffer.from(pool.subarray(from, used))
}

/** The same, as two hexadecimal digits each. */
export function freshHex(count: number): string {
  const from = take(count)
  return pool.toString('hex', from, used)
}

/** Where the next bytes of the pool begin; they end at `used`. */
function take(count: number): number {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return used - count
}
