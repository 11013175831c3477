import { Problem } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import { getWorkspace } from '../workspaces/service.ts'
import type { World } from '../world.ts'
import type { Answer, Command, Dialogue } from './command.ts'
import { listed } from './layout.ts'
import { waysToPair } from './pairing-words.ts'
import { asOperator } from './world.ts'

const text = { type: 'string' } as const
const needed = { type: 'string', required: true } as const

export const siteCommands: Command[] = [
  {
    name: 'site list',
    usage: 'site list --workspace W',
    summary:
      'the sites of a workspace: address, status, versions, waiting updates, last good backup, id; in a pipe a line each, which begins with the id',
    options: { workspace: needed },
    words: 0,
    shows: 'sites.list',
    async run(world, { workspace }, _words, dialogue) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const { sites } = (await asOperator(world, id, 'sites.list', {})) as { sites: SiteRow[] }
      return {
        json: sites,
        text: sites.map((site) => siteText(site, dialogue?.width)).join('\n') || 'No sites yet. Pair one with: site pair --workspace W',
      }
    },
  },
  {
    name: 'site pair',
    usage: 'site pair --workspace W [--site SITE] [--host example.com]',
    summary: 'the same code with each way to use it, in lines to copy: on the plugin’s page, with WP-CLI, in wp-config.php',
    options: { workspace: needed, site: text, host: text },
    words: 0,
    async run(world, { workspace, site: site_id, host }) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const made = await asOperator(world, id, 'pairing.create_code', {
        ...(site_id !== undefined && { site_id }),
        ...(host !== undefined && { host }),
      })
      const schedule = await asOperator(world, id, 'schedules.get_default', {})
      return { json: made, text: waysToPair(made, schedule) }
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
      const hint = removed.connector_told ? '' : ' It could not be told; deactivate the plugin there.'
      return { json: removed, text: `${removed.id} is removed.${hint}` }
    },
  },
]

type SiteRow = Site & { last_good_backup: { completed_at: string } | null }

function siteText(site: SiteRow, width?: number): string {
  const { id, status, url, wp_version, php_version, updates_available: waiting, last_good_backup: good } = site
  const updates = waiting === null ? 'updates unknown' : `${waiting.core + waiting.plugins + waiting.themes} updates`
  const versions = `WordPress ${wp_version ?? 'unknown'}, PHP ${php_version ?? 'unknown'}`
  const known = [versions, updates, good ? `backed up ${good.completed_at.slice(0, 16)}` : 'no backup']
  return listed(width, { piped: [id, status, url, ...known], seen: [url, status, ...known, id] })
}

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
