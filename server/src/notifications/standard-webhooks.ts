// Signed webhooks after Standard Webhooks 1.0.0 (standardwebhooks.com): id, time and body, HMAC-SHA256 with a secret of the receiver's.
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

export const newSecret = () => `${prefix}${randomBytes(32).toString('base64')}`

/** The headers of a message. The same id is the same message, however often it is sent. */
export function signedHeaders(secret: string, id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
