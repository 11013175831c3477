import { sql } from 'kysely'
import type { DatedDb, Db } from '../world.ts'
import type { UpdateRule } from './rules-schema.ts'

export type RuleRow = Omit<UpdateRule, 'name'>

const columns = sql.raw('id, type, slug, site_id, tag, allow, delay_days, set_by, set_at')

/** All of the workspace: those of all sites first, then by what they are of. */
export async function listRules({ db, workspaceId }: Db): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`SELECT ${columns} FROM update_rules WHERE workspace_id = ${workspaceId}
    ORDER BY site_id NULLS FIRST, tag NULLS FIRST, type, slug NULLS FIRST`.execute(db)
  return rows
}

/** In place of the one for the same things and the same sites. */
export async function writeRule({ db, workspaceId, now }: DatedDb, rule: Omit<RuleRow, 'set_at'>): Promise<string> {
  const { rows } = await sql<{
    id: string
  }>`INSERT INTO update_rules (workspace_id, id, type, slug, site_id, tag, allow, delay_days, set_by, set_at)
    VALUES (${workspaceId}, ${rule.id}, ${rule.type}, ${rule.slug}, ${rule.site_id}, ${rule.tag}, ${rule.allow}, ${rule.delay_days},
      ${JSON.stringify(rule.set_by)}::jsonb, ${now()})
    ON CONFLICT (workspace_id, type, slug, site_id, tag) DO UPDATE SET allow = excluded.allow, delay_days = excluded.delay_days,
      set_by = excluded.set_by, set_at = excluded.set_at RETURNING id`.execute(db)
  return rows[0]?.id ?? rule.id
}

export async function deleteRule({ db, workspaceId }: Db, id: string): Promise<RuleRow | undefined> {
  const { rows } = await sql<RuleRow>`DELETE FROM update_rules WHERE workspace_id = ${workspaceId} AND id = ${id}
    RETURNING ${columns}`.execute(db)
  return rows[0]
}
