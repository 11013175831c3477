import { z } from 'zod'
import { JobStarted } from '../jobs/schema.ts'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation, siteOperation } from '../sites/site-operation.ts'
import { LabPoint, Point, SitePerformance, Trend } from './schema.ts'
import { pageOfPerformance, startLab, startProbe } from './service.ts'

export const list = siteFilterOperation({
  name: 'performance.list',
  tool: 'get_performance',
  http: ['GET /performance', 'GET /sites/{site_id}/performance'],
  title: 'Performance',
  summary: 'The latest sample of sites, slowest first; of one site also its trend.',
  guidance: 'after: what was done before it moved; because only where that is one thing.',
  scope: 'read',
  effect: 'read',
  list: 'sites',
  columns: ['name', 'direction', 'change_percent', 'ttfb_ms', 'page_bytes', 'requests', 'score', 'collected_at', 'site_id'],
  brief: ['site_id', 'name', 'direction', 'change_percent', 'ttfb_ms', 'page_bytes', 'requests', 'score', 'collected_at'],
  briefLimit: 12,
  isShort: true,
  input: z.strictObject({ site_id: SiteId.optional(), limit: limit(200, 50), cursor: Cursor }),
  output: z.object({
    ...page('sites', SitePerformance).shape,
    window_days: z.int().optional(),
    trends: z.array(Trend).optional().describe('Of one site.'),
    points: z.array(Point).optional().describe('Of one site, oldest first.'),
    lab_window_days: z.int().optional(),
    lab_unavailable: z.string().nullable().optional().describe('Of one site: why no lab runs can be made here. null: they can.'),
    lab_points: z.array(LabPoint).optional().describe('Of one site, oldest first, with those that were discarded.'),
  }),
  example: { site_id: 'example.com' },
  handle: (context, { site_id: _, ...wanted }) => pageOfPerformance(context, context.site, wanted),
})

export const measure = siteOperation({
  name: 'performance.measure',
  http: 'POST /sites/{site_id}/performance/measure',
  title: 'Measure a site',
  summary:
    'Measure how fast one site answers and how much its front page weighs, now; with lab, what a browser makes of it. By itself that happens once a day, and once a week.',
  scope: 'write',
  effect: 'create',
  policy: 'scans',
  status: 202,
  input: z.strictObject({
    site_id: SiteId,
    lab: z.boolean().default(false).describe('true: by Lighthouse, three times, in the browser of the service; it takes minutes.'),
  }),
  output: JobStarted,
  example: { site_id: 'example.com' },
  handle: (context, { lab }) => (lab ? startLab : startProbe)(context, context.site),
})
