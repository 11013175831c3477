// Headers of POSIX pax archives, written as bytes: file names on a site need not be UTF-8 and have to come back as they were.
export type TarEntry = {
  path: Buffer
  type: 'file' | 'directory' | 'link'
  mode: number
  /** Unix seconds; may be before 1970. */
  mtime: number
  size: number
  target: Buffer | null
}

const BLOCK = 512
const TYPE_FLAGS = { file: '0', directory: '5', link: '2' }
const MAX_OCTAL_SIZE = 8 ** 11 - 1

/** The header blocks of one entry; `padding(size)` bytes of zeros follow its content. */
export function tarHeader(entry: TarEntry): Buffer {
  const path = pathOf(entry)
  const extended = paxRecords(path, entry)
  const header = block(path, TYPE_FLAGS[entry.type], entry)
  if (extended.length === 0) return header
  const pax = block(Buffer.from('pax-header'), 'x', { mode: 0o644, mtime: 0, size: extended.length, target: null })
  return Buffer.concat([pax, extended, padding(extended.length), header])
}

/** How many bytes `tarHeader` makes. */
export function headerLength(entry: TarEntry): number {
  const extended = paxRecords(pathOf(entry), entry).length
  return extended === 0 ? BLOCK : 2 * BLOCK + extended + paddingLength(extended)
}

export const paddingLength = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK
export const padding = (size: number) => Buffer.alloc(paddingLength(size))
export const tarEnd = () => Buffer.alloc(2 * BLOCK)

const pathOf = ({ path, type }: TarEntry) => (type === 'directory' ? Buffer.concat([path, Buffer.from('/')]) : path)

function paxRecords(path: Buffer, { target, size, mtime }: TarEntry): Buffer {
  const records: Buffer[] = []
  const names = target ? [path, target] : [path]
  if (names.every(fitsShort) && size <= MAX_OCTAL_SIZE && octalTime(mtime) === mtime) return NONE
  if (!names.every(isUtf8)) records.push(paxRecord('hdrcharset', Buffer.from('BINARY')))
  if (!fitsShort(path)) records.push(paxRecord('path', path))
  if (target && !fitsShort(target)) records.push(paxRecord('linkpath', target))
  if (size > MAX_OCTAL_SIZE) records.push(paxRecord('size', Buffer.from(String(size))))
  if (octalTime(mtime) !== mtime) records.push(paxRecord('mtime', Buffer.from(String(mtime))))
  return Buffer.concat(records)
}

const NONE = Buffer.alloc(0)
const isUtf8 = (bytes: Buffer) => Buffer.from(bytes.toString('utf8')).equals(bytes)
const fitsShort = (name: Buffer) => name.length <= 100 && name.every((byte) => byte < 0x80)
const octalTime = (mtime: number) => Math.min(Math.max(mtime, 0), MAX_OCTAL_SIZE)

/** A record says its own length in decimal, the digits of that length included. */
function paxRecord(keyword: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${keyword}=`), value, Buffer.from('\n')])
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

function block(path: Buffer, flag: string, { mode, mtime, size, target }: Pick<TarEntry, 'mode' | 'mtime' | 'size' | 'target'>): Buffer {
  const header = Buffer.alloc(BLOCK)
  path.copy(header, 0, 0, 100)
  // The owner is 0: with the bits above, what a site sends would run as root once it is unpacked.
  writeOctal(header, 100, 8, mode & 0o777)
  writeOctal(header, 108, 8, 0)
  writeOctal(header, 116, 8, 0)
  writeOctal(header, 124, 12, size > MAX_OCTAL_SIZE ? 0 : size)
  writeOctal(header, 136, 12, octalTime(mtime))
  header.fill(' ', 148, 156)
  header.write(flag, 156)
  target?.copy(header, 157, 0, 100)
  header.write('ustar\u000000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1')
  return header
}

function writeOctal(header: Buffer, offset: number, width: number, value: number): void {
  header.write(value.toString(8).padStart(width - 1, '0'), offset, 'latin1')
}
