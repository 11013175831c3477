// What each token did: the record of its calls, newest first.
import { sql } from 'kysely'
import { z } from 'zod'
import { countRows, type PageOf, pageOf, type Wanted } from '../kernel/cursor.ts'
import { Time } from '../kernel/shapes.ts'
import type { Context, Db } from '../world.ts'

export const Call = z.object({
  at: Time,
  operation: z.string(),
  via: z.string().describe('The face it came through: api, mcp, dashboard or system.'),
  outcome: z.string().describe('ok, awaiting_approval, or the code of the refusal.'),
  site_id: z.string().nullable().describe('As it was named, where there was no such site.'),
  request_id: z.string(),
  id: z.string(),
})
type Call = z.infer<typeof Call>

interface Filter {
  tokenId: string
  outcome?: string | undefined
}

const matching = ({ workspaceId }: Db, { tokenId, outcome }: Filter) =>
  sql`workspace_id = ${workspaceId} AND caller_id = ${tokenId} ${outcome === undefined ? sql`` : sql`AND outcome = ${outcome}`}`

async function listCalls(context: Db, filter: Filter, { limit, after }: PageOf): Promise<Call[]> {
  const before = after === undefined ? sql`true` : sql`seq < ${after[0]}::bigint`
  const { rows } = await sql<Call>`SELECT at, operation, face AS via, outcome, site_id, request_id, seq::text AS id FROM audit
    WHERE ${matching(context, filter)} AND ${before} ORDER BY audit.seq DESC LIMIT ${limit ?? null}`.execute(context.db)
  return rows
}

export async function pageOfCalls(context: Context, filter: Filter, wanted: Wanted) {
  const listing = { list: 'calls', workspaceId: context.workspaceId, filter }
  const { items: calls, ...page } = await pageOf(listing, wanted, {
    items: (part) => listCalls(context, filter, part),
    total: () => countRows(context.db, sql`audit WHERE ${matching(context, filter)}`),
    at: ({ id }) => [id],
  })
  return { calls, ...page }
}
