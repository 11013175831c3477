// Codes of an authenticator app: RFC 6238 with SHA-1, six digits and steps of thirty seconds, as every app knows them.
import { createHmac, timingSafeEqual } from 'node:crypto'

const stepMs = 30_000
const digits = 6

export const stepAt = (now: Date) => Math.floor(now.getTime() / stepMs)

export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const at = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(at) & 0x7fff_ffff) % 10 ** digits).padStart(digits, '0')
}

/** The steps a code belongs to, of this one and its neighbours: clocks differ, and people take a while. */
export function stepsOf(secret: Uint8Array, code: string, now: Date): number[] {
  if (!/^\d{6}$/.test(code)) return []
  const given = Buffer.from(code)
  const nowStep = stepAt(now)
  return [nowStep - 1, nowStep, nowStep + 1].filter((step) => timingSafeEqual(Buffer.from(codeAt(secret, step)), given))
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** What an app reads from the QR code. */
export function otpauth(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const label = [issuer, account].map(encodeURIComponent).join(':')
  // SHA-1, six digits and thirty seconds go without saying, and a QR code is the easier to read the less it says.
  return `otpauth://totp/${label}?${new URLSearchParams({ secret, issuer })}`
}
