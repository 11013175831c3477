import { sql } from 'kysely'
import { Problem } from '../kernel/problem.ts'
import { Email, WorkspaceName } from '../workspaces/schema.ts'
import { createOwner, getWorkspace } from '../workspaces/service.ts'
import { listWorkspaces } from '../workspaces/store.ts'
import type { World } from '../world.ts'
import { approvalCommands } from './approval-commands.ts'
import { backupCommands } from './backup-commands.ts'
import type { Answer, Command, Dialogue } from './command.ts'
import { feedCommands } from './feed-commands.ts'
import { personCommands } from './person-commands.ts'
import { storeCommands } from './store-commands.ts'
import { asOperator } from './world.ts'

const text = { type: 'string' } as const
const needed = { type: 'string', required: true } as const

export const commands: Command[] = [
  {
    name: 'owner create',
    usage: 'owner create --email E --workspace NAME',
    summary: 'make a workspace and its owner; prints the generated password',
    options: { email: needed, workspace: needed },
    words: 0,
    async run(world, { email, workspace }) {
      const owner = await createOwner(world, mustBe(Email, email, '--email'), mustBe(WorkspaceName, workspace, '--workspace'))
      const secret = owner.password === null ? 'The person exists already and keeps the password.' : `Password: ${owner.password}`
      return { json: owner, text: `${owner.email} is an owner of "${owner.workspace}" (${owner.workspace_id}).\n${secret}` }
    },
  },
  {
    name: 'workspace list',
    usage: 'workspace list',
    summary: 'the workspaces there are, a line "ID NAME" for each',
    options: {},
    words: 0,
    async run({ db }) {
      const workspaces = await listWorkspaces(db)
      const lines = workspaces.map(({ id, name }) => `${id} ${name}`)
      return {
        json: workspaces,
        text: lines.join('\n') || 'There is none yet. Make one with: admin owner create --email E --workspace NAME',
      }
    },
  },
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
  {
    name: 'site code',
    usage: 'site code --workspace W [--site SITE | --all-disconnected] [--host example.com]',
    summary:
      'print a code that within 15 minutes pairs a new site, or with --site that one anew; --host binds it to a host, with --site to the one it has moved to. --all-disconnected: a line "ID URL CODE" for each',
    options: { workspace: needed, site: text, host: text, 'all-disconnected': { type: 'boolean' } },
    words: 0,
    async run(world, { workspace, site: site_id, host, 'all-disconnected': all }) {
      const { id } = await getWorkspace(world, workspace ?? '')
      if (all !== undefined) return codesForDisconnected(world, id, site_id ?? host)
      const code = await asOperator(world, id, 'pairing.create_code', {
        ...(site_id !== undefined && { site_id }),
        ...(host !== undefined && { host }),
      })
      return { json: code, text: String(code.code) }
    },
  },
  {
    name: 'site rotate-keys',
    usage: 'site rotate-keys SITE --workspace W',
    summary: 'give the service a new key for one site; it must be reachable',
    options: { workspace: needed },
    words: 1,
    async run(world, { workspace }, [site = '']) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const rotated = await asOperator(world, id, 'pairing.rotate_keys', { site_id: site })
      return { json: rotated, text: `${rotated.id} now uses the key ${rotated.keyid}.` }
    },
  },
  {
    name: 'site access',
    usage: 'site access SITE --workspace W [--user U] [--header NAME] [--none]',
    summary:
      'what the web server in front of a site wants to see, sealed like keys: reads the password of --user, then the value of --header, a line each, from standard input; --none forgets both, and without an option it tells what is kept',
    options: { workspace: needed, user: text, header: text, none: { type: 'boolean' } },
    words: 1,
    async run(world, { workspace, user, header, none }, [site = ''], dialogue) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const asks = user !== undefined || header !== undefined
      if (asks && none !== undefined) throw new Problem('invalid_payload', '--none goes without --user and --header.')
      const kept = (await (asks || none !== undefined
        ? asOperator(world, id, 'pairing.set_access', {
            site_id: site,
            basic: user === undefined ? null : { user, password: await typed(dialogue) },
            header: header === undefined ? null : { name: header, value: await typed(dialogue) },
          })
        : asOperator(world, id, 'pairing.get_access', { site_id: site }))) as { id: string; user: string | null; header: string | null }
      const parts = [...(kept.user === null ? [] : [`user ${kept.user}`]), ...(kept.header === null ? [] : [`header ${kept.header}`])]
      return { json: kept, text: `${kept.id}: ${parts.join(', ') || 'nothing is kept'}.` }
    },
  },
  {
    name: 'site remove',
    usage: 'site remove SITE --workspace W',
    summary: 'disconnect a site and forget it with its history here; the site itself stays as it is',
    options: { workspace: needed },
    words: 1,
    async run(world, { workspace }, [site = '']) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const removed = await asOperator(world, id, 'sites.remove', { site_id: site })
      const told = removed.connector_told ? '' : ' It could not be told; deactivate the plugin there.'
      return { json: removed, text: `${removed.id} is removed.${told}` }
    },
  },
  ...personCommands,
  ...approvalCommands,
  ...backupCommands,
  ...storeCommands,
  ...feedCommands,
]

async function typed(dialogue: Dialogue | undefined): Promise<string> {
  const line = await dialogue?.line()
  if (!line)
    throw new Problem('invalid_payload', 'Nothing came on standard input: write the password, then the value of the header, a line each.')
  return line
}

async function codesForDisconnected(world: World, workspaceId: string, another: string | undefined): Promise<Answer> {
  if (another !== undefined) throw new Problem('invalid_payload', '--all-disconnected goes without --site and --host.')
  const { sites } = (await asOperator(world, workspaceId, 'sites.list', { status: 'disconnected' })) as {
    sites: { id: string; url: string }[]
  }
  const codes: { site_id: string; url: string; code: string }[] = []
  for (const { id: site_id, url } of sites) {
    const { code } = await asOperator(world, workspaceId, 'pairing.create_code', { site_id })
    codes.push({ site_id, url, code: String(code) })
  }
  return { json: codes, text: codes.map(({ site_id, url, code }) => `${site_id} ${url} ${code}`).join('\n') || 'No site is disconnected.' }
}

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
  const { rows } = await sql<{ workspace_id: string }>`SELECT workspace_id FROM tokens WHERE id = ${tokenId}`.execute(db)
  // Not repeated: it may be the secret itself.
  if (!rows[0])
    throw new Problem('not_found', 'There is no such token. Give its id (tok_…); token list --workspace W shows those there are.')
  return rows[0].workspace_id
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
