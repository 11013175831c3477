// Database rows and files of a fake site, in slices as the connector cuts them.
import { gzipSync } from 'node:zlib'
import { comparePaths, pathBytes, type SitePath } from '../src/connector/site-text.ts'
import type { FakeFile, FakeState, FakeTable, FakeValue } from './fake-state.ts'

export type FakeAnswer = { result: Record<string, unknown>; payload?: Buffer } | { error: { code: string; message: string } }
export type FakeCall = {
  requestId: string
  params: Record<string, unknown>
  payload?: Buffer | undefined
  siteUrl: string
  keyids: string[]
  now: number
}

export function failure(code: string, message: string): FakeAnswer {
  return { error: { code, message } }
}

export function dbTables(state: FakeState): Record<string, unknown> {
  const tables = state.tables.map(({ rows, ...table }) => ({ ...table, rows: rows.length, bytes: rows.length * 100 }))
  return { engine: 'mariadb', version: '10.11.6', charset: 'utf8mb4', sql_mode: 'NO_ENGINE_SUBSTITUTION', tables, ...state.database }
}

export function dbRows(state: FakeState, { params }: FakeCall): FakeAnswer {
  const table = state.tables.find(({ name }) => name === params.table)
  if (!table) return failure('bad_request', 'No such table.')
  const sorted = table.rows.toSorted((a, b) => compareKeys(keyOf(table, a), keyOf(table, b)))
  const until = params.until as string[] | undefined
  const rows = until ? sorted.filter((row) => compareKeys(keyOf(table, row), typedKey(table, until)) <= 0) : sorted
  const after = params.after as string[] | null
  const start = table.key.length > 0 ? firstAfter(table, rows, after) : Number(params.offset)
  const taken: FakeValue[][] = []
  const skipped: ReturnType<typeof skippedRow>[] = []
  let [bytes, last]: [number, FakeValue[] | undefined] = [0, undefined]
  for (const row of rows.slice(start, start + Number(params.max_items))) {
    if (isTooLarge(state, table, row, params)) {
      skipped.push(skippedRow(table, row, start + taken.length + skipped.length))
      last = row
      continue
    }
    bytes += tuple(table, row).length
    if (taken.length > 0 && bytes > Number(params.max_bytes)) break
    taken.push(row)
    last = row
  }
  const plain = Buffer.from(taken.length > 0 ? told(state, table, taken) : '')
  const offset = start + taken.length + skipped.length
  const position = table.key.length === 0 ? null : last ? wireKey(keyOf(table, last)) : after
  const result = { rows: taken.length, after: position, offset, done: offset >= rows.length, encoding: 'gzip', skipped }
  return { result, payload: gzipSync(plain, { level: 1 }) }
}

/** Whether a row is left out: of what is larger than was asked for, or than this site can send. */
export function isTooLarge(state: FakeState, table: FakeTable, row: FakeValue[], { skip_above }: { skip_above?: unknown }): boolean {
  return typeof skip_above === 'number' && tuple(table, row).length > Math.min(skip_above, state.mostRow)
}

export function skippedRow(table: FakeTable, row: FakeValue[], offset: number) {
  return { key: table.key.length > 0 ? wireKey(keyOf(table, row)) : null, offset, bytes: tuple(table, row).length }
}

export function filesList(state: FakeState, { params }: FakeCall): FakeAnswer {
  const after = params.after as SitePath | null
  const all = walk(filesOf(state, String(params.root))).map((entry) => (state.sealed.has(entry.p) ? { ...entry, w: false } : entry))
  const left = params.root === 'abspath' ? [...state.excluded] : []
  const listed = all.filter(({ p }) => !left.some(([path]) => `${p}/`.startsWith(`${path}/`)))
  const rest = listed.filter(({ p }) => after === null || comparePaths(p, after) > 0)
  const entries = rest.slice(0, Number(params.max_items))
  const outside = entries.flatMap(({ p }) => (state.outside.has(p) ? [{ p, why: state.outside.get(p) }] : []))
  return {
    result: {
      entries,
      // Those that come before the end of the page, once.
      excluded: after === null ? left.map(([p, why]) => ({ p, why })) : [],
      ...(state.roots && { outside }),
      after: entries.at(-1)?.p ?? after,
      done: entries.length === rest.length,
    },
  }
}

export function filesRead(state: FakeState, { params }: FakeCall): FakeAnswer {
  const asked = params.items as { p: SitePath; o: number; n: number }[]
  const items: Record<string, unknown>[] = []
  const payloads: Buffer[] = []
  let room = Number(params.max_bytes)
  for (const { p, o, n } of asked) {
    if (items.length > 0 && room <= 0) break
    const file = state.files.get(keyIn(params.root, p))
    const plain = file?.bytes.subarray(o, o + Math.min(n, Math.max(1, room))) ?? Buffer.alloc(0)
    const packed = gzipSync(plain, { level: 1 })
    const gain = packed.length < plain.length
    const payload = gain ? packed : plain
    items.push({ ...stat(file), n: plain.length, encoding: gain ? 'gzip' : 'identity', wire: payload.length })
    payloads.push(payload)
    room -= plain.length
  }
  return { result: { items, done: items.length === asked.length }, payload: Buffer.concat(payloads) }
}

function stat(file: FakeFile | undefined) {
  if (!file) return { status: 'missing', s: 0, mt: 0, ct: 0, i: 0 }
  return { status: 'ok', s: file.bytes.length, mt: file.mtime, ct: file.ctime, i: file.inode }
}

/** The name under which the state has a file of a root. */
export const keyIn = (root: unknown, path: SitePath) => `${root === 'abspath' ? '' : `${root}:`}${pathBytes(path)}`

function filesOf({ files }: FakeState, root: string): Map<string, FakeFile> {
  const of = ([key]: [string, FakeFile]) => (/^([a-z0-9-]+):/.exec(key)?.[1] ?? 'abspath') === root
  return new Map([...files].filter(of).map(([key, file]) => [root === 'abspath' ? key : key.slice(root.length + 1), file]))
}

function walk(all: Map<string, FakeFile>): { p: string }[] {
  const folders = new Set([...all.keys()].flatMap((path) => parents(path)))
  const directories = [...folders].map((p) => ({ p, t: 'd', m: 0o755, mt: 1_760_000_000, ct: 1_760_000_000, i: 1, s: 0 }))
  const files = [...all].map(([p, file]) => ({ p, ...kindOf(file), m: file.mode, mt: file.mtime, ct: file.ctime, i: file.inode }))
  return [...directories, ...files].sort((a, b) => comparePaths(a.p, b.p))
}

function kindOf({ target, bytes }: FakeFile) {
  return target === undefined ? { t: 'f', s: bytes.length } : { t: 'l', s: target.length, to: target }
}

function parents(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
}

export function keyOf(table: FakeTable, row: FakeValue[]): FakeValue[] {
  return table.key.map((name) => row[table.columns.findIndex((column) => column.name === name)] ?? null)
}

/** A key as it travels. */
export const wireKey = (key: FakeValue[]): string[] => key.map((value) => rawBytes(value).toString('base64'))

/** A key from the wire, its values of the kind the table has. */
export function typedKey(table: FakeTable, wire: string[]): FakeValue[] {
  const like = keyOf(table, table.rows[0] ?? [])
  return wire.map((value, i) => {
    const bytes = Buffer.from(value, 'base64')
    return typeof like[i] === 'number' ? Number(bytes.toString()) : Buffer.isBuffer(like[i]) ? bytes : bytes.toString()
  })
}

function firstAfter(table: FakeTable, rows: FakeValue[][], after: string[] | null): number {
  if (!after) return 0
  const key = typedKey(table, after)
  const index = rows.findIndex((row) => compareKeys(keyOf(table, row), key) > 0)
  return index < 0 ? rows.length : index
}

export function compareKeys(a: FakeValue[], b: FakeValue[]): number {
  for (const [i, left] of a.entries()) {
    const right = b[i] ?? null
    const order = typeof left === 'number' && typeof right === 'number' ? left - right : Buffer.compare(rawBytes(left), rawBytes(right))
    if (order !== 0) return order
  }
  return 0
}

function rawBytes(value: FakeValue): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value ?? ''))
}

export const told = (state: FakeState, table: FakeTable, rows: FakeValue[][]): string =>
  state.told ? state.told(insert(table, rows), table) : insert(table, rows)

function insert(table: FakeTable, rows: FakeValue[][]): string {
  const columns = table.columns.map(({ name }) => `\`${name}\``).join(',')
  return `INSERT INTO \`${table.name}\` (${columns}) VALUES ${rows.map((row) => tuple(table, row)).join(',')};\n`
}

export function tuple(table: FakeTable, row: FakeValue[]): string {
  return `(${row.map((value, i) => literal(value, table.columns[i]?.binary ?? false)).join(',')})`
}

// The backslash first, because the others bring one.
const ESCAPES = [
  ['\\', '\\\\'],
  ['\0', '\\0'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ["'", "\\'"],
  ['"', '\\"'],
  ['\x1a', '\\Z'],
] as const

function literal(value: FakeValue, binary: boolean): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (binary || Buffer.isBuffer(value)) return value.length === 0 ? "''" : `0x${rawBytes(value).toString('hex')}`
  return `'${ESCAPES.reduce((text, [plain, escaped]) => text.replaceAll(plain, escaped), value)}'`
}
