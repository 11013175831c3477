import { z } from 'zod'
import { anyLimit, Cursor, page } from '../kernel/shapes.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { ownFilterFields } from './filters.ts'
import { Except, FleetCounts, KnownLabels, Labels, Ping, Site, SiteId, summarizedSite } from './schema.ts'
import { disconnectSite, listFleet, pingSite, setLabels } from './service.ts'
import { siteOperation } from './site-operation.ts'

const pageOfSites = (site: z.ZodType) =>
  z.object({
    ...{ counts: FleetCounts.describe('Of all sites that are meant, not only of this page.') },
    ...{ unknown: z.int().describe('Sites left out because nobody knows of them what a filter asks.') },
    ...page('sites', site).shape,
  })

export const list = workspaceOperation({
  name: 'sites.list',
  tool: 'list_sites',
  http: 'GET /sites',
  title: 'List sites',
  summary: 'Sites with status, versions, waiting updates, last good backup; counts first.',
  seesOwn: true,
  scope: 'read',
  effect: 'read',
  list: 'sites',
  columns: [
    'url',
    'status',
    'updates_available',
    'wp_version',
    'php_version',
    'last_good_backup.completed_at',
    'client',
    'tags',
    'name',
    'id',
  ],
  brief: ['id', 'name', 'url', 'status', 'tags', 'wp_version', 'php_version', 'updates_available'],
  briefWhere: ['client'],
  briefLimit: 25,
  input: z.strictObject({
    ...ownFilterFields,
    except: Except,
    limit: anyLimit(1000),
    cursor: Cursor,
  }),
  output: pageOfSites(Site),
  withSummary: (parts) => pageOfSites(summarizedSite(parts)),
  example: { status: 'connected' },
  handle: listFleet,
})

export const get = siteOperation({
  name: 'sites.get',
  tool: 'get_site',
  http: 'GET /sites/{site_id}',
  title: 'Read one site',
  summary: 'All that is known of one site: versions, connection, waiting updates, last backup.',
  guidance: 'From memory. get_inventory has its plugins and themes.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({ site_id: SiteId }),
  output: Site,
  withSummary: summarizedSite,
  example: { site_id: 'example.com' },
  handle: async (context) => context.fleet.cachedSite(context.site),
})

export const set = siteOperation({
  name: 'sites.set',
  http: 'POST /sites/{site_id}',
  title: 'Say what a site is',
  summary: 'Set the tags, the client or the notes of a site, by which lists and work on many sites are narrowed; what is left out stays.',
  scope: 'write',
  effect: 'change',
  policy: 'labels',
  idempotent: true,
  input: z.strictObject({ site_id: SiteId, ...Labels.shape }),
  output: KnownLabels,
  example: { site_id: 'example.com', tags: ['shops'], client: 'Example Ltd' },
  handle: (context, { site_id: _, ...labels }) => setLabels(context, context.site, labels),
})

export const ping = siteOperation({
  name: 'sites.ping',
  http: 'POST /sites/{site_id}/actions',
  action: 'ping',
  ignores: ['plugins'],
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
