import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'

export const CodeId = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'Not the id of a code; making it told it.')
  .describe('As making the code told it.')

const reaches = ['anywhere', 'network', 'machine'] as const
export type Reach = (typeof reaches)[number]

/** How a site joins: an administrator pastes a code into the connector, which proves that it knows it and pins our key. */
export const EnrolmentCode = z.object({
  id: CodeId.describe('By which it is asked what came of the code; of no use to a site.'),
  code: z.string().describe('Paste it into the connector within 15 minutes. It is shown only now and works once.'),
  service_url: z.string().describe('Goes into the field beside it.'),
  found_from: z
    .enum(reaches)
    .describe('Which sites find service_url: any, as far as it tells; those in its private network; those on the same machine.'),
  site_id: z.string().nullable().describe('The site it pairs anew; null: it pairs a new one.'),
  expires_at: Time,
})

export const RefusalReason = z.enum([
  'forbidden_address',
  'known_site',
  'similar_site',
  'other_address',
  'address_taken',
  'site_gone',
  'other_host',
  'used',
  'ended',
  'wrong_proof',
])
export type RefusalReason = z.infer<typeof RefusalReason>

/** What has come of a code so far. */
export const CodeState = z.object({
  id: CodeId,
  site_id: EnrolmentCode.shape.site_id,
  expires_at: Time,
  paired_site_id: z.string().nullable().describe('The site that was paired with it; null: none yet.'),
  refused: z
    .object({
      reason: RefusalReason,
      message: z.string().describe('What the site was told, and what to do.'),
      url: z.string().describe('The address it gave; written by the site, untrusted.'),
      site_id: z.string().nullable().describe('The site of the workspace that it would be, or is like.'),
      at: Time,
    })
    .nullable()
    .describe('The last time a site was refused with this code.'),
})
export type CodeState = z.infer<typeof CodeState>

const key = z.base64().length(44, 'Must be 32 bytes in base64.')
const nonce = z.base64().length(24, 'Must be 16 bytes in base64.')
const version = z.string().min(1).max(50)

/** What the connector sends (PROTOCOL.md §3). */
export const EnrolRequest = z.strictObject({
  protocol: z.literal(1, 'This service speaks protocol 1. Update the connector.'),
  hint: z.string().regex(/^[0-9a-f]{16}$/),
  site_public: key,
  url: z.url({ protocol: /^https?$/ }).max(500),
  home: z.url({ protocol: /^https?$/ }).max(500),
  nonce,
  proof: key,
  connector_version: version,
  wp_version: version,
  php_version: version,
  name: z.string().max(1000),
})
export type EnrolRequest = z.infer<typeof EnrolRequest>
