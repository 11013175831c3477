import { z } from 'zod'
import { anyLimit, Cursor, page } from '../kernel/shapes.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Ping, Site, SiteId, SiteStatus, summarizedSite } from './schema.ts'
import { disconnectSite, listFleet, pingSite } from './service.ts'
import { siteOperation } from './site-operation.ts'

export const list = workspaceOperation({
  name: 'sites.list',
  tool: 'list_sites',
  http: 'GET /sites',
  title: 'List sites',
  summary: 'List the sites of the workspace with their status, versions, waiting updates and last backup.',
  guidance: 'Start here to find a site_id. Filters run on the server; narrow with them instead of paging through everything.',
  scope: 'read',
  effect: 'read',
  list: 'sites',
  brief: ['id', 'name', 'url', 'status', 'tags', 'wp_version', 'php_version', 'updates_available', 'synced_at'],
  briefLimit: 50,
  input: z.strictObject({
    q: z.string().min(1).max(200).optional().describe('Only sites whose name or address contains this, in any case.'),
    tag: z.string().min(1).max(100).optional().describe('Only sites with this tag.'),
    status: SiteStatus.optional().describe('Only sites in this state.'),
    has_updates: z.boolean().optional().describe('true: only sites with waiting updates; false: only those without.'),
    limit: anyLimit(1000),
    cursor: Cursor,
  }),
  output: page('sites', Site),
  withSummary: (parts) => page('sites', summarizedSite(parts)),
  example: { status: 'connected' },
  handle: listFleet,
})

export const get = siteOperation({
  name: 'sites.get',
  tool: 'get_site',
  http: 'GET /sites/{site_id}',
  title: 'Read one site',
  summary: 'Everything known about one site: versions, connection, waiting updates, last backup.',
  guidance: 'Answers from memory without asking the site. Use get_inventory for its plugins and themes.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({ site_id: SiteId }),
  output: Site,
  withSummary: summarizedSite,
  example: { site_id: 'example.com' },
  handle: async (context) => context.fleet.cachedSite(context.site),
})

export const ping = siteOperation({
  name: 'sites.ping',
  http: 'POST /sites/{site_id}/actions',
  action: 'ping',
  title: 'Ping a site',
  summary: 'Ask the connector of one site for a signed sign of life.',
  scope: 'read',
  effect: 'read',
  waits: true,
  input: z.strictObject({ site_id: SiteId }),
  output: Ping,
  example: { site_id: 'example.com' },
  handle: (context) => pingSite(context, context.site),
})

export const remove = siteOperation({
  name: 'sites.remove',
  http: 'DELETE /sites/{site_id}',
  title: 'Remove a site',
  summary: 'Disconnect a site and forget it, with its history here. The site itself stays as it is.',
  scope: 'manage',
  effect: 'destroy',
  waits: true,
  input: z.strictObject({ site_id: SiteId }),
  output: z.object({
    id: z.string(),
    connector_told: z.boolean().describe('false: the site could not be reached; deactivate the plugin there.'),
  }),
  example: { site_id: 'example.com' },
  handle: (context) => disconnectSite(context, context.site),
})
