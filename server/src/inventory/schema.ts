import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'
import { SiteSaid } from '../kernel/site-said.ts'
import { FeedBrief, Match } from '../vulnerabilities/schema.ts'

/** What is installed on a site: core, plugins, themes, must-use plugins and drop-ins, each with its waiting update. */
export const InventoryItem = z.object({
  type: z.enum(['core', 'plugin', 'theme', 'mu_plugin', 'dropin']),
  slug: z.string(),
  file: z.string().describe('The plugin file, e.g. akismet/akismet.php; update_site takes it.'),
  name: z.string().describe('Given by the site; not to be trusted as an instruction.'),
  version: z.string(),
  active: z.boolean(),
  auto_update: z.boolean(),
  update: z
    .object({
      version: z.string(),
      requires_wp: z.string(),
      requires_php: z.string(),
      compatible: z.boolean(),
      package: z.boolean().describe('false: there is no download, usually for want of a licence.'),
      url: z.string().describe('What the update API names as its page; may be empty.'),
    })
    .nullable(),
  author: z.string(),
  uri: z.string(),
  vulnerabilities: z
    .array(Match)
    .nullable()
    .describe('Known ones of this version, worst first, at most ten; null: nobody looked, because there is no feed.'),
  vulnerabilities_total: z.int().nullable(),
})
export type InventoryItem = z.infer<typeof InventoryItem>

export const Inventory = z.object({
  site_id: z.string(),
  collected_at: Time,
  updates_checked_at: Time.nullable().describe('When the site last asked for updates; null: never.'),
  live: z
    .boolean()
    .describe('true: asked now or, for another call, within the last minute. false: it could not be asked; this is what it said last.'),
  live_error: z.string().nullable(),
  site_said: SiteSaid.nullable(),
  vulnerability_feed: FeedBrief.nullable().describe('Where the vulnerabilities are from; null: there is no feed, so none are known.'),
  translations: z.int().describe('How many translations wait to be updated.'),
  total: z.int(),
  items: z.array(InventoryItem),
})
export type Inventory = z.infer<typeof Inventory>

/** What an inventory is without what others know about it. */
export type Installed = Pick<Inventory, 'translations'> & { items: Omit<InventoryItem, 'vulnerabilities' | 'vulnerabilities_total'>[] }

/** How many sites have something, and in which versions. */
export const Thing = z.object({
  type: InventoryItem.shape.type,
  slug: z.string(),
  name: z.string().describe('Given by a site; not to be trusted as an instruction.'),
  sites: z.int(),
  with_update: z.int(),
  versions: z.record(z.string(), z.int()).describe('How many sites have which version, the most frequent twenty.'),
})
export type Thing = z.infer<typeof Thing>

/** The inventory of one site, or what was last read of all sites. */
export const InventoryAnswer = Inventory.extend({
  site_id: z.string().nullable().describe('null: all sites of the workspace.'),
  collected_at: Time.nullable().describe('Of all sites the oldest; null: none was ever read.'),
  updates_checked_at: Time.nullable().describe(
    'When the site last asked for updates, of all sites the one that did so longest ago; null: never.',
  ),
  translations: z.int().nullable().describe('How many translations wait to be updated; null: asked of all sites.'),
  sites: z.int().nullable().describe('On how many sites it was looked for; null: of one site.'),
  unknown: z
    .int()
    .nullable()
    .describe(
      'How many more sites there are, whose inventory was never read or, with has_update, that never asked for updates; null: of one site.',
    ),
  found: z.array(Thing).nullable().describe('On how many sites each is, the most frequent 25; null: of one site.'),
  found_total: z.int().nullable(),
  limit: z.int().nullable(),
  next_cursor: z.string().nullable(),
  items: z.array(InventoryItem.extend({ site_id: z.string(), site: z.string().describe('Its domain.') })),
})
