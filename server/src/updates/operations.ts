import { z } from 'zod'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { boundItems, effectsOfUpdate } from './approved.ts'
import { pictureOf } from './pictures.ts'
import { Selection, UpdateAnswer } from './schema.ts'
import { planUpdate, startUpdate } from './service.ts'

export const update = siteOperation({
  name: 'updates.apply',
  http: 'POST /sites/{site_id}/actions',
  action: 'update',
  title: 'Update a site',
  summary:
    'Apply the waiting updates of one site, all or only what is named, one item at a time; what breaks the site is taken back. Of many sites: rollouts.start (POST /updates).',
  guidance: 'Set dry_run first to see versions, obstacles and risks. Returns a job_id; get_job tells what became of each item.',
  scope: 'write',
  effect: 'destroy',
  policy: effectsOfUpdate,
  status: 202,
  waits: ({ dry_run }) => dry_run,
  cost: { budget: 'updates', takes: (_, { dry_run }) => (dry_run ? 0 : 1) },
  input: z.strictObject({
    site_id: SiteId,
    ...Selection.shape,
    dry_run: z.boolean().default(false).describe('true: answer with the plan and change nothing.'),
  }),
  output: UpdateAnswer,
  binds: ({ items }) => [{ items: items && boundItems(items.filter(({ will_run }) => will_run)) }],
  example: { site_id: 'example.com', plugins: ['akismet/akismet.php'], dry_run: true },
  handle: (context, { dry_run, site_id: _, ...wanted }) =>
    dry_run ? planUpdate(context, context.site, wanted) : startUpdate(context, context.site, wanted),
})

export const picture = siteOperation({
  name: 'updates.picture',
  http: 'GET /sites/{site_id}/update-pictures/{picture_id}',
  title: 'Look at an update',
  summary: 'The front page before an update, or after it, as a browser showed it; the result of the job names those there are.',
  scope: 'read',
  effect: 'read',
  bytes: true,
  input: z.strictObject({
    site_id: SiteId,
    picture_id: z.string().regex(/^picture_[0-9a-z]{26}$/, 'Must be an id like picture_01h….'),
    moment: z.enum(['before', 'after']).default('after'),
  }),
  output: z.unknown(),
  example: { site_id: 'example.com', picture_id: 'picture_01k0000000000000000000000a', moment: 'before' },
  handle: (context, { picture_id, moment }) => pictureOf(context, context.site.id, picture_id, moment),
})
