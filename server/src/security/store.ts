import { sql } from 'kysely'
import type { Context } from '../world.ts'

type Db = Pick<Context, 'db' | 'workspaceId'>

/** The open findings of a site that a tweak would fix: tweak id → ids of findings, worst first. */
export async function openFindingsByTweak({ db, workspaceId }: Db, siteId: string): Promise<Map<string, string[]>> {
  const { rows } = await sql<{
    tweak_id: string
    ids: string[]
  }>`SELECT fix ->> 'tweak_id' AS tweak_id, array_agg(id ORDER BY rank DESC, id) AS ids
    FROM findings WHERE workspace_id = ${workspaceId} AND site_id = ${siteId} AND status = 'open' AND fix ? 'tweak_id' GROUP BY 1`.execute(
    db,
  )
  return new Map(rows.map(({ tweak_id, ids }) => [tweak_id, ids]))
}
