// Codes of an authenticator app as every app knows them: RFC 6238 with SHA-1, six digits and steps of thirty seconds.
import { generateURI, ScureBase32Plugin, verifySync } from 'otplib'

const stepSeconds = 30

/** The step a code belongs to, of this one and its neighbours: clocks differ, and people take a while. */
export function stepOf(secret: Uint8Array, code: string, now: Date): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const found = verifySync({ secret, token: code, epoch: Math.floor(now.getTime() / 1000), epochTolerance: stepSeconds })
  return found.valid && 'timeStep' in found ? found.timeStep : undefined
}

/** A secret as people type it (RFC 4648, base32 without padding), and as an app reads it from a QR code. */
export function offerOf(secret: Uint8Array, { issuer, account }: { issuer: string; account: string }): { secret: string; uri: string } {
  const typed = new ScureBase32Plugin().encode(secret)
  return { secret: typed, uri: generateURI({ issuer, label: account, secret: typed }) }
}
