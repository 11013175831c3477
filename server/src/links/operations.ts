import { z } from 'zod'
import { JobStarted } from '../jobs/schema.ts'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation, siteOperation } from '../sites/site-operation.ts'
import { BrokenLink, Confidence, LinkId, LinkWithPlaces, Scan } from './schema.ts'
import { ignoreLink, pageOfLinks, readLink, startScan } from './service.ts'

export const list = siteFilterOperation({
  name: 'links.list',
  tool: 'get_broken_links',
  http: ['GET /links', 'GET /sites/{site_id}/links'],
  title: 'Broken links',
  summary: 'Links of one site or the fleet that lead nowhere, and where they stand.',
  guidance: 'suspect: failed once; blocked: unknown.',
  scope: 'read',
  effect: 'read',
  list: 'links',
  columns: ['confidence', 'url', 'site_name', 'source_url', 'reason', 'status_code', 'anchor_text', 'places', 'id'],
  brief: ['id', 'site_id', 'site_name', 'url', 'source_url', 'anchor_text', 'element', 'places', 'status_code', 'reason', 'confidence'],
  briefLimit: 10,
  isShort: true,
  input: z.strictObject({
    site_id: SiteId.optional(),
    confidence: Confidence.optional().describe('Only these.'),
    ignored: z.boolean().default(false).describe('true: only accepted ones.'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: z.object({
    ...page('links', BrokenLink).shape,
    counts: z.object({ broken: z.int(), suspect: z.int(), blocked: z.int() }).nullable().describe('null: nobody has looked.'),
    gaps: z.array(z.string()).describe('What nobody looked at, which is not the same as nothing found.'),
    scan: Scan.nullable().optional().describe('The last of one site. null: nobody has looked, which is not the same as nothing found.'),
    sites_scanned: z.int().optional().describe('Of the fleet: how many sites were looked at.'),
  }),
  example: { confidence: 'broken' },
  handle: (context, { site_id: _, ...wanted }) => pageOfLinks(context, context.site, wanted),
})

export const get = siteOperation({
  name: 'links.get',
  http: 'GET /sites/{site_id}/links/{link_id}',
  title: 'Read a broken link',
  summary: 'One broken link with the places where it stands.',
  scope: 'read',
  effect: 'read',
  input: z.strictObject({ site_id: SiteId, link_id: LinkId }),
  output: LinkWithPlaces,
  example: { site_id: 'example.com', link_id: 'link_01k0000000000000000000000a' },
  handle: (context, { link_id }) => readLink(context, context.site, link_id),
})

export const check = siteOperation({
  name: 'links.scan',
  http: 'POST /sites/{site_id}/links/scan',
  title: 'Look for broken links',
  summary: 'Read the pages of one site and ask for everything they name. It happens by itself once a week.',
  scope: 'write',
  effect: 'create',
  policy: 'scans',
  status: 202,
  input: z.strictObject({
    site_id: SiteId,
    max_pages: z.int().min(1).max(5000).default(500).describe('How many pages to read at most.'),
  }),
  output: JobStarted,
  example: { site_id: 'example.com' },
  handle: (context, { max_pages }) => startScan(context, context.site, max_pages),
})

export const ignore = siteOperation({
  name: 'links.ignore',
  http: 'POST /sites/{site_id}/links/{link_id}/ignore',
  title: 'Accept a broken link',
  summary:
    'Say that a link is accepted as it is, and why. It no longer counts, is still asked for in each scan, and stays accepted when it fails again.',
  scope: 'write',
  effect: 'change',
  policy: 'triage',
  idempotent: true,
  input: z.strictObject({
    site_id: SiteId,
    link_id: LinkId,
    reason: z.string().trim().min(1).max(500).describe('Why it is accepted; colleagues read it.'),
  }),
  output: LinkWithPlaces,
  example: { site_id: 'example.com', link_id: 'link_01k0000000000000000000000a', reason: 'The partner moves house until May' },
  handle: (context, { link_id, reason }) => ignoreLink(context, context.site, link_id, reason),
})

export const unignore = siteOperation({
  name: 'links.unignore',
  http: 'POST /sites/{site_id}/links/{link_id}/unignore',
  title: 'Stop accepting a broken link',
  summary: 'Have an accepted link count again; one that fails no more is forgotten.',
  scope: 'write',
  effect: 'change',
  policy: 'triage',
  input: z.strictObject({ site_id: SiteId, link_id: LinkId }),
  output: LinkWithPlaces,
  example: { site_id: 'example.com', link_id: 'link_01k0000000000000000000000a' },
  handle: (context, { link_id }) => ignoreLink(context, context.site, link_id, null),
})
