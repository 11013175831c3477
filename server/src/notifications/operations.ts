import { z } from 'zod'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Channel, ChannelId, ChannelType, Delivery, DeliveryId, Kind, Notice, Quiet, Rule, RuleId } from './schema.ts'
import * as service from './service.ts'
import { listChannels, listRules } from './store.ts'

const Removed = z.object({ id: z.string(), removed: z.boolean() })
const nothing = z.strictObject({})

export const notices = siteFilterOperation({
  name: 'notifications.list',
  http: ['GET /notifications', 'GET /sites/{site_id}/notifications'],
  title: 'List notices',
  summary: 'What happened to sites that somebody may want to be told of, newest first: once for each episode.',
  scope: 'read',
  effect: 'read',
  list: 'notices',
  columns: ['happened_at', 'site_name', 'kind', 'message', 'id'],
  input: z.strictObject({
    site_id: SiteId.optional(),
    kind: Kind.optional().describe('Only of this kind.'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: page('notices', Notice),
  example: { kind: 'site_down' },
  handle: (context, { kind, limit: most, cursor }) =>
    service.pageOfNotices(context, { siteId: context.site?.id, kind }, { limit: most, cursor }),
})

export const channels = workspaceOperation({
  name: 'notifications.channels',
  http: 'GET /notifications/channels',
  title: 'List channels',
  summary: 'By which ways people are told: mail, Slack, signed webhooks.',
  scope: 'read',
  effect: 'read',
  input: nothing,
  output: z.object({ channels: z.array(Channel) }),
  example: {},
  handle: async (context) => ({ channels: await listChannels(context) }),
})

export const addChannel = workspaceOperation({
  name: 'notifications.add_channel',
  http: 'POST /notifications/channels',
  title: 'Add a channel',
  summary:
    'Add a way to tell people: addresses for mail, the URL of an incoming webhook of Slack, or of a webhook that is signed. A rule says what goes there.',
  scope: 'write',
  effect: 'create',
  policy: 'settings',
  status: 201,
  secret: true,
  hides: ['url'],
  input: z.strictObject({
    name: z.string().trim().min(1).max(100).describe('For people.'),
    type: ChannelType.describe('How.'),
    url: z
      .url({ protocol: /^https?$/, error: 'Must be an http or https address.' })
      .max(2000)
      .optional()
      .describe('Of Slack or the webhook; kept secret.'),
    to: z.array(z.email().max(254)).min(1).max(20).optional().describe('Addresses for mail.'),
  }),
  output: Channel.extend({
    secret: z.string().nullable().describe('With what a webhook is signed (Standard Webhooks, whsec_…); told once. null: it is not.'),
  }),
  example: { name: 'On call', type: 'webhook', url: 'https://hooks.example.com/fleet' },
  handle: service.addChannel,
})

export const removeChannel = workspaceOperation({
  name: 'notifications.remove_channel',
  http: 'DELETE /notifications/channels/{channel_id}',
  title: 'Remove a channel',
  summary: 'Remove a channel with its rules and what waits for it.',
  scope: 'write',
  effect: 'destroy',
  policy: 'deletions',
  input: z.strictObject({ channel_id: ChannelId }),
  output: Removed,
  example: { channel_id: 'channel_01k0000000000000000000000a' },
  handle: (context, { channel_id }) => service.removeChannel(context, channel_id),
})

export const test = workspaceOperation({
  name: 'notifications.test',
  http: 'POST /notifications/channels/{channel_id}/test',
  title: 'Try a channel',
  summary: 'Send a message without notices by a channel now, and tell whether it arrived.',
  scope: 'write',
  effect: 'create',
  policy: 'settings',
  status: 200,
  waits: true,
  input: z.strictObject({ channel_id: ChannelId }),
  output: z.object({ ok: z.boolean(), error: z.string().nullable() }),
  example: { channel_id: 'channel_01k0000000000000000000000a' },
  handle: (context, { channel_id }) => service.testChannel(context, channel_id),
})

export const rules = workspaceOperation({
  name: 'notifications.rules',
  http: 'GET /notifications/rules',
  title: 'List rules',
  summary: 'Which kinds of notices, of which sites, go to which channel.',
  scope: 'read',
  effect: 'read',
  input: nothing,
  output: z.object({ rules: z.array(Rule) }),
  example: {},
  handle: async (context) => ({ rules: await listRules(context) }),
})

export const addRule = siteFilterOperation({
  name: 'notifications.add_rule',
  http: 'POST /notifications/rules',
  title: 'Add a rule',
  summary: 'Have notices go to a channel: of all kinds and sites, or of those that are named.',
  scope: 'write',
  effect: 'create',
  policy: 'settings',
  status: 201,
  input: z.strictObject({
    channel_id: ChannelId,
    kinds: z.array(Kind).min(1).max(20).optional().describe('Only these kinds; all if not given.'),
    site_id: SiteId.optional(),
    tag: z.string().min(1).max(100).optional().describe('Only sites with this tag.'),
    client: z.string().min(1).max(200).optional().describe('Only sites of this client.'),
    quiet: Quiet.optional(),
  }),
  output: Rule,
  example: {
    channel_id: 'channel_01k0000000000000000000000a',
    kinds: ['site_down', 'site_back'],
    quiet: { from: '22:00', to: '06:00', time_zone: 'Europe/Berlin' },
  },
  handle: (context, { site_id: _, ...rule }) => service.addRule(context, context.site?.id ?? null, rule),
})

export const removeRule = workspaceOperation({
  name: 'notifications.remove_rule',
  http: 'DELETE /notifications/rules/{rule_id}',
  title: 'Remove a rule',
  summary: 'Have these notices go there no more; what waits already is still sent.',
  scope: 'write',
  effect: 'destroy',
  policy: 'deletions',
  input: z.strictObject({ rule_id: RuleId }),
  output: Removed,
  example: { rule_id: 'rule_01k0000000000000000000000a' },
  handle: (context, { rule_id }) => service.removeRule(context, rule_id),
})

export const deliveries = workspaceOperation({
  name: 'notifications.deliveries',
  http: 'GET /notifications/deliveries',
  title: 'List messages',
  summary: 'What was sent, waits, or could not be delivered, newest first.',
  scope: 'read',
  effect: 'read',
  list: 'deliveries',
  columns: ['created_at', 'channel_name', 'status', 'error', 'notices', 'attempts', 'sent_at', 'due_at', 'id'],
  input: z.strictObject({ status: Delivery.shape.status.optional().describe('Only these.'), limit: limit(200, 50), cursor: Cursor }),
  output: page('deliveries', Delivery),
  example: { status: 'dead' },
  handle: (context, { status, ...wanted }) => service.pageOfDeliveries(context, status, wanted),
})

export const retry = workspaceOperation({
  name: 'notifications.retry',
  http: 'POST /notifications/deliveries/{delivery_id}/retry',
  title: 'Send a message again',
  summary: 'Try to deliver a message again that was given up.',
  scope: 'write',
  effect: 'change',
  policy: 'settings',
  input: z.strictObject({ delivery_id: DeliveryId }),
  output: z.object({ id: z.string(), status: z.literal('waiting') }),
  example: { delivery_id: 'delivery_01k0000000000000000000000a' },
  handle: (context, { delivery_id }) => service.retryDelivery(context, delivery_id),
})
