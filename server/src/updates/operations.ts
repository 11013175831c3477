import { z } from 'zod'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { update as job } from './jobs.ts'
import { UpdateAnswer } from './schema.ts'
import { planUpdate, startUpdate } from './service.ts'

export const update = siteOperation({
  name: 'updates.apply',
  tool: 'update_site',
  http: 'POST /sites/{site_id}/actions',
  action: 'update',
  title: 'Update a site',
  summary: 'Apply the waiting updates of one site, all of them or only those of the named plugins, one item at a time.',
  guidance: 'Set dry_run first to see versions and obstacles. Returns a job_id; get_job tells what became of each item.',
  scope: 'write',
  effect: 'destroy',
  status: 202,
  waits: ({ dry_run }) => dry_run,
  input: z.strictObject({
    site_id: SiteId,
    plugins: z
      .array(z.string().min(1).max(255))
      .min(1, 'Name at least one plugin, or leave the field out for everything.')
      .max(200)
      .optional()
      .describe('Only these: plugin files (akismet/akismet.php) or slugs (akismet) from get_inventory.'),
    dry_run: z.boolean().default(false).describe('true: answer with the plan and change nothing.'),
  }),
  output: UpdateAnswer,
  example: { site_id: 'example.com', plugins: ['akismet/akismet.php'], dry_run: true },
  handle: (context, { plugins, dry_run }) =>
    dry_run ? planUpdate(context, context.site, plugins) : startUpdate(context, context.site, plugins, job),
})
