import { z } from 'zod'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { FixAnswer, FixInput, SiteTweaks } from './schema.ts'
import { fix, readTweaks, sitesWithNewSalts } from './service.ts'

export const list = siteOperation({
  name: 'tweaks.list',
  tool: 'list_site_tweaks',
  http: 'GET /sites/{site_id}/tweaks',
  title: 'List security fixes',
  summary:
    'The fourteen Site Tweaks of one site: what each does, its risk and side effects, and whether it is in effect now, whoever did it.',
  guidance: 'Looks at the site, inside and out, at most once a minute. apply_security_fix switches them on or takes them back.',
  scope: 'read',
  effect: 'read',
  waits: ({ cached }) => !cached,
  input: z.strictObject({
    site_id: SiteId,
    cached: z.boolean().default(false).describe('true: what was seen last, without asking the site.'),
  }),
  output: SiteTweaks,
  example: { site_id: 'example.com' },
  handle: (context, { cached }) => readTweaks(context, context.site, cached),
})

export const apply = workspaceOperation({
  name: 'tweaks.apply',
  tool: 'apply_security_fix',
  http: ['POST /tweaks', 'POST /sites/{site_id}/tweaks'],
  title: 'Apply or revert security fixes',
  summary: 'Switch Site Tweaks on or take them back, on one site or several. Each is proven from outside, and undone if the site suffers.',
  guidance:
    'Show the dry_run and have a person agree: salts_rotated ends all sessions for good, others edit .htaccess or wp-config.php. get_job tells what became of each.',
  scope: 'write',
  effect: 'change',
  status: 202,
  waits: ({ dry_run }) => dry_run,
  cost: { budget: 'new_salts', takes: (_, input) => sitesWithNewSalts(input) },
  input: FixInput,
  output: FixAnswer,
  example: { site_id: 'example.com', tweak_ids: ['xmlrpc_off'], action: 'apply' },
  handle: (context, input) => fix(context, input),
})
