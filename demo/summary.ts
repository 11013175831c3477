// What the demo prints when everything runs; at most 80 columns wide.
import { join } from 'node:path'
import type { Site } from './start-site.ts'
import { DATA, shown } from './state.ts'

export interface Running {
  url: string
  /** Who signs in to the dashboard, with the password of the first start. */
  owner: { email: string; password: string }
  workspace: string
  token: string
  /** `backedUpAt`: the hour of the day, in UTC; null: not by itself. */
  sites: { title: string; site: Pick<Site, 'url' | 'adminUser' | 'adminPassword'>; status: string; backedUpAt: string | null }[]
}

export function summary({ url, owner, workspace, token, sites }: Running): string {
  return [
    '',
    heading('Service'),
    row('Address', url),
    row('Sign in', `${owner.email} / ${owner.password}`),
    row('Workspace', workspace),
    row('Token', token),
    '  Another one:',
    `  SERVICE_DATA_DIR=${shown(DATA)} npm run -s admin -- token create \\`,
    `    --workspace ${workspace} --name me --scope write`,
    '',
    heading('WordPress sites'),
    ...sites.flatMap(({ title, site, status }) => [
      row(title, `${site.url}   ${status}`),
      row('', `${site.url}/wp-admin/   ${site.adminUser} / ${site.adminPassword}`),
    ]),
    '',
    heading('Try the API'),
    `  export SERVICE_TOKEN=${token}`,
    '  curl -s -H "Authorization: Bearer $SERVICE_TOKEN" \\',
    `    ${url}/api/v1/sites`,
    '  The same on the command line, in this folder:',
    `  export SERVICE_URL=${url}`,
    '  node cli/dist/main.js sites list',
    '',
    heading('Backups'),
    ...backups(url, sites),
    '',
    heading('See an update undo itself'),
    '  Two plugins wait on each site. Harbour Notices 1.1.0 is sound; Tide Tables',
    '  1.1.0 breaks every page. Update both and look at the site meanwhile:',
    `  curl -s -H "Authorization: Bearer $SERVICE_TOKEN" \\`,
    `    -H 'Content-Type: application/json' -d '{"action":"update"}' \\`,
    `    ${url}/api/v1/sites/${sites[0]?.site.url.replace(/^http:\/\//, '')}/actions`,
    '  What became of it, with the reason:',
    '  curl -s -H "Authorization: Bearer $SERVICE_TOKEN" \\',
    `    '${url}/api/v1/jobs?type=update&limit=1'`,
    '',
    heading('Connect an agent'),
    '  Claude Code, over HTTP:',
    `    claude mcp add --transport http service ${url}/api/mcp \\`,
    '      --header "Authorization: Bearer $SERVICE_TOKEN"',
    '  Any agent that starts local commands:',
    ...stdioConfiguration(url, token).map((line) => `    ${line}`),
    '',
    '  Everything runs on this machine only. Ctrl-C stops it; the next start',
    '  continues where this one ended.',
    '',
  ].join('\n')
}

/** What is backed up by itself, as the service has it, and how the rest would be. */
function backups(url: string, sites: Running['sites']): string[] {
  const scheduled = sites.flatMap(({ title, backedUpAt }) =>
    backedUpAt === null ? [] : [`  ${title}: every day, from ${backedUpAt} UTC.`],
  )
  if (scheduled.length > 0 && scheduled.length === sites.length) return scheduled
  return [
    ...scheduled,
    `  ${scheduled.length > 0 ? 'No other site' : 'No schedule yet: nothing'} is backed up by itself. Every site, every night:`,
    '  curl -s -H "Authorization: Bearer $SERVICE_TOKEN" \\',
    `    -H 'Content-Type: application/json' -d '{"enabled":true}' \\`,
    `    ${url}/api/v1/schedule`,
  ]
}

/** The bridge as it lies here; it is on no registry yet. */
const BRIDGE = join(import.meta.dirname, '../mcp/dist/main.js')

function stdioConfiguration(url: string, token: string): string[] {
  const env = { SERVICE_URL: url, SERVICE_TOKEN: token }
  const json = JSON.stringify({ mcpServers: { service: { command: 'node', args: [BRIDGE], env } } }, null, 2)
  return json.replace(/\[\s+([^\]]*?)\s+\]/g, (_, items: string) => `[${items.replace(/\s+/g, ' ')}]`).split('\n')
}

const heading = (text: string) => `${text}\n${'─'.repeat(text.length)}`
const row = (label: string, text: string) => `  ${label.padEnd(14)}${text}`
