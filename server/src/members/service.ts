import { hash, randomBytes } from 'node:crypto'
import type { Sees } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import type { Role, Workspace } from '../workspaces/schema.ts'
import { isOwner } from '../workspaces/service.ts'
import { findRole, findWorkspace, takeTurn } from '../workspaces/store.ts'
import type { Context } from '../world.ts'
import { mailInvitation } from './invitation-mail.ts'
import type { Invitation, Mailed, Member } from './schema.ts'
import { lookElsewhere } from './session-store.ts'
import {
  countOwners,
  deleteInvitation,
  deleteInvitationsTo,
  deleteMember,
  insertInvitation,
  isMember,
  listMembers,
  setRole,
} from './store.ts'

/** How long an invitation is good for. */
const inviteDays = 7

/** A secret for a link, of which only the SHA-256 is kept. */
export const newSecret = () => randomBytes(32).toString('base64url')
export const hashOfSecret = (secret: string) => hash('sha256', secret, 'buffer')

interface Change {
  user_id: string
  role: Role
  sees?: Sees | null | undefined
}

/** Gives a member another role, or other sites to look at; it holds with the person's next request, on every node. */
export async function changeRole(context: Context, { user_id: userId, role, sees }: Change): Promise<Member> {
  await takeTurn(context.db)
  const before = await getRole(context, userId)
  if (before !== role) {
    if (before === 'owner' || role === 'owner') await mustBeOwner(context)
    if (before === 'owner') await mustNotBeLast(context)
  }
  const next = sees === undefined ? (await getMember(context, userId)).sees : sees
  mustOnlyLook(role, next)
  await setRole(context, userId, role, next)
  return getMember(context, userId)
}

/** Who sees some sites only, looks at them. So nobody sees more because a role was changed. */
function mustOnlyLook(role: Role, sees: Sees | null | undefined): void {
  if (!sees || role === 'viewer') return
  throw wrongField('sees', 'Only a viewer sees some sites only. With null the person sees all.')
}

/** Lets a member go. Tokens they made belong to the workspace and stay. */
export async function removeMember(context: Context, userId: string): Promise<Member> {
  await takeTurn(context.db)
  const role = await getRole(context, userId)
  if (role === 'owner') {
    await mustBeOwner(context)
    await mustNotBeLast(context)
  }
  const member = await getMember(context, userId)
  await deleteMember(context, userId)
  return member
}

/** Lets the caller go as any other member; their pages show another workspace of theirs then, where there is one. */
export async function leaveWorkspace(context: Context): Promise<Workspace> {
  const { db, caller, workspaceId: id } = context
  await removeMember(context, caller.id)
  await lookElsewhere(db, id, [caller.id])
  return { id, name: (await findWorkspace(db, id))?.name ?? '' }
}

/** Makes the link by which somebody joins, and mails it where there is a mail server. It counts either way. */
export async function invite(context: Context, { mail, ...wanted }: Wanted): Promise<Invitation & { link: string; mailed: Mailed }> {
  const made = await context.db.transaction().execute((db) => makeInvitation({ ...context, db }, wanted))
  if (!mail || context.config.smtpUrl === undefined) return { ...made, mailed: 'off' }
  const workspace = (await findWorkspace(context.db, context.workspaceId))?.name ?? ''
  const invitation = { email: wanted.email, workspace, invitedBy: context.caller.name, link: made.link, days: inviteDays }
  const mailed = await mailInvitation(context, invitation).then(
    () => 'sent' as const,
    () => 'failed' as const,
  )
  return { ...made, mailed }
}

interface Wanted {
  email: string
  role: Role
  sees?: Sees | undefined
  mail: boolean
}

/** An older one to the same address is closed. */
async function makeInvitation(
  context: Context,
  { email, role, sees = null }: { email: string; role: Role; sees?: Sees | null | undefined },
): Promise<Invitation & { link: string }> {
  mustOnlyLook(role, sees)
  if (role === 'owner') await mustBeOwner(context)
  if (await isMember(context, email)) throw new Problem('conflict', 'This person is a member already.', { retryable: false })
  await deleteInvitationsTo(context, email)
  const secret = newSecret()
  const at = context.now()
  const expires = new Date(at.getTime() + inviteDays * 86_400_000)
  const invitation = { id: newId('invitation', at), email, role, sees, invited_by: context.caller.name }
  await insertInvitation(context, { ...invitation, sha256: hashOfSecret(secret), created_at: at, expires_at: expires })
  // Behind the #: it is sent to nobody, so it stands in no log.
  const link = `${context.config.baseUrl}/join#${secret}`
  return { ...invitation, created_at: at.toISOString(), expires_at: expires.toISOString(), link }
}

export async function withdraw(context: Context, id: string): Promise<Invitation> {
  const invitation = await deleteInvitation(context, id)
  if (!invitation) throw new Problem('not_found', 'There is no such invitation in this workspace.')
  return invitation
}

async function getRole(context: Context, userId: string): Promise<Role> {
  const role = await findRole(context, userId)
  if (!role) throw new Problem('not_found', 'There is no such member in this workspace.')
  return role
}

async function getMember(context: Context, userId: string): Promise<Member> {
  const member = (await listMembers(context)).find(({ id }) => id === userId)
  if (!member) throw new Problem('not_found', 'There is no such member in this workspace.')
  return member
}

async function mustBeOwner(context: Context): Promise<void> {
  if (await isOwner(context)) return
  throw new Problem('insufficient_scope', 'This was not done: only an owner makes owners, and lets them go.')
}

async function mustNotBeLast(context: Context): Promise<void> {
  if ((await countOwners(context)) > 1) return
  throw new Problem('conflict', 'This was not done: it is the last owner of the workspace. Make somebody else owner first.', {
    retryable: false,
  })
}
