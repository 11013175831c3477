import { z } from 'zod'
import { Cursor, limit, page, Time } from '../kernel/shapes.ts'
import { ownFilterFields } from '../sites/filters.ts'
import { Site, summarizedSite } from '../sites/schema.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { FleetFilters } from './filters.ts'
import { Need, needs } from './schema.ts'
import { pageOfFleet } from './service.ts'

const numbers = z.object(Object.fromEntries(needs.map((need) => [need, z.int()])) as Record<(typeof needs)[number], z.ZodInt>)

const pageOfSites = (site: z.ZodObject) =>
  z.object({
    ...page(
      'sites',
      site.extend({ needs: z.array(Need).describe('Why somebody must look at it, the gravest first. Empty: as far as is known nothing.') }),
    ).shape,
    needs: numbers.describe('How many sites need what, whatever of it is asked for.'),
    not_known: numbers.describe('Of how many nobody knows it, which is not the same as well.'),
    unknown: z.int().describe('Sites left out because nobody knows of them what a filter asks.'),
    all: z.int().describe('All sites, whatever the filters.'),
    watch_troubled_since: Time.nullable().describe(
      'Since then it is not known of some of all sites whether they are up, because our own network may be in trouble.',
    ),
    tags: z.array(z.string()).describe('Of all sites, at most 500.'),
    clients: z.array(z.string()).describe('Of all sites, at most 500.'),
  })

const { q: _, ...ownFilters } = ownFilterFields

export const list = workspaceOperation({
  name: 'fleet.list',
  http: 'GET /fleet',
  title: 'The fleet by need',
  summary: 'The sites, those first that somebody must look at, each with why; of all of them how many need what.',
  seesOwn: true,
  scope: 'read',
  effect: 'read',
  list: 'sites',
  columns: ['url', 'needs', 'status', 'updates_available', 'last_good_backup.completed_at', 'client', 'tags', 'name', 'id'],
  input: z.strictObject({
    q: FleetFilters.q,
    ...ownFilters,
    need: FleetFilters.need,
    order: FleetFilters.order.unwrap().default('urgency'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: pageOfSites(Site),
  withSummary: (parts) => pageOfSites(summarizedSite(parts)),
  example: { need: 'down' },
  handle: pageOfFleet,
})
