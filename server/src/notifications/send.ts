// Carries one message to where a channel leads.
import { FetchError } from '../platform/fetch-error.ts'
import { NotSent, sendMail } from '../platform/mail.ts'
import type { World } from '../world.ts'
import type { Address, ChannelType } from './schema.ts'
import { signedHeaders } from './standard-webhooks.ts'
import { type Message, slackOf, subjectOf, textOf, webhookOf } from './words.ts'

const timeoutMs = 15_000

export async function send(world: World, type: ChannelType, address: Address, message: Message): Promise<void> {
  if (type === 'email') return mail(world, address.to ?? [], message)
  const body = JSON.stringify(type === 'slack' ? slackOf(message) : webhookOf(message, world.now()))
  const signed = type === 'webhook' ? signedHeaders(address.secret ?? '', message.id, world.now(), body) : {}
  await post(world, address.url ?? '', body, signed)
}

async function post({ watch, stopping }: World, url: string, body: string, signed: Record<string, string>): Promise<void> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'ServiceNotifications/1.0', ...signed }
  try {
    const request = {
      method: 'POST' as const,
      url,
      headers,
      body: Buffer.from(body),
      maxBytes: 64 * 1024,
      cut: true,
      timeoutMs,
      signal: stopping,
    }
    const { status } = await watch(request)
    if (status >= 200 && status < 300) return
    // Standard Webhooks: 410 is a receiver that wants no more.
    throw new NotSent(`The receiver answered with ${status}.`, status === 410)
  } catch (error) {
    if (error instanceof FetchError) throw new NotSent(error.message, error.reason === 'blocked_address')
    throw error
  }
}

/** Several addresses of one channel: that one of them is refused today says nothing of the others. */
async function mail(world: World, to: string[], message: Message): Promise<void> {
  try {
    await sendMail(world, { id: message.id, to, subject: subjectOf(message), text: textOf(message) })
  } catch (error) {
    throw error instanceof NotSent ? new NotSent(error.message) : error
  }
}
