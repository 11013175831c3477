import { crc32, deflateRawSync } from 'node:zlib'

export type ZipFile = { name: string; bytes: Uint8Array }

const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END_HEADER = 0x06054b50
const VERSION = 20
const MADE_BY_UNIX = (3 << 8) | VERSION
const UTF8_NAMES = 0x0800
const DEFLATED = 8
/** 2020-01-01 00:00 in the date words of the format: always the same, so that the same files give the same bytes. */
const DATE = ((2020 - 1980) << 9) | (1 << 5) | 1
const REGULAR_FILE_0644 = (0o100644 << 16) >>> 0

/** A zip archive whose bytes depend on nothing but the files' names and contents, sorted by name. */
export function zip(files: ZipFile[]): Buffer {
  const sorted = [...files].sort((one, other) => (one.name < other.name ? -1 : 1))
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const { name, bytes } of sorted) {
    const packed = deflateRawSync(bytes, { level: 9 })
    const common = commonHeader(Buffer.byteLength(name), bytes, packed)
    const local = Buffer.concat([words(LOCAL_HEADER), common, Buffer.from(name), packed])
    centrals.push(centralHeader(common, name, offset))
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(centrals)
  return Buffer.concat([...locals, central, endHeader(sorted.length, central.length, offset)])
}

/** What the header before a file and its entry in the directory at the end have in common. */
function commonHeader(nameLength: number, bytes: Uint8Array, packed: Buffer): Buffer {
  return Buffer.concat([
    halves(VERSION, UTF8_NAMES, DEFLATED, 0, DATE),
    words(crc32(bytes), packed.length, bytes.length),
    halves(nameLength, 0),
  ])
}

function centralHeader(common: Buffer, name: string, offset: number): Buffer {
  const rest = [halves(0, 0, 0), words(REGULAR_FILE_0644, offset), Buffer.from(name)]
  return Buffer.concat([words(CENTRAL_HEADER), halves(MADE_BY_UNIX), common, ...rest])
}

function endHeader(count: number, size: number, offset: number): Buffer {
  return Buffer.concat([words(END_HEADER), halves(0, 0, count, count), words(size, offset), halves(0)])
}

function halves(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) buffer.writeUInt16LE(value, index * 2)
  return buffer
}

function words(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, index * 4)
  return buffer
}
