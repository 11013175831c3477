import { z } from 'zod'
import { Cursor, limit, page, Since, Until } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation } from '../sites/site-operation.ts'
import { AuditRow } from './schema.ts'
import { exportAudit, pageOfAudit } from './service.ts'

const filters = {
  by: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('Only calls of this one: an id, the name of a token, or the e-mail address of a person.'),
  operation: z.string().min(1).max(100).optional().describe('Only this operation; with a dot at its end all that begin so: backups.'),
  outcome: z
    .string()
    .min(1)
    .max(50)
    .optional()
    .describe('Only those that ended so: ok, awaiting_approval, the code of a refusal, or refused.'),
  site_id: SiteId.optional(),
  since: Since,
  until: Until,
  changes: z.boolean().default(false).describe('true: no reads.'),
}

export const list = siteFilterOperation({
  name: 'audit.list',
  http: 'GET /audit',
  title: 'Read the audit log',
  summary: 'Every call that was let in: who, what, on which site, through which face, and how it ended, newest first.',
  scope: 'manage',
  effect: 'read',
  list: 'audit',
  columns: ['at', 'by.name', 'operation', 'outcome', 'via', 'site_name', 'request_id', 'id'],
  input: z.strictObject({ ...filters, limit: limit(200, 50), cursor: Cursor }),
  output: page('audit', AuditRow),
  example: { changes: true, since: '2026-11-01' },
  handle: (context, { limit, cursor, site_id: _, ...asked }) =>
    pageOfAudit(context, { ...asked, siteId: context.site?.id }, { limit, cursor }),
})

export const file = siteFilterOperation({
  name: 'audit.export',
  http: 'GET /audit/export',
  title: 'Export the audit log',
  summary: 'The audit log, all that the filters leave, as a file: CSV, or JSON lines.',
  scope: 'manage',
  effect: 'read',
  bytes: true,
  input: z.strictObject({ ...filters, format: z.enum(['csv', 'jsonl']).default('csv') }),
  output: z.unknown(),
  example: { since: '2026-11-01', format: 'csv' },
  handle: async (context, { format, site_id: _, ...asked }) => exportAudit(context, { ...asked, siteId: context.site?.id }, format),
})
