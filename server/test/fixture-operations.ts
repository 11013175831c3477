import { z } from 'zod'
import type { AnyOperation, Operation } from '../src/kernel/operation.ts'

const none = async () => {
  throw new Error('Only described, never run.')
}

function described<In extends z.ZodObject, Out extends z.ZodType>(operation: Omit<Operation<never, In, Out>, 'handle'>): AnyOperation {
  return { ...operation, handle: none } as unknown as AnyOperation
}

const site_id = z.string().describe('The site.')
const limit = z.int().min(1).max(200).default(50).describe('How many at most.')
const JobStarted = z.object({ job_id: z.string(), status: z.enum(['queued', 'running']) })

/** One operation of every form there is: a list, an alias, a shared POST, a job, a file, an optional body. */
export const fixtureOperations: AnyOperation[] = [
  described({
    name: 'sites.list',
    tool: 'list_sites',
    http: 'GET /sites',
    title: 'List sites',
    summary: 'Every site of the workspace.',
    guidance: 'Use it first, to learn ids.',
    scope: 'read',
    effect: 'read',
    list: 'sites',
    input: z.strictObject({ q: z.string().optional().describe('Part of a name.'), limit, tag: z.array(z.string()).optional() }),
    output: z.object({
      sites: z.array(z.object({ id: z.string(), name: z.string(), status: z.enum(['connected', 'paused']) })),
      total: z.int(),
      limit: z.int(),
      next_cursor: z.string().nullable(),
    }),
    example: { limit: 10 },
  }),
  described({
    name: 'sites.ping',
    http: 'POST /sites/{site_id}/actions',
    action: 'ping',
    title: 'Ping a site',
    summary: 'A signed liveness check of one site.',
    scope: 'read',
    effect: 'read',
    waits: true,
    input: z.strictObject({ site_id }),
    output: z.object({ ok: z.boolean(), latency_ms: z.number().nullable() }),
    example: { site_id: 'site_1' },
  }),
  described({
    name: 'updates.apply',
    tool: 'update_site',
    http: 'POST /sites/{site_id}/actions',
    action: 'update',
    title: 'Update a site',
    summary: 'Apply updates to one site.',
    scope: 'write',
    effect: 'destroy',
    status: 202,
    input: z.strictObject({ site_id, plugins: z.array(z.string()).optional().describe('Only these plugins.') }),
    output: JobStarted,
    example: { site_id: 'site_1', plugins: ['akismet'] },
  }),
  described({
    name: 'backups.create',
    tool: 'create_backup',
    http: 'POST /sites/{site_id}/backups',
    title: 'Start a backup',
    summary: 'Start a backup of one site.',
    scope: 'write',
    effect: 'create',
    status: 202,
    input: z.strictObject({ site_id, type: z.enum(['full', 'db', 'files']).default('full').describe('What to back up.') }),
    output: JobStarted.extend({ backup_id: z.string() }),
    example: { site_id: 'site_1', type: 'db' },
  }),
  described({
    name: 'backups.download',
    http: 'GET /sites/{site_id}/backups/{backup_id}/download',
    title: 'Download a backup',
    summary: 'The whole backup as one file.',
    scope: 'write',
    effect: 'read',
    bytes: true,
    input: z.strictObject({ site_id, backup_id: z.string() }),
    output: z.custom<AsyncIterable<Uint8Array>>(),
    example: { site_id: 'site_1', backup_id: 'backup_1' },
  }),
  described({
    name: 'activity.list',
    tool: 'get_activity',
    http: ['GET /activity', 'GET /sites/{site_id}/activity'],
    title: 'List activity',
    summary: 'What happened lately.',
    scope: 'read',
    effect: 'read',
    list: 'entries',
    input: z.strictObject({ site_id: site_id.optional(), limit }),
    output: z.object({
      entries: z.array(z.object({ id: z.string(), at: z.iso.datetime() })),
      total: z.int(),
      next_cursor: z.string().nullable(),
    }),
    example: {},
  }),
  described({
    name: 'tokens.revoke',
    http: 'POST /tokens/{token_id}/revoke',
    title: 'Revoke a token',
    summary: 'Refuse a token from now on.',
    scope: 'manage',
    effect: 'destroy',
    idempotent: true,
    input: z.strictObject({ token_id: z.string() }),
    output: z.object({ id: z.string() }),
    example: { token_id: 'tok_1' },
  }),
]
