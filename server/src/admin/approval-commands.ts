import type { Approval } from '../approvals/schema.ts'
import { callByName } from '../call-by-name.ts'
import type { Caller } from '../kernel/context.ts'
import { Problem } from '../kernel/problem.ts'
import type { Policies } from '../policies/schema.ts'
import { getWorkspace } from '../workspaces/service.ts'
import { findRole, findUser } from '../workspaces/store.ts'
import type { World } from '../world.ts'
import type { Answer, Command } from './command.ts'
import { asOperator } from './world.ts'

const text = { type: 'string' } as const
const needed = { type: 'string', required: true } as const

export const approvalCommands: Command[] = [
  {
    name: 'approval list',
    usage: 'approval list --workspace W [--status pending]',
    summary: 'what agents asked for, a line each; those that wait first',
    options: { workspace: needed, status: text },
    words: 0,
    async run(world, { workspace, status = 'pending' }) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const { approvals } = (await asOperator(world, id, 'approvals.list', { status, limit: 200 })) as { approvals: Approval[] }
      return { json: approvals, text: approvals.map(line).join('\n') || `Nothing is ${status}.` }
    },
  },
  {
    name: 'approval show',
    usage: 'approval show ID --workspace W',
    summary: 'exactly what would be done, as it is shown to whoever decides; what agents and sites wrote is marked untrusted',
    options: { workspace: needed },
    words: 1,
    async run(world, { workspace }, [approval_id = '']) {
      const { id } = await getWorkspace(world, workspace ?? '')
      return shown(await asOperator(world, id, 'approvals.get', { approval_id }))
    },
  },
  {
    name: 'approval approve',
    usage: 'approval approve ID --workspace W --by EMAIL [--note TEXT] [--all-waves]',
    summary: 'have it done, in the name of an owner or admin of the workspace',
    options: { workspace: needed, by: needed, note: text, 'all-waves': { type: 'boolean' } },
    words: 1,
    startsJobs: true,
    run: (world, options, [id = '']) => decide(world, 'approve', id, options),
  },
  {
    name: 'approval deny',
    usage: 'approval deny ID --workspace W --by EMAIL [--note TEXT]',
    summary: 'decline it, in the name of an owner or admin of the workspace',
    options: { workspace: needed, by: needed, note: text },
    words: 1,
    run: (world, options, [id = '']) => decide(world, 'deny', id, options),
  },
  {
    name: 'policy list',
    usage: 'policy list --workspace W',
    summary: 'what becomes of what approval-only tokens ask for, a line for each kind of effect',
    options: { workspace: needed },
    words: 0,
    async run(world, { workspace }) {
      const { id } = await getWorkspace(world, workspace ?? '')
      return policiesOf((await asOperator(world, id, 'policies.get', {})) as Policies)
    },
  },
  {
    name: 'policy set',
    usage: 'policy set EFFECT ask|never --workspace W --by EMAIL [--jump patch|minor|major] [--tag T | --site ID]',
    summary: 'have more asked for, or refused, in the name of an owner or admin; to have less asked for takes that person, signed in',
    options: { workspace: needed, by: needed, jump: text, tag: text, site: text },
    words: 2,
    async run(world, { workspace, by, jump, tag, site }, [effect = '', decision = '']) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const caller = await personOf(world, id, by ?? '')
      const input = { effect, decision, ...(jump && { jump }), ...(tag && { tag }), ...(site && { site_id: site }) }
      return policiesOf((await callByName(world, { caller, face: 'system' }, 'policies.set', input)) as Policies)
    },
  },
  {
    name: 'agents pause',
    usage: 'agents pause --workspace W',
    summary: 'refuse all tokens of a workspace from now on, everywhere, until agents resume',
    options: { workspace: needed },
    words: 0,
    run: (world, { workspace }) => pause(world, workspace, 'pause'),
  },
  {
    name: 'agents resume',
    usage: 'agents resume --workspace W',
    summary: 'let the tokens of a workspace work again',
    options: { workspace: needed },
    words: 0,
    run: (world, { workspace }) => pause(world, workspace, 'resume'),
  },
]

const line = ({ id, status, created_at, title, sites, requested_by }: Approval) =>
  [id, status, created_at.slice(0, 16), `${title}, ${sites} ${sites === 1 ? 'site' : 'sites'}`, requested_by.name].join('  ')

const policiesOf = (policies: Policies): Answer => ({
  json: policies,
  text: policies.effects
    .map(({ title, decision, narrowed }) =>
      [decision.padEnd(5), title, ...narrowed.map((each) => `(${each.tag ?? each.site_id}: ${each.decision})`)].join('  '),
    )
    .join('\n'),
})

const shown = (approval: Record<string, unknown>): Answer => ({ json: approval, text: JSON.stringify(approval, null, 2) })

async function decide(
  world: World,
  what: 'approve' | 'deny',
  approval_id: string,
  { workspace, by, note, 'all-waves': all }: Record<string, string | undefined>,
) {
  const { id } = await getWorkspace(world, workspace ?? '')
  const caller = await personOf(world, id, by ?? '')
  const input = { approval_id, ...(note !== undefined && { note }), ...(all !== undefined && { allow_all_waves: true }) }
  return shown(await callByName(world, { caller, face: 'system' }, `approvals.${what}`, input))
}

/** A member of the workspace, with what the role allows. */
async function personOf({ db }: World, workspaceId: string, email: string): Promise<Caller> {
  const user = await findUser(db, email)
  const role = user && (await findRole({ db, workspaceId }, user.id))
  if (!user || !role) throw new Problem('not_found', '--by: there is no such person in this workspace.')
  const scopes = new Set(role === 'owner' || role === 'admin' ? (['read', 'write', 'manage'] as const) : (['read'] as const))
  return { type: 'user', id: user.id, name: user.email, workspaceId, scopes, approvalOnly: false }
}

async function pause(world: World, workspace: string | undefined, what: 'pause' | 'resume'): Promise<Answer> {
  const { id, name } = await getWorkspace(world, workspace ?? '')
  const answer = await asOperator(world, id, `agents.${what}`, {})
  return { json: answer, text: answer.paused_at === null ? `The agents of "${name}" may work.` : `All agents of "${name}" are paused.` }
}
