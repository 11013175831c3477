import { z } from 'zod'
import type { Scope } from '../kernel/operation.ts'
import { Time } from '../kernel/shapes.ts'
import { Role, Sees } from '../workspaces/schema.ts'

const reading: ReadonlySet<Scope> = new Set(['read'])
const working: ReadonlySet<Scope> = new Set(['read', 'write'])
const everything: ReadonlySet<Scope> = new Set(['read', 'write', 'manage'])

/** What somebody in a role may be let in to do. */
export const scopesOf: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: everything,
  admin: everything,
  member: working,
  viewer: reading,
}

export const UserId = z.string().regex(/^user_[0-9a-z]{26}$/, 'Not a person’s id; they look like user_….')
export const InvitationId = z.string().regex(/^invitation_[0-9a-z]{26}$/, 'Not an invitation’s id; they look like invitation_….')

export const Member = z.object({
  id: UserId,
  email: z.string(),
  role: Role,
  sees: Sees.nullable().describe('Only these sites are there for the person, a viewer: of a client, say. null: all.'),
  since: Time.describe('When the person joined the workspace.'),
  last_seen_at: Time.nullable().describe('When the person last used the dashboard; null: not within the last month.'),
})
export type Member = z.infer<typeof Member>

export const Invitation = z.object({
  id: InvitationId,
  email: z.string(),
  role: Role,
  sees: Sees.nullable().describe('Only these sites will be there for the person. null: all.'),
  invited_by: z.string().describe('The e-mail address of whoever invited.'),
  created_at: Time,
  expires_at: Time,
})
export type Invitation = z.infer<typeof Invitation>

export const Mailed = z.enum(['sent', 'failed', 'off'])
export type Mailed = z.infer<typeof Mailed>

export const NewInvitation = Invitation.extend({
  link: z.string().describe('What the person opens to join. It is shown only now.'),
  mailed: Mailed.describe(
    'Whether the person was mailed the link. failed: the mail server did not take it. off: not asked for, or there is none.',
  ),
})
