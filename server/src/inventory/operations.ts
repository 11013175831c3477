import { z } from 'zod'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { Inventory } from './schema.ts'
import { readInventory } from './service.ts'

export const get = siteOperation({
  name: 'inventory.get',
  tool: 'get_inventory',
  http: 'GET /sites/{site_id}/inventory',
  title: 'Read the inventory',
  summary: 'The live list of core, plugins, themes, must-use plugins and drop-ins of one site, with waiting updates.',
  guidance:
    'Asks the site, at most once a minute. If it is down, the last known list comes back with live false. Use updates_only to see just what update_site would do.',
  scope: 'read',
  effect: 'read',
  waits: ({ cached }) => !cached,
  input: z.strictObject({
    site_id: SiteId,
    refresh: z.boolean().default(false).describe('true: the site looks for new updates first (up to 15 s).'),
    cached: z.boolean().default(false).describe('true: what was last collected, without asking the site.'),
    updates_only: z.boolean().default(false).describe('true: only items with a waiting update.'),
  }),
  output: Inventory,
  example: { site_id: 'example.com', updates_only: true },
  async handle(context, { refresh, cached, updates_only }) {
    const inventory = await readInventory(context, context.site, { refresh, cached })
    if (!updates_only) return inventory
    const items = inventory.items.filter((item) => item.update !== null)
    return { ...inventory, items, total: items.length }
  },
})
