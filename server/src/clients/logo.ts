// What a picture is, by its bytes: its name and what its sender says of it are not believed.
import { wrongField } from '../kernel/problem.ts'

export interface Picture {
  type: 'image/png' | 'image/jpeg'
  bytes: Buffer
}

/** Points on each side; a larger one is a burden to whoever opens it, however few its bytes. */
const most = 4000

const wrong = (message: string) => wrongField('logo', message)

/** The picture in this base64; null for an empty text. Throws a Problem for what is none. */
export function pictureOf(base64: string): Picture | null {
  if (base64 === '') return null
  const bytes = Buffer.from(base64, 'base64')
  const png = sizeOfPng(bytes)
  const size = png ?? sizeOfJpeg(bytes)
  if (!size) throw wrong('Must be a PNG or a JPEG.')
  if (size.some((side) => side < 1 || side > most)) throw wrong(`At most ${most} × ${most} points.`)
  return { type: png ? 'image/png' : 'image/jpeg', bytes }
}

type Size = [width: number, height: number]

function sizeOfPng(bytes: Buffer): Size | undefined {
  const isPng = bytes.length > 32 && bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
  return isPng && bytes.toString('latin1', 12, 16) === 'IHDR' ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : undefined
}

/** Walks from segment to segment to the one that begins the frame. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  if (bytes.length < 12 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
