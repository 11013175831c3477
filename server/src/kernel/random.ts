import { randomFillSync } from 'node:crypto'

const pool = Buffer.allocUnsafeSlow(4096)
let used = pool.length

/** Up to 4,096 random bytes for what each request needs anew, ids and nonces: the kernel is asked for many at once. Secrets are made by `randomBytes`. */
export function freshBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return Buffer.from(pool.subarray(used - count, used))
}
