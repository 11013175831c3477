import { logEvent } from '../activity/service.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import { NotSent } from '../platform/mail.ts'
import type { Context } from '../world.ts'
import { addressOf, sealAddress } from './address.ts'
import { findOutgoing } from './deliver-store.ts'
import type { Address, ChannelType, Delivery, Kind, Quiet, Rule } from './schema.ts'
import { send } from './send.ts'
import { newSecret } from './standard-webhooks.ts'
import * as store from './store.ts'

const most = 50

interface NewChannel {
  name: string
  type: ChannelType
  url?: string | undefined
  to?: string[] | undefined
}

/** The signing secret of a webhook is told once. */
export async function addChannel(context: Context, { name, type, url, to }: NewChannel) {
  const isMail = type === 'email'
  if (isMail && context.config.smtpUrl === undefined)
    throw new Problem('conflict', 'The operator has set no mail server (SERVICE_SMTP_URL), so no mail can be sent.', { retryable: false })
  if (isMail !== (to !== undefined))
    throw wrongField('to', isMail ? 'Name addresses: an e-mail channel needs some.' : 'Leave it out: only an e-mail channel has addresses.')
  if (isMail === (url !== undefined))
    throw wrongField('url', isMail ? 'Leave it out: an e-mail channel has no URL.' : 'Name a URL: this channel needs one.')
  if ((await store.listChannels(context)).length >= most)
    throw new Problem('conflict', `There are ${most} channels already.`, { retryable: false })
  const id = newId('channel', context.now())
  const secret = type === 'webhook' ? newSecret() : undefined
  const address: Address = { ...(url !== undefined && { url }), ...(to && { to }), ...(secret !== undefined && { secret }) }
  const shown = to ? to.join(', ') : new URL(url ?? '').host
  await store.insertChannel(context, { id, name, type, shown }, await sealAddress(context, id, address))
  await note(context, 'A notification channel was added')
  return { id, name, type, shown, created_at: context.now().toISOString(), secret: secret ?? null }
}

const note = (context: Context, summary: string) =>
  logEvent(context, { siteId: null, category: 'other', summary, by: asker(context), internal: true })

const missing = (what: string, where: string) =>
  new Problem('not_found', `There is no such ${what} in this workspace. ${where} shows those there are.`)
const noChannel = () => missing('channel', 'notifications.channels (GET /notifications/channels)')

export async function removeChannel(context: Context, id: string) {
  if (!(await store.deleteChannel(context, id))) throw noChannel()
  await note(context, 'A notification channel was removed')
  return { id, removed: true }
}

/** Sends a message of no consequence there and then, and tells how that went. */
export async function testChannel(context: Context, id: string) {
  const channel = await findOutgoing(context.db, context.workspaceId, id)
  if (!channel) throw noChannel()
  const { workspaceId } = context
  const message = { id: newId('delivery', context.now()), workspaceId, workspace: channel.workspace, notices: [] }
  try {
    await send(context, channel.type, await addressOf(context, id, channel.sealed), message)
    return { ok: true, error: null }
  } catch (error) {
    if (error instanceof NotSent) return { ok: false, error: error.message }
    throw error
  }
}

interface NewRule {
  channel_id: string
  kinds?: Kind[] | undefined
  tag?: string | undefined
  client?: string | undefined
  quiet?: Quiet | undefined
}

export async function addRule(context: Context, siteId: string | null, given: NewRule): Promise<Rule> {
  if (!(await store.listChannels(context)).some(({ id }) => id === given.channel_id)) throw noChannel()
  if ((await store.listRules(context)).length >= 4 * most)
    throw new Problem('conflict', `There are ${4 * most} rules already.`, { retryable: false })
  const { channel_id, kinds = null, tag = null, client = null, quiet = null } = given
  const rule = { id: newId('rule', context.now()), channel_id, kinds, site_id: siteId, tag, client, quiet }
  await store.insertRule(context, rule)
  return { ...rule, created_at: context.now().toISOString() }
}

export async function removeRule(context: Context, id: string) {
  if (!(await store.deleteRule(context, id))) throw missing('rule', 'notifications.rules (GET /notifications/rules)')
  return { id, removed: true }
}

export async function pageOfNotices(context: Context, filter: store.NoticeFilter, wanted: Wanted) {
  const { items: notices, ...page } = await pageOf({ list: 'notices', workspaceId: context.workspaceId, filter }, wanted, {
    items: (part) => store.listNotices(context, filter, part),
    total: () => store.countNotices(context, filter),
    at: ({ id }) => [id],
  })
  return { notices, ...page }
}

export async function pageOfDeliveries(context: Context, status: Delivery['status'] | undefined, wanted: Wanted) {
  const { items: deliveries, ...page } = await pageOf(
    { list: 'deliveries', workspaceId: context.workspaceId, filter: { status } },
    wanted,
    {
      items: (part) => store.listDeliveries(context, status, part),
      total: () => store.countDeliveries(context, status),
      at: ({ id }) => [id],
    },
  )
  return { deliveries, ...page }
}

export async function retryDelivery(context: Context, id: string) {
  if (!(await store.reviveDelivery(context, id)))
    throw missing('dead message', 'notifications.deliveries (GET /notifications/deliveries?status=dead)')
  return { id, status: 'waiting' as const }
}
