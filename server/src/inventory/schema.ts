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
  vulnerabilities: z.array(Match).describe('Known ones of this version, worst first, at most ten.'),
  vulnerabilities_total: z.int(),
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
