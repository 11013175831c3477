// A minimal writer of zip archives (deflate, no encryption, below 4 GB and 65,535 entries).
import { crc32, deflateRawSync } from 'node:zlib'

/** Makes an archive of `path → content`; every entry carries the same fixed date, so equal input gives equal bytes. */
export function zip(files: Record<string, string | Uint8Array>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of Object.entries(files)) {
    const entry = zipEntry(path, Buffer.from(content), offset)
    parts.push(entry.local)
    directory.push(entry.central)
    offset += entry.local.length
  }
  const central = Buffer.concat(directory)
  return Buffer.concat([...parts, central, endOfDirectory(directory.length, central.length, offset)])
}

/** The same files one folder deeper. */
export const inFolder = <Content>(folder: string, files: Record<string, Content>): Record<string, Content> =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]))

const DEFLATE = 8
const UTF8_NAMES = 0x800
const VERSION_2_0 = 20
// 2026-01-01 00:00:00 in the two 16-bit halves of an MS-DOS timestamp.
const DOS_TIME = 0
const DOS_DATE = ((2026 - 1980) << 9) | (1 << 5) | 1

function zipEntry(path: string, content: Buffer, offset: number): { local: Buffer; central: Buffer } {
  const name = Buffer.from(path)
  const packed = deflateRawSync(content)
  // Both headers share these 26 bytes: version needed … length of the extra field.
  const common = Buffer.alloc(26)
  common.writeUInt16LE(VERSION_2_0, 0)
  common.writeUInt16LE(UTF8_NAMES, 2)
  common.writeUInt16LE(DEFLATE, 4)
  common.writeUInt16LE(DOS_TIME, 6)
  common.writeUInt16LE(DOS_DATE, 8)
  common.writeUInt32LE(crc32(content), 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(content.length, 18)
  common.writeUInt16LE(name.length, 22)
  const madeBy = Buffer.from([VERSION_2_0, 0])
  const attributesAndOffset = Buffer.alloc(14)
  attributesAndOffset.writeUInt32LE(offset, 10)
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed]),
    central: Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common, attributesAndOffset, name]),
  }
}

function endOfDirectory(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries, 8)
  end.writeUInt16LE(entries, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return end
}
