import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'
import { SiteSaid } from '../kernel/site-said.ts'

/** A Site Tweak: one protection of a WordPress site that can be switched on, proven, and taken back. */
export const tweakIds = [
  'file_editor_off',
  'xmlrpc_off',
  'pingbacks_off',
  'user_enumeration_off',
  'directory_listing_off',
  'uploads_php_off',
  'version_hidden',
  'readme_blocked',
  'application_passwords_off',
  'security_headers',
  'ssl_admin_forced',
  'login_limited',
  'debug_display_off',
  'salts_rotated',
] as const
export const TweakId = z.enum(tweakIds)
export type TweakId = z.infer<typeof TweakId>

export const TweakState = z.enum(['applied', 'not_applied', 'drifted', 'not_applicable'])
export type TweakState = z.infer<typeof TweakState>

const By = z.object({ type: z.string(), id: z.string(), name: z.string() })

const Tweak = z.object({
  id: TweakId,
  name: z.string(),
  description: z.string(),
  category: z.enum(['login', 'exposure', 'code', 'network']),
  risk: z.enum(['low', 'medium', 'high']).describe('How likely applying it disturbs something.'),
  side_effects: z.array(z.string()),
  reversible: z.boolean(),
  state: TweakState.nullable().describe('The effective state. drifted: applied by us, but no longer at work. null: nobody has looked yet.'),
  reason: z.string().nullable().describe('Why it is not applicable, or has drifted.'),
  site_said: SiteSaid.nullable(),
  already_by: z.string().nullable().describe('Who else sees to it, when we do not; a name given by the site.'),
  snippet: z.string().nullable().describe('What an administrator can paste where it cannot be applied from here.'),
  applied_at: Time.nullable(),
  applied_by: By.nullable(),
  verified_at: Time.nullable().describe('When it was last seen to work.'),
  finding_ids: z.array(z.string()).describe('Open findings that it fixes.'),
})
export type Tweak = z.infer<typeof Tweak>

export const SiteTweaks = z.object({
  site_id: z.string(),
  checked_at: Time.nullable().describe('null: never looked.'),
  live: z
    .boolean()
    .describe('true: looked at now or, for another call, within the last minute. false: it was not; this is what was seen last.'),
  live_error: z.string().nullable(),
  site_said: SiteSaid.nullable(),
  total: z.int(),
  tweaks: z.array(Tweak),
})
export type SiteTweaks = z.infer<typeof SiteTweaks>

/** What became of one tweak on one site. `applied` only when it was seen to work and the site stayed well. */
export const TweakResult = z.object({
  tweak_id: TweakId,
  status: z.enum(['applied', 'already', 'reverted', 'refused', 'failed']),
  reason: z.string().nullable(),
  site_said: SiteSaid.nullable(),
  evidence: z.array(z.string()),
})
export type TweakResult = z.infer<typeof TweakResult>

/** Not an enumeration: fourteen names are much to carry along for a model that has just read them in the list. */
const NamedTweak = z
  .string()
  .refine(
    (id): id is TweakId => tweakIds.some((tweak) => tweak === id),
    'There is no such tweak; list_site_tweaks (GET /sites/{id}/tweaks) shows them.',
  )

/** What is to be done, wherever. */
export const Fix = z.strictObject({
  tweak_ids: z.array(NamedTweak).min(1).max(50).describe('Ids from list_site_tweaks.'),
  action: z.enum(['apply', 'revert']).default('apply').describe('revert: take back ours.'),
  again: z.boolean().default(false).describe('Apply again what is applied.'),
})
export type Fix = z.output<typeof Fix>

export const Planned = z.object({
  site_id: z.string(),
  tweak_id: TweakId,
  state: TweakState.nullable().describe('null: never looked.'),
  will: z.enum(['apply', 'revert', 'nothing']),
  reason: z.string().nullable(),
  site_said: SiteSaid.nullable(),
  risk: z.string(),
  side_effects: z.array(z.string()),
})
export type Planned = z.infer<typeof Planned>
