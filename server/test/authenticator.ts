import { createHmac } from 'node:crypto'

/** The code an app shows at this time: RFC 6238, written for the tests apart from the service's own. */
export function codeOf(base32: string, at: Date): string {
  let bits = ''
  for (const letter of base32) bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.from(
    Math.floor(at.getTime() / 30_000)
      .toString(16)
      .padStart(16, '0'),
    'hex',
  )
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac[19] ?? 0) % 16
  const [a = 0, b = 0, c = 0, d = 0] = mac.subarray(offset, offset + 4)
  return String((((a & 127) << 24) + (b << 16) + (c << 8) + d) % 1_000_000).padStart(6, '0')
}
