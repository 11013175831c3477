import { z } from 'zod'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation, siteOperation } from '../sites/site-operation.ts'
import { Collection, ErrorId, ErrorWithTrace, Level, PhpError, Status } from './schema.ts'
import { collectNow, muteError, pageOfErrors, readError, reopenError, resolveError } from './service.ts'

const example = { site_id: 'example.com', error_id: 'phperror_01k0000000000000000000000a' }

export const list = siteFilterOperation({
  name: 'errors.list',
  tool: 'get_errors',
  http: ['GET /errors', 'GET /sites/{site_id}/errors'],
  title: 'PHP errors',
  summary: 'PHP errors of one site or all, each kind once, worst first.',
  scope: 'read',
  effect: 'read',
  list: 'errors',
  columns: ['level', 'message', 'site_name', 'component.slug', 'file', 'line', 'count', 'last_seen_at', 'id'],
  brief: [
    'id',
    'site_id',
    'site_name',
    'level',
    'message',
    'file',
    'line',
    'component',
    'count',
    'first_seen_at',
    'last_seen_at',
    'after',
    'regressed_at',
  ],
  briefLimit: 8,
  isShort: true,
  unshown: ['component'],
  input: z.strictObject({
    site_id: SiteId.optional(),
    level: Level.optional().describe('Only these.'),
    component: z.string().min(1).max(200).optional().describe('Slug of a plugin or theme.'),
    status: Status.default('open').describe('Which ones.'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: z.object({
    ...page('errors', PhpError).shape,
    counts: z
      .object({ fatal: z.int(), warning: z.int(), notice: z.int(), deprecated: z.int() })
      .nullable()
      .describe('Of all that are open, not only of this page. null: nobody has looked.'),
    gaps: z.array(z.string()).describe('What nobody looked at, which is not the same as nothing found.'),
    collection: Collection.optional().describe('Of one site: when it was asked.'),
    sites_collected: z.int().optional().describe('Of the fleet: how many sites have answered.'),
  }),
  example: { level: 'fatal' },
  handle: (context, { site_id: _, ...wanted }) => pageOfErrors(context, context.site, wanted),
})

export const get = siteOperation({
  name: 'errors.get',
  http: 'GET /sites/{site_id}/errors/{error_id}',
  title: 'Read a PHP error',
  summary: 'One PHP error with the way that led there.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({ site_id: SiteId, error_id: ErrorId }),
  output: ErrorWithTrace,
  example,
  handle: (context, { error_id }) => readError(context, context.site, error_id),
})

export const collect = siteOperation({
  name: 'errors.collect',
  http: 'POST /sites/{site_id}/errors/collect',
  title: 'Collect PHP errors',
  summary: 'Ask one site for the PHP errors it has met, now. It happens by itself every 15 minutes, and after each update.',
  scope: 'write',
  effect: 'change',
  policy: 'scans',
  waits: true,
  input: z.strictObject({ site_id: SiteId }),
  output: Collection,
  example: { site_id: 'example.com' },
  handle: (context) => collectNow(context, context.site),
})

export const resolve = siteOperation({
  name: 'errors.resolve',
  http: 'POST /sites/{site_id}/errors/{error_id}/resolve',
  title: 'Resolve a PHP error',
  summary: 'Say that an error was put right. Should it be met again, it is open again, as a regression.',
  scope: 'write',
  effect: 'change',
  policy: 'triage',
  idempotent: true,
  input: z.strictObject({ site_id: SiteId, error_id: ErrorId }),
  output: ErrorWithTrace,
  example,
  handle: (context, { error_id }) => resolveError(context, context.site, error_id),
})

export const mute = siteOperation({
  name: 'errors.mute',
  http: 'POST /sites/{site_id}/errors/{error_id}/mute',
  title: 'Mute a PHP error',
  summary: 'Say that an error is accepted as it is, and why. It no longer counts and nobody is told; it goes on being counted.',
  scope: 'write',
  effect: 'change',
  policy: 'triage',
  idempotent: true,
  input: z.strictObject({
    site_id: SiteId,
    error_id: ErrorId,
    reason: z.string().trim().min(1).max(500).describe('Why it is accepted; colleagues read it.'),
  }),
  output: ErrorWithTrace,
  example: { ...example, reason: 'The vendor knows; fixed in the next version' },
  handle: (context, { error_id, reason }) => muteError(context, context.site, error_id, reason),
})

export const reopen = siteOperation({
  name: 'errors.reopen',
  http: 'POST /sites/{site_id}/errors/{error_id}/reopen',
  title: 'Reopen a PHP error',
  summary: 'Have an error that was resolved or muted count again.',
  scope: 'write',
  effect: 'change',
  policy: 'triage',
  idempotent: true,
  input: z.strictObject({ site_id: SiteId, error_id: ErrorId }),
  output: ErrorWithTrace,
  example,
  handle: (context, { error_id }) => reopenError(context, context.site, error_id),
})
