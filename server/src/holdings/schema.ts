import { z } from 'zod'
import { WorkspaceName } from '../workspaces/schema.ts'

const count = (what: string) => z.int().describe(what)

/** How much a workspace holds that goes with it. */
export const Held = z.object({
  sites: z.int(),
  backups: z.int(),
  stored_bytes: count('Bytes that are kept for its backups.'),
  reports: z.int(),
  report_links: count('Links to reports that still lead there.'),
  tokens: count('Tokens that still work.'),
  members: z.int(),
  invitations: z.int(),
})
export type Held = z.infer<typeof Held>

export const Deletion = z.object({
  dry_run: z.boolean(),
  id: z.string(),
  name: z.string(),
  held: Held.describe('What goes with it.'),
  under_way: z
    .array(z.object({ id: z.string(), type: z.string(), site: z.string().nullable().describe('Its domain.') }))
    .describe('Jobs and rollouts that stand in the way, the first twenty: cancel them, or wait.'),
})
export type Deletion = z.infer<typeof Deletion>
export type UnderWay = Deletion['under_way'][number]

export const DeletionInput = z.strictObject({
  name: WorkspaceName.optional().describe('The workspace’s name, letter by letter; only the plan does without.'),
  dry_run: z.boolean().default(false).describe('true: only what would go, and what stands in the way.'),
})

export const Kept = z.object({
  backups: count('Those that are complete.'),
  stored_bytes: count('Bytes in the store, each content once however many backups hold it.'),
  size_bytes: z.int().nullable().describe('Bytes of sites that all of them hold, as if each were kept by itself; null: no backup tells.'),
  sites: z
    .array(
      z.object({
        site_id: z.string(),
        name: z.string().describe('Given by the site.'),
        url: z.string(),
        backups: z.int(),
        added_bytes: z
          .int()
          .nullable()
          .describe(
            'What its backups added to the store. Nobody knows for which site content is kept that several hold. null: none tells.',
          ),
        size_bytes: z.int().nullable().describe('Bytes of the site that they hold together; null: none tells.'),
      }),
    )
    .describe('The ten that added most.'),
  pictures_bytes: count('Of pictures that were taken before and after updates.'),
  reports_bytes: count('Of published reports and their PDFs.'),
})
