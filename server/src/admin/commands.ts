import { Problem } from '../kernel/problem.ts'
import { findWorkspaceOfToken } from '../tokens/store.ts'
import { Email, WorkspaceName } from '../workspaces/schema.ts'
import { createOwner, getWorkspace } from '../workspaces/service.ts'
import type { World } from '../world.ts'
import { approvalCommands } from './approval-commands.ts'
import { backupCommands } from './backup-commands.ts'
import type { Command } from './command.ts'
import { feedCommands } from './feed-commands.ts'
import { mailCommands } from './mail-commands.ts'
import { personCommands } from './person-commands.ts'
import { siteCommands } from './site-commands.ts'
import { storeCommands } from './store-commands.ts'
import { workspaceCommands } from './workspace-commands.ts'
import { asOperator } from './world.ts'

const text = { type: 'string' } as const
const needed = { type: 'string', required: true } as const

export const commands: Command[] = [
  {
    name: 'owner create',
    usage: 'owner create --email E --workspace NAME',
    summary: 'make a workspace and its owner; prints the generated password',
    begins: true,
    options: { email: needed, workspace: needed },
    words: 0,
    async run(world, { email, workspace }) {
      const owner = await createOwner(world, mustBe(Email, email, '--email'), mustBe(WorkspaceName, workspace, '--workspace'))
      const secret = owner.password === null ? 'The person exists already and keeps the password.' : `Password: ${owner.password}`
      return { json: owner, text: `${owner.email} is an owner of "${owner.workspace}" (${owner.workspace_id}).\n${secret}` }
    },
  },
  ...workspaceCommands,
  {
    name: 'token create',
    usage: 'token create --workspace W --name N --scope read|write [--approval-only] [--expires-in 30d] [--site ID | --tag T | --client C]',
    summary:
      'make an API token, with --site, --tag or --client one for which only those sites are there; prints its secret and nothing else',
    options: {
      workspace: needed,
      name: needed,
      scope: needed,
      'approval-only': { type: 'boolean' },
      'expires-in': text,
      site: text,
      tag: text,
      client: text,
    },
    words: 0,
    async run(world, options) {
      const { id } = await getWorkspace(world, options.workspace ?? '')
      const { site, tag, client } = options
      const sees = {
        ...(site !== undefined && { site_ids: [site] }),
        ...(tag !== undefined && { tag }),
        ...(client !== undefined && { client }),
      }
      const input = {
        name: options.name,
        scope: options.scope,
        approval_only: options['approval-only'] !== undefined,
        ...(Object.keys(sees).length > 0 && { sees }),
        ...(options['expires-in'] !== undefined && { expires_at: after(world.now(), options['expires-in']) }),
      }
      const token = await asOperator(world, id, 'tokens.create', input)
      return { json: token, text: String(token.token) }
    },
  },
  {
    name: 'token list',
    usage: 'token list --workspace W',
    summary: 'the tokens of a workspace, without their secrets',
    options: { workspace: needed },
    words: 0,
    async run(world, { workspace }) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const { tokens } = (await asOperator(world, id, 'tokens.list', {})) as { tokens: TokenRow[] }
      return { json: tokens, text: tokens.map(tokenLine).join('\n') || 'No tokens yet.' }
    },
  },
  {
    name: 'token revoke',
    usage: 'token revoke ID',
    summary: 'refuse a token from now on, everywhere',
    options: {},
    words: 1,
    async run(world, _options, [tokenId = '']) {
      const token = await asOperator(world, await workspaceOfToken(world, tokenId), 'tokens.revoke', { token_id: tokenId })
      return { json: token, text: `${tokenId} is revoked.` }
    },
  },
  ...siteCommands,
  ...personCommands,
  ...approvalCommands,
  ...backupCommands,
  ...storeCommands,
  ...feedCommands,
  ...mailCommands,
]

interface TokenRow {
  id: string
  prefix: string
  scope: string
  approval_only: boolean
  name: string
  revoked_at: string | null
  expires_at: string | null
  last_used_at: string | null
  last_used_from: string | null
  last_used_client: string | null
}

function tokenLine({ id, prefix, scope, approval_only, name, revoked_at, expires_at, ...last }: TokenRow): string {
  const state = revoked_at ? 'revoked' : expires_at ? `until ${expires_at.slice(0, 10)}` : 'active'
  const { last_used_at, last_used_from, last_used_client } = last
  const from = [last_used_from && `from ${last_used_from}`, last_used_client && `by ${last_used_client}`].filter(Boolean).join(' ')
  const used = last_used_at ? `used ${last_used_at.slice(0, 16)} ${from}`.trim() : 'never used'
  return [id, `${prefix}…`, approval_only ? `${scope}, with approval` : scope, state, used, name].join('  ')
}

async function workspaceOfToken({ db }: World, tokenId: string): Promise<string> {
  const workspaceId = await findWorkspaceOfToken(db, tokenId)
  // Not repeated: it may be the secret itself.
  if (workspaceId === undefined)
    throw new Problem('not_found', 'There is no such token. Give its id (tok_…); token list --workspace W shows those there are.')
  return workspaceId
}

function mustBe(schema: typeof Email | typeof WorkspaceName, value: string | undefined, option: string): string {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Problem('invalid_payload', `${option}: ${parsed.error.issues[0]?.message ?? 'not valid'}`)
}

const units: Record<string, number> = { m: 60, h: 3600, d: 86_400, w: 604_800 }

/** `30d` from now, as text. */
function after(now: Date, span: string): string {
  const [, count, unit] = /^(\d{1,4})([mhdw])$/.exec(span) ?? []
  if (count === undefined || unit === undefined || Number(count) === 0)
    throw new Problem('invalid_payload', '--expires-in takes a span like 90m, 12h, 30d or 4w.')
  return new Date(now.getTime() + Number(count) * (units[unit] ?? 0) * 1000).toISOString()
}
