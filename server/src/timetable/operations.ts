import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { readTimetable } from './store.ts'

const Recurring = z.object({
  kind: z.string(),
  what: z.string(),
  every_s: z.int(),
  enabled: z.boolean().describe('false: it is switched off, for this site or the whole service.'),
  last_at: Time.nullable().describe('When it was last done with success. null: never.'),
  next_at: Time.nullable().describe('null: it is switched off, or has no turn yet.'),
})

export const get = siteOperation({
  name: 'timetable.get',
  http: 'GET /sites/{site_id}/timetable',
  title: 'Read the timetable of a site',
  summary: 'What is done for one site by itself, how often, when it was last done and when it comes next.',
  scope: 'read',
  effect: 'read',
  rows: 'items',
  columns: ['what', 'enabled', 'last_at', 'next_at', 'every_s', 'kind'],
  input: z.strictObject({ site_id: SiteId }),
  output: z.object({
    site_id: z.string(),
    asked: z.boolean().describe('false: nothing of it is done, because the site is not connected.'),
    items: z.array(Recurring).describe('What comes next stands first.'),
  }),
  example: { site_id: 'example.com' },
  handle: async (context) => ({
    site_id: context.site.id,
    asked: context.site.status === 'connected' || context.site.status === 'unreachable',
    items: await readTimetable(context, context.site.id),
  }),
})
