// How what a deleted workspace held is taken away: by tables as the database knows them, so that one that is added is never forgotten.
import { type Kysely, sql } from 'kysely'

type Db = Kysely<unknown>

/** These keep their rows: the record of calls, which nobody can change, and of what was deleted. */
export const tablesThatStay = ['audit', 'workspace_deletions']

export type Step = 'sites' | 'rows' | 'objects' | 'last look' | 'done'

export interface Clearing {
  workspace_id: string
  deleted_at: Date
  step: Step
  last_site: string
}

/** Takes the deletion that has waited longest, for so long; should its process die, another takes it after that. */
export async function claimDeletion(db: Db, now: Date, until: Date): Promise<Clearing | undefined> {
  const { rows } = await sql<Clearing>`UPDATE workspace_deletions SET due_at = ${until} WHERE (workspace_id, deleted_at) = (
      SELECT workspace_id, deleted_at FROM workspace_deletions WHERE finished_at IS NULL AND due_at <= ${now}
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING workspace_id, deleted_at, step, last_site`.execute(db)
  return rows[0]
}

export interface Progress {
  dueAt: Date
  step?: Step
  lastSite?: string
  told?: number
  objects?: number
  finishedAt?: Date
}

export async function noteProgress(db: Db, { workspace_id, deleted_at }: Clearing, made: Progress): Promise<void> {
  await sql`UPDATE workspace_deletions SET due_at = ${made.dueAt}, step = coalesce(${made.step ?? null}, step),
      last_site = coalesce(${made.lastSite ?? null}, last_site), sites_told = sites_told + ${made.told ?? 0},
      objects_deleted = objects_deleted + ${made.objects ?? 0}, finished_at = ${made.finishedAt ?? null}
    WHERE (workspace_id, deleted_at) = (${workspace_id}, ${deleted_at})`.execute(db)
}

/** Sites that may still know the service, by their ids. */
export async function sitesAfter(db: Db, { workspace_id, last_site }: Clearing, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM sites WHERE workspace_id = ${workspace_id} AND id > ${last_site}
    ORDER BY id LIMIT ${most}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Every table with rows of workspaces, those that others refer to behind them: so no row takes others along. */
export async function tablesOfWorkspaces(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; refers_to: string[] }>`SELECT c.relname AS name, ARRAY(SELECT DISTINCT r.relname::text
      FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid WHERE k.contype = 'f' AND k.conrelid = c.oid AND r.oid <> c.oid) AS refers_to
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname`.execute(db)
  const ordered: string[] = []
  for (let left = rows.filter(({ name }) => !tablesThatStay.includes(name)); left.length > 0; ) {
    const free = left.filter(({ name }) => !left.some(({ refers_to }) => refers_to.includes(name)))
    // Tables that refer to each other go in any order.
    const next = free.length > 0 ? free : left
    ordered.push(...next.map(({ name }) => name))
    left = left.filter(({ name }) => !ordered.includes(name))
  }
  return ordered
}

/** Deletes up to `most` rows, by the table's key: a scan from the table's beginning would pass all that were deleted before, each time. Answers how many. */
export function deleteSome(db: Db, table: string, workspaceId: string, most: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await sql`SET LOCAL enable_seqscan = off`.execute(tx)
    await sql`SET LOCAL enable_bitmapscan = off`.execute(tx)
    const { numAffectedRows } = await sql`DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${sql.table(table)} WHERE workspace_id = ${workspaceId} LIMIT ${most}))`.execute(tx)
    return Number(numAffectedRows)
  })
}

/** The last of it, and with it the key that opened its backups. */
export async function deleteWorkspaceRow(db: Db, workspaceId: string): Promise<void> {
  await sql`DELETE FROM workspaces WHERE id = ${workspaceId} AND deleted_at IS NOT NULL`.execute(db)
}
