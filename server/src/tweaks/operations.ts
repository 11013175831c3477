import { z } from 'zod'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { SiteTweaks } from './schema.ts'
import { readTweaks } from './service.ts'

export const list = siteOperation({
  name: 'tweaks.list',
  tool: 'list_site_tweaks',
  http: 'GET /sites/{site_id}/tweaks',
  title: 'List security fixes',
  summary: 'The fourteen Site Tweaks of one site: risk, side effects, and whether each is in effect now, whoever did it.',
  guidance: 'Looks at the site at most once a minute. apply_security_fix switches them on or takes them back.',
  scope: 'read',
  effect: 'read',
  rows: 'tweaks',
  brief: ['id', 'name', 'risk', 'state'],
  briefWhere: ['side_effects', 'reason', 'site_said', 'already_by', 'finding_ids'],
  waits: ({ cached }) => !cached,
  input: z.strictObject({
    site_id: SiteId,
    cached: z.boolean().default(false).describe('As last seen.'),
  }),
  output: SiteTweaks,
  example: { site_id: 'example.com' },
  handle: (context, { cached }) => readTweaks(context, context.site, cached),
})
