import { z } from 'zod'
import { page } from '../kernel/shapes.ts'
import { Email, Role, Sees } from '../workspaces/schema.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Invitation, InvitationId, Member, NewInvitation, UserId } from './schema.ts'
import { changeRole, invite as inviteMember, leaveWorkspace, removeMember, withdraw as withdrawInvitation } from './service.ts'
import { listInvitations, listMembers } from './store.ts'

const SomeSites = Sees.refine((sees) => Object.keys(sees).length > 0, 'Must name something.')

const whole = <Item>(items: Item[]) => ({ total: items.length, limit: null, next_cursor: null })

export const list = workspaceOperation({
  name: 'members.list',
  http: 'GET /members',
  title: 'List members',
  summary: 'The people of the workspace, with their roles.',
  scope: 'manage',
  effect: 'read',
  list: 'members',
  input: z.strictObject({}),
  output: page('members', Member),
  example: {},
  async handle(context) {
    const members = await listMembers(context)
    return { members, ...whole(members) }
  },
})

export const set = workspaceOperation({
  name: 'members.set',
  http: 'POST /members/{user_id}',
  title: 'Change a role',
  summary: 'Give a member another role, or other sites to look at; it holds from the person’s next click on.',
  scope: 'manage',
  effect: 'change',
  idempotent: true,
  input: z.strictObject({
    user_id: UserId,
    role: Role,
    sees: SomeSites.nullable().optional().describe('Only these sites are there for a viewer; null: all. As it is if not given.'),
  }),
  output: Member,
  example: { user_id: 'user_01k0000000000000000000000a', role: 'viewer' },
  handle: changeRole,
})

export const remove = workspaceOperation({
  name: 'members.remove',
  http: 'DELETE /members/{user_id}',
  title: 'Remove a member',
  summary: 'Let a person see nothing of this workspace any more. Tokens they made stay.',
  scope: 'manage',
  effect: 'destroy',
  input: z.strictObject({ user_id: UserId }),
  output: Member,
  example: { user_id: 'user_01k0000000000000000000000a' },
  handle: (context, { user_id }) => removeMember(context, user_id),
})

export const leave = workspaceOperation({
  name: 'members.leave',
  http: 'DELETE /membership',
  title: 'Leave the workspace',
  summary: 'End your own membership; the last owner makes somebody else owner first. Tokens you made stay.',
  scope: 'read',
  effect: 'destroy',
  personal: true,
  seesOwn: true,
  input: z.strictObject({}),
  output: z.object({ id: z.string(), name: z.string() }).describe('The workspace.'),
  example: {},
  handle: leaveWorkspace,
})

export const invite = workspaceOperation({
  name: 'members.invite',
  http: 'POST /invitations',
  title: 'Invite a person',
  summary:
    'Make a link by which a person joins the workspace within seven days; it is mailed where there is a mail server, else you hand it over.',
  scope: 'manage',
  effect: 'create',
  status: 201,
  secret: true,
  waits: true,
  input: z.strictObject({
    email: Email,
    role: Role.default('member'),
    sees: SomeSites.optional().describe(
      'Only these sites are there for a viewer, for people of a client; all of the workspace if not given.',
    ),
    mail: z.boolean().default(true).describe('false: nobody is mailed.'),
  }),
  output: NewInvitation,
  example: { email: 'ben@example.com', role: 'member' },
  handle: inviteMember,
})

export const invitations = workspaceOperation({
  name: 'members.invitations',
  http: 'GET /invitations',
  title: 'List invitations',
  summary: 'The invitations that can still be accepted, newest first; their links are not kept.',
  scope: 'manage',
  effect: 'read',
  list: 'invitations',
  input: z.strictObject({}),
  output: page('invitations', Invitation),
  example: {},
  async handle(context) {
    const invitations = await listInvitations(context)
    return { invitations, ...whole(invitations) }
  },
})

export const withdraw = workspaceOperation({
  name: 'members.withdraw',
  http: 'POST /invitations/{invitation_id}/withdraw',
  title: 'Withdraw an invitation',
  summary: 'Close the link of an invitation.',
  scope: 'manage',
  effect: 'destroy',
  input: z.strictObject({ invitation_id: InvitationId }),
  output: Invitation,
  example: { invitation_id: 'invitation_01k0000000000000000000000a' },
  handle: (context, { invitation_id }) => withdrawInvitation(context, invitation_id),
})
