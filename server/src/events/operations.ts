import { z } from 'zod'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation } from '../sites/site-operation.ts'
import { Event } from './schema.ts'
import { streamOf } from './stream.ts'

export const watch = siteFilterOperation({
  name: 'events.watch',
  http: ['GET /events', 'GET /sites/{site_id}/events'],
  title: 'Follow changes',
  summary:
    'What changes from now on, as it happens: sites, jobs, rollouts, activity, notices, approvals, incidents. Each says only what changed; Last-Event-ID goes on where a stream broke off.',
  seesOwn: true,
  scope: 'read',
  effect: 'read',
  stream: true,
  input: z.strictObject({ site_id: SiteId.optional() }),
  output: Event,
  example: { site_id: 'example.com' },
  handle: async (context) => streamOf(context, context.site?.id),
})
