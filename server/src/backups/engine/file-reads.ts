import type { FileReads } from '../../connector/call.ts'
import type { Params } from '../../connector/commands.ts'
import { sitePath } from '../../connector/site-text.ts'
import { malformed } from '../../connector/slice.ts'
import type { Listed } from './file-walk.ts'
import { showPath } from './site-path.ts'
import type { SliceSize } from './slice-size.ts'

export type ReadFiles = (params: Params<'files.read'>, signal: AbortSignal) => Promise<FileReads>
/** One piece of one file to be read, in bytes. */
export type Wanted = { file: Listed; offset: number; length: number }
export type Stat = Pick<Listed, 'size' | 'mtime' | 'ctime' | 'inode'>
/** What came: `stat` as of the last part of it; `torn` when the file moved between two parts. Fewer bytes than wanted mean the file ends there. */
export type Got = { status: 'ok'; bytes: Buffer; stat: Stat; torn: boolean } | { status: 'missing' | 'unreadable' }
/** `spent` gets the buffers that were read into: all that was read from them is over when the pieces are. */
export type ReadRequest = { read: ReadFiles; root: string; slice: SliceSize; signal: AbortSignal; spent: Buffer[] }

export const MAX_ITEMS = 500
// Paths may double as base64 or JSON escapes, and in an envelope the request is a third longer: many firewalls take 128 KiB at most.
export const MAX_PATH_BYTES = 32 * 1024
const BUDGET_MS = 8_000
type Reading = { wanted: Wanted; parts: Buffer[]; received: number; stat: Stat | null; torn: boolean; ended: Got['status'] | null }

/** Reads all the pieces, in as many requests as it takes; answers come in the order of `wanted`. */
export async function readPieces(request: ReadRequest, wanted: Wanted[]): Promise<Got[]> {
  const readings = wanted.map((piece): Reading => ({ wanted: piece, parts: [], received: 0, stat: null, torn: false, ended: null }))
  let first = 0
  while (first < readings.length) {
    const open = readings.slice(first).filter((reading) => !reading.ended)
    await readSome(request, open.slice(0, MAX_ITEMS))
    while (readings[first]?.ended) first += 1
  }
  return readings.map(finished)
}

async function readSome({ read, root, slice, signal, spent }: ReadRequest, readings: Reading[]): Promise<void> {
  const { items, answer } = await slice.ask(signal, async (bytes) => {
    const items = itemsWithin(readings, bytes)
    return { items, answer: await read({ root, items, max_bytes: bytes, budget_ms: BUDGET_MS }, signal) }
  })
  if (answer.items.length === 0 || answer.items.length > items.length)
    throw malformed('The site answered other files than it was asked for.')
  for (const [i, item] of answer.items.entries()) {
    const reading = readings[i]
    const asked = items[i]
    if (reading && asked) accept(reading, item, asked.n)
    if (item.encoding === 'gzip') spent.push(item.bytes)
  }
  spent.push(answer.payload)
}

function itemsWithin(readings: Reading[], bytes: number): Params<'files.read'>['items'] {
  const items: Params<'files.read'>['items'] = []
  let room = bytes
  let pathRoom = MAX_PATH_BYTES
  for (const { wanted, received } of readings) {
    const n = Math.min(wanted.length - received, bytes)
    pathRoom -= wanted.file.path.length
    if (items.length > 0 && (n > room || pathRoom < 0)) break
    items.push({ p: sitePath(wanted.file.path), o: wanted.offset + received, n, i: wanted.file.inode })
    room -= n
  }
  return items
}

function accept(reading: Reading, item: FileReads['items'][number], asked: number): void {
  if (item.status !== 'ok') {
    reading.ended = item.status
    return
  }
  if (item.bytes.length > asked)
    throw malformed('The site sent more of a file than was asked for.', { named: showPath(reading.wanted.file.path) })
  const stat = { size: item.s, mtime: item.mt, ctime: item.ct, inode: item.i }
  reading.torn ||= reading.stat !== null && !sameStat(reading.stat, stat)
  reading.stat = stat
  reading.parts.push(item.bytes)
  reading.received += item.bytes.length
  if (item.bytes.length === 0 || reading.received === reading.wanted.length) reading.ended = 'ok'
}

function finished({ ended, parts, stat, torn }: Reading): Got {
  if (ended === 'missing' || ended === 'unreadable') return { status: ended }
  if (!stat) throw malformed('The site answered a file without saying how it is.')
  const [only] = parts
  return { status: 'ok', bytes: parts.length === 1 && only ? only : Buffer.concat(parts), stat, torn }
}

export function sameStat(a: Stat, b: Stat): boolean {
  return a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime && a.inode === b.inode
}
