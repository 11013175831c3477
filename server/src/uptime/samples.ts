// How checks are kept: twelve bytes each, an hour of a site in one row, and what an hour comes to.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type ErrorKind, errorKinds } from './schema.ts'

/** One check as it is kept; times in ms. */
export interface Sample {
  at: Date
  up: boolean
  /** Whether WordPress itself answered; null: it was not asked, or that could not be told. */
  appUp: boolean | null
  /** It says nothing about the site: maintenance, work of ours, trouble of our own network. */
  excluded: boolean
  error: ErrorKind | null
  status: number
  /** From the request sent to the first byte of its answer. */
  waitMs: number
  totalMs: number
  /** Kept to a twentieth of their size; null: none. */
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
}

const hourMs = 3_600_000
const bytesOfSample = 12
const kinds: readonly (ErrorKind | null)[] = [null, ...errorKinds]
const apps: readonly (boolean | null)[] = [null, true, false]
const most = 65_535

export const hourOf = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs)

export function packSample({ at, up, appUp, excluded, error, status, waitMs, totalMs, ...parts }: Sample): Buffer {
  const bytes = Buffer.alloc(bytesOfSample)
  bytes.writeUInt16LE(Math.floor((at.getTime() % hourMs) / 1000), 0)
  bytes.writeUInt8(Number(up) | (apps.indexOf(appUp) << 1) | (Number(excluded) << 3) | (kinds.indexOf(error) << 4), 2)
  bytes.writeUInt16LE(Math.min(status, most), 3)
  bytes.writeUInt16LE(Math.min(Math.round(waitMs), most), 5)
  bytes.writeUInt16LE(Math.min(Math.round(totalMs), most), 7)
  for (const [n, ms] of [parts.dnsMs, parts.connectMs, parts.tlsMs].entries()) bytes.writeUInt8(codeOf(ms), 9 + n)
  return bytes
}

/** The samples of an hour, oldest first. */
export function unpackSamples(hour: Date, packed: Buffer): Sample[] {
  return Array.from({ length: Math.floor(packed.length / bytesOfSample) }, (_, n) => {
    const bytes = packed.subarray(n * bytesOfSample, (n + 1) * bytesOfSample)
    const flags = bytes.readUInt8(2)
    return {
      at: new Date(hour.getTime() + bytes.readUInt16LE(0) * 1000),
      up: (flags & 1) === 1,
      appUp: apps[(flags >> 1) & 3] ?? null,
      excluded: (flags & 8) === 8,
      error: kinds[flags >> 4] ?? null,
      status: bytes.readUInt16LE(3),
      waitMs: bytes.readUInt16LE(5),
      totalMs: bytes.readUInt16LE(7),
      dnsMs: msOf(bytes.readUInt8(9)),
      connectMs: msOf(bytes.readUInt8(10)),
      tlsMs: msOf(bytes.readUInt8(11)),
    }
  })
}

/** An hour as it is put away: its checks are much alike, so it becomes half as long. */
export const closeHour = (packed: Buffer): Buffer => deflateRawSync(packed)

export const openHour = (hour: Date, closed: Buffer): Sample[] =>
  unpackSamples(hour, inflateRawSync(closed, { maxOutputLength: mostOfHour }))

const mostOfHour = 64 * 1024
const step = 1.05
/** 0: none; 1: less than a millisecond; then each is a twentieth more than the one before, up to four minutes. */
const codeOf = (ms: number | null) => (ms === null ? 0 : Math.min(255, 1 + Math.round(Math.log(Math.max(1, ms)) / Math.log(step))))
const msOf = (code: number) => (code === 0 ? null : Math.round(step ** (code - 1)))

/** The upper ends of the buckets of response times, in ms; the last one has none. */
export const buckets = [50, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000] as const

/** What samples come to. */
export interface Sum {
  checks: number
  ups: number
  excluded: number
  msSum: number
  histogram: number[]
}

export function sumOf(samples: readonly Sample[]): Sum {
  const sum: Sum = { checks: 0, ups: 0, excluded: 0, msSum: 0, histogram: Array.from({ length: buckets.length + 1 }, () => 0) }
  for (const { up, excluded, waitMs } of samples) {
    if (excluded) {
      sum.excluded++
      continue
    }
    sum.checks++
    if (!up) continue
    sum.ups++
    sum.msSum += waitMs
    const found = buckets.findIndex((end) => waitMs <= end)
    const bucket = found === -1 ? buckets.length : found
    sum.histogram[bucket] = (sum.histogram[bucket] ?? 0) + 1
  }
  return sum
}

/** The end of the bucket that the answer lies in which is slower than so many of all (0.95: 95 %); null: none, or beyond the last one. */
export function quantileOf(histogram: readonly number[], share: number): number | null {
  const all = histogram.reduce((sum, n) => sum + n, 0)
  let seen = 0
  const found = histogram.findIndex((n) => {
    seen += n
    return all > 0 && seen >= share * all
  })
  return buckets[found] ?? null
}
