// For tests: ranges and digests of rows in memory, as `db.digests` tells them.
import { hash } from 'node:crypto'
import type { FoundRange, Key } from '../src/backups/engine/range-plan.ts'

export type DigestRow = { key: string[]; text: string }
type Ask = { after: Key; bounds: string[][]; tail: boolean; step: number }

/** `rows` in the order of their keys; `compare` orders two keys as they travel. Without a key there is one range. */
export function* rangesIn(rows: DigestRow[], ask: Ask, size: number, compare: (a: string[], b: string[]) => number): Generator<FoundRange> {
  if (rows.every(({ key }) => key.length === 0)) {
    if (rows.length > 0) yield digestOf(rows, null)
    return
  }
  const placeBehind = (key: Key) => (key === null ? 0 : firstOf(rows.length, (i) => compare(rows[i]?.key ?? [], key) > 0))
  let at = placeBehind(ask.after)
  for (const bound of ask.bounds) {
    const end = Math.max(at, placeBehind(bound))
    const whole = digestOf(rows.slice(at, end), bound)
    if (fits(whole, size)) yield whole
    else yield* steps(rows.slice(at, end), ask.step, size, bound)
    at = end
  }
  if (ask.tail) yield* steps(rows.slice(at), ask.step, size, null)
}

/** The least of so many places that holds; all behind it do. */
function firstOf(many: number, holds: (place: number) => boolean): number {
  let [from, to] = [0, many]
  while (from < to) {
    const middle = (from + to) >> 1
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return from
}

function* steps(rows: DigestRow[], step: number, size: number, until: Key): Generator<FoundRange> {
  for (let [at, many] = [0, step]; at < rows.length; ) {
    const some = rows.slice(at, at + many)
    const isLast = at + many >= rows.length
    const range = digestOf(some, isLast && until ? until : (some.at(-1)?.key ?? null))
    if (!fits(range, size)) {
      many = Math.max(1, Math.floor(many / 2))
      continue
    }
    yield range
    at += some.length
  }
}

const fits = ({ rows, bytes }: FoundRange, size: number) => bytes <= 2 * size || rows < 2

function digestOf(rows: DigestRow[], until: Key): FoundRange {
  let [bytes, xor, sum] = [0, 0n, 0n]
  for (const { text } of rows) {
    const digest = hash('sha256', text, 'buffer')
    bytes += text.length
    xor ^= digest.readBigUInt64BE(0)
    sum += digest.readBigUInt64BE(8)
  }
  const hex = (value: bigint) => BigInt.asUintN(64, value).toString(16).padStart(16, '0')
  return { until, rows: rows.length, bytes, digest: hex(xor) + hex(sum) }
}
