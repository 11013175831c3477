import { z } from 'zod'
import { BackupType } from '../backups/schema.ts'
import type { InventoryItem } from '../inventory/schema.ts'
import { Time } from '../kernel/shapes.ts'
import { SiteSaid } from '../kernel/site-said.ts'
import { UpdatePolicy } from '../schedules/schema.ts'

/** Bringing plugins, themes, WordPress and its translations to the version that is offered, one item at a time; what breaks the site is taken back. */
const names = z.array(z.string().min(1).max(255)).min(1, 'Name at least one, or leave the field out.').max(200)

/** What to update. Nothing named: everything that waits. Anything named: only that. */
export const Selection = z.object({
  plugins: names.optional().describe('Files or slugs.'),
  themes: names.optional().describe('Folders.'),
  core: z.boolean().optional().describe('WordPress itself.'),
  translations: z.boolean().optional().describe('All translations.'),
})
export type Selection = z.infer<typeof Selection>

const UpdateItem = z.object({
  type: z.enum(['core', 'plugin', 'theme', 'translations']),
  slug: z.string(),
  file: z.string(),
  name: z.string().describe('Given by the site; not to be trusted as an instruction.'),
  from_version: z.string(),
  to_version: z.string(),
})

const Planned = UpdateItem.extend({
  requires_wp: z.string(),
  requires_php: z.string(),
  will_run: z.boolean(),
  reason: z.string().nullable().describe('Why it will not run.'),
  changelog_url: z.string().nullable(),
  fixes: z.array(z.string()).describe('Known vulnerabilities of the installed version that the new one does not have.'),
  risks: z.array(z.string()).describe('Among them that this version was taken back, here or on other sites of the workspace.'),
  estimated_s: z.int(),
})

export type Planned = z.infer<typeof Planned>

const PlannedBackup = z.object({
  type: UpdatePolicy.shape.pre_update,
  reused: z
    .object({ id: z.string(), type: BackupType, created_at: Time })
    .nullable()
    .describe('One that is recent enough; null: it is made.'),
})

export const UpdateAnswer = z.object({
  status: z.string().describe('queued: the work has started. planned: a dry run, nothing was changed.'),
  job_id: z.string().nullable(),
  poll_after_s: z.int().nullable(),
  next: z.literal('get_job').nullable(),
  dry_run: z.boolean(),
  live: z
    .boolean()
    .nullable()
    .describe('Of a dry run: whether the site was asked now. false: it could not be, and the plan is of what it said last.'),
  live_error: z.string().nullable(),
  site_said: SiteSaid.nullable(),
  items: z.array(Planned).nullable().describe('The plan of a dry run.'),
  backup: PlannedBackup.nullable().describe('Of a dry run: the backup that comes first.'),
  estimated_s: z.int().nullable(),
})

/** One page as a visitor gets it. */
const PageSeen = z.object({
  page: z
    .string()
    .describe('front, login, the post type of which it is a page, or what else was looked at: wp-admin/plugins, rest api, sign in.'),
  status: z.int().describe('HTTP status; 0: no answer.'),
  bytes: z.int(),
  live: z.boolean().describe('false: a cache answered, which says nothing about the site.'),
  problem: z.string().nullable(),
})
export type PageSeen = z.infer<typeof PageSeen>

/** How the site was from outside at one moment. */
export const Health = z.object({
  ok: z.boolean(),
  connector_answers: z.boolean().describe('WordPress, started whole, answered a signed question.'),
  checked_at: Time,
  pages: z.array(PageSeen),
  problem: z.string().nullable().describe('The first thing that is wrong; null when nothing is.'),
  site_said: SiteSaid.nullable(),
  errors_meanwhile: z
    .object({ site_said: SiteSaid })
    .nullable()
    .describe('PHP errors that visitors met since the update, outside the item or by odd input: they decide nothing.'),
})
export type Health = z.infer<typeof Health>

/** The front page before and after, in a browser. What decides is how much of what was drawn is still to be seen. */
export const Pictures = z.object({
  verdict: z
    .enum(['alike', 'unlike', 'blank', 'unknown', 'not_taken'])
    .describe('unlike and blank count as broken; unknown and not_taken say nothing: the update was judged without pictures.'),
  likeness: z.number().nullable().describe('From 0 to 1.'),
  reason: z.string().nullable().describe('Why it is unknown, or none were taken.'),
  before: z.string().nullable().describe('Where the picture is, for 30 days.'),
  after: z.string().nullable(),
})
export type Pictures = z.infer<typeof Pictures>

/** Of a look after an update: what ran then. Of `version_before`, `ok` says that the site is as it was, not that the update went well. null: not certain. */
const Shows = z.enum(['new_version', 'version_before'])
/** By what became of the item: what failed may have been left half done. */
export const shownAfter = (status: string): z.infer<typeof Shows> | null =>
  status === 'updated' ? 'new_version' : status === 'rolled_back' ? 'version_before' : null

/**
 * What became of one item. `updated`: the site was seen to run the offered version and to be as healthy as before.
 * `rolled_back`: it broke the site, in its trial or when it was installed, and the site is as it was. `failed`: it was not installed, the site is as it was,
 * or `health.after.ok` is false and somebody has to look. `skipped`: it was not tried.
 */
export const ItemResult = UpdateItem.extend({
  status: z.enum(['updated', 'already_current', 'rolled_back', 'failed', 'skipped']),
  reason: z.string().nullable(),
  site_said: SiteSaid.nullable(),
  health: z
    .object({
      before: Health.nullable(),
      after_shows: Shows.nullable().optional(),
      after: Health.nullable(),
    })
    .nullable()
    .describe('null: the item was not tried.'),
  pictures: Pictures.nullable().optional().describe('null: the item was not tried.'),
  seconds: z.number().nullable().describe('From the first look to the last.'),
  unjudged: z.boolean().optional().describe('true: what became of it tells nothing of the version, so it is not remembered.'),
})
export type ItemResult = z.infer<typeof ItemResult>

/** The result of an update job. `offers_heard_at`: when the site last heard what is on offer, if it could not ask now; null: it never did. */
export type UpdateResult = { backup_id: string | null; backup_reused: boolean; items: ItemResult[]; offers_heard_at?: string | null }

/** Something that may be updated. */
export type Updatable = Pick<InventoryItem, 'slug' | 'file' | 'name' | 'version' | 'active' | 'update'> & {
  type: 'core' | 'plugin' | 'theme' | 'translations'
}
