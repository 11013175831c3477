import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { z } from 'zod'
import { readConfig } from '../src/config.ts'
import type { AwaitingApproval } from '../src/kernel/awaiting.ts'
import type { Caller, Kernel } from '../src/kernel/context.ts'
import type { AnyOperation, Operation } from '../src/kernel/operation.ts'
import { Problem } from '../src/kernel/problem.ts'
import { type McpDeps, mcpServer } from '../src/projections/mcp-http.ts'

/** A house with four rooms, for tests of the tool server itself: a list, a read, a write and one that destroys. */
export function house(done: string[] = []): AnyOperation[] {
  const site_id = z.string().max(200).describe('The site: its id, domain or exact name.')
  const Site = z.object({ id: z.string(), name: z.string(), tags: z.array(z.string()), php_version: z.string().nullable() })
  const sites = ['Fern', 'Moss', 'Reed'].map((name, i) => ({ id: `site_${i + 1}`, name, tags: ['green'], php_version: '8.3' }))
  return [
    room({
      name: 'sites.list',
      tool: 'list_sites',
      http: 'GET /sites',
      title: 'List sites',
      summary: 'Every site of the workspace, in short.',
      guidance: 'Use it first, to learn ids.',
      scope: 'read',
      effect: 'read',
      list: 'sites',
      brief: ['id', 'name'],
      briefLimit: 2,
      input: z.strictObject({ limit: z.int().min(1).max(1000).optional().describe('How many at most.') }),
      output: z.object({ sites: z.array(Site), total: z.int(), limit: z.int().nullable(), next_cursor: z.string().nullable() }),
      example: {},
      handle: async (_context, { limit = 1000 }) => ({
        sites: sites.slice(0, limit),
        total: 3,
        limit,
        next_cursor: limit < 3 ? 'more' : null,
      }),
    }),
    room({
      name: 'sites.get',
      tool: 'get_site',
      http: 'GET /sites/{site_id}',
      title: 'Read a site',
      summary: 'Everything known of one site, without asking it.',
      scope: 'read',
      effect: 'read',
      input: z.strictObject({ site_id }),
      output: Site,
      example: { site_id: 'site_1' },
      handle: async (_context, input) => {
        if (input.site_id === 'site_broken') throw new TypeError('the password is hunter2')
        const site = sites.find(({ id }) => id === input.site_id)
        if (!site) throw new Problem('not_found', 'There is no such site in this workspace.')
        return site
      },
    }),
    room({
      name: 'backups.create',
      tool: 'create_backup',
      http: 'POST /sites/{site_id}/backups',
      title: 'Start a backup',
      summary: 'Start a backup of one site; it returns at once with a job_id.',
      scope: 'write',
      effect: 'create',
      status: 202,
      input: z.strictObject({ site_id, type: z.enum(['full', 'db', 'files']).default('full').describe('What to back up.') }),
      output: z.object({ job_id: z.string(), status: z.enum(['queued', 'running']), poll_after_s: z.int(), next: z.literal('get_job') }),
      example: { site_id: 'site_1', type: 'db' },
      handle: async (_context, input) => {
        done.push(`backup ${input.site_id} ${input.type}`)
        return { job_id: 'job_1', status: 'queued' as const, poll_after_s: 2, next: 'get_job' as const }
      },
    }),
    room({
      name: 'updates.apply',
      tool: 'update_site',
      http: 'POST /sites/{site_id}/updates',
      title: 'Update a site',
      summary: 'Apply updates to one site, all of them or only some plugins.',
      scope: 'write',
      effect: 'destroy',
      input: z.strictObject({ site_id, plugins: z.array(z.string()).optional().describe('Only these plugins.') }),
      output: z.object({ job_id: z.string() }),
      example: { site_id: 'site_1' },
      handle: async () => {
        throw new Problem('site_unreachable', 'The site did not answer.', { retryAfter: 30 })
      },
    }),
  ]
}

function room<In extends z.ZodObject, Out extends z.ZodType>(operation: Operation<never, In, Out>): AnyOperation {
  return operation as unknown as AnyOperation
}

export const reader: Caller = {
  type: 'token',
  id: 'tok_1',
  name: 'reader',
  workspaceId: 'ws_1',
  scopes: new Set(['read']),
  approvalOnly: false,
}
export const writer: Caller = { ...reader, id: 'tok_2', name: 'writer', scopes: new Set(['read', 'write']) }
export const asker: Caller = { ...writer, id: 'tok_3', name: 'asker', approvalOnly: true }

const apr = 'apr_01k0000000000000000000000a'
export const waiting: AwaitingApproval = {
  ...{ status: 'awaiting_approval', approval_id: apr, job_id: apr, expires_at: '2026-11-24T00:00:00.000Z', poll_after_s: 60 },
  ...{ next: 'get_job', message: 'Nothing was done yet.' },
}

/** A kernel whose database answers nothing, and which keeps what it logged. */
export function kernel(logged: object[] = []): Kernel {
  const dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  const note = (facts: object) => void logged.push(facts)
  return {
    db: new Kysely({ dialect }),
    now: () => new Date(0),
    log: { info: note, warn: note, error: note },
    audit: () => undefined,
    budgets: readConfig({}).budgets,
    seenBy: () => ({}),
    ask: async () => ({ output: waiting, replayed: false }),
    overdrawn: async () => {},
    changed: () => {},
    turn: async () => () => {},
    shareOf: () => ({}),
  }
}

/** The tool server alone, on loopback; its tokens are `read`, `write` and `ask`. */
export async function serveMcp(changes: Partial<McpDeps> = {}) {
  const callers = new Map([
    ['Bearer read', reader],
    ['Bearer write', writer],
    ['Bearer ask', asker],
  ])
  const mcp = await mcpServer({
    world: kernel(),
    operations: house(),
    identify: (authorization) => callers.get(authorization ?? ''),
    newRequestId: () => 'req_1',
    everywhere: {},
    baseUrl: 'http://127.0.0.1:8080',
    version: '0.0.0',
    ...changes,
  })
  const server = http.createServer(mcp.handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    mcp.stop()
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { port, url: `http://127.0.0.1:${port}`, close }
}
