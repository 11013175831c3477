import { z } from 'zod'
import { anyLimit, Cursor, limit, page } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { inventoryOfFleet, inventoryOfSite } from './answer.ts'
import { InventoryAnswer, Thing } from './schema.ts'
import { pageOfThings } from './things.ts'

export const get = siteFilterOperation({
  name: 'inventory.get',
  tool: 'get_inventory',
  http: ['GET /inventory', 'GET /sites/{site_id}/inventory'],
  title: 'Read the inventory',
  summary: 'Core, plugins and themes with waiting updates: of one site, live; else of all, as last read, with how many have what.',
  guidance: 'live false: as read before, the site is down.',
  scope: 'read',
  effect: 'read',
  rows: 'items',
  columns: ['site', 'slug', 'version', 'update.version', 'active', 'vulnerabilities_total', 'type', 'file'],
  brief: ['site', 'type', 'slug', 'file', 'name', 'version', 'active', 'update.version', 'update.compatible', 'vulnerabilities_total'],
  briefLimit: 25,
  waits: ({ site_id, cached }) => site_id !== undefined && !cached,
  input: z.strictObject({
    site_id: SiteId.optional(),
    slug: z.string().trim().min(1).max(255).optional().describe('Slug, file or name.'),
    version_below: z.string().trim().min(1).max(100).optional().describe('Older ones; with slug.'),
    has_update: z.boolean().optional().describe('An update waits.'),
    refresh: z.boolean().default(false).describe('Look for updates first (up to 15 s).'),
    cached: z.boolean().default(false).describe('As last read.'),
    limit: anyLimit(1000),
    cursor: Cursor,
  }),
  output: InventoryAnswer,
  example: { site_id: 'example.com', has_update: true },
  handle: (context, { site_id: _, refresh, cached, limit, cursor, ...filter }) =>
    context.site
      ? inventoryOfSite(context, context.site, { refresh, cached }, { filter, limit, cursor })
      : inventoryOfFleet(context, { refresh, cached }, { filter, limit, cursor }),
})

export const things = workspaceOperation({
  name: 'inventory.things',
  http: 'GET /inventory/things',
  title: 'List what is installed',
  summary: 'Core, plugins and themes of all sites, as last read, each once with how many sites have it; what most have comes first.',
  scope: 'read',
  effect: 'read',
  list: 'things',
  columns: ['name', 'type', 'sites', 'with_update', 'versions', 'slug'],
  input: z.strictObject({
    q: z.string().trim().min(1).max(200).optional().describe('Part of the name or slug.'),
    has_update: z.boolean().optional().describe('Only where an update waits, or only where none does.'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: z.object({ ...page('things', Thing).shape, sites: InventoryAnswer.shape.sites, unknown: InventoryAnswer.shape.unknown }),
  example: { q: 'woo', has_update: true },
  handle: pageOfThings,
})
