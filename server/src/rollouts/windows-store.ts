import { type Kysely, sql } from 'kysely'
import type { RequestedBy } from '../kernel/job.ts'
import type { DatedDb, Db } from '../world.ts'

export interface Window {
  id: string
  tag: string | null
  /** 0: Sunday; null: every day. */
  weekday: number | null
  at: string
  first_wave: number
  wave_size: number
  stop_above_percent: number
  set_by: RequestedBy
  created_at: Date
  next_at: Date
  last_at: Date | null
  last_rollout_id: string | null
  last_reason: string | null
}

const columns = sql.raw(
  'id, tag, weekday, at, first_wave, wave_size, stop_above_percent, set_by, created_at, next_at, last_at, last_rollout_id, last_reason',
)

export async function listWindows({ db, workspaceId }: Db): Promise<Window[]> {
  const { rows } = await sql<Window>`SELECT ${columns} FROM update_windows WHERE workspace_id = ${workspaceId} ORDER BY id`.execute(db)
  return rows
}

export async function insertWindow(
  { db, workspaceId }: Db,
  window: Omit<Window, 'last_at' | 'last_rollout_id' | 'last_reason'>,
): Promise<void> {
  await sql`INSERT INTO update_windows (workspace_id, id, tag, weekday, at, first_wave, wave_size, stop_above_percent, set_by, created_at, next_at)
    VALUES (${workspaceId}, ${window.id}, ${window.tag}, ${window.weekday}, ${window.at}, ${window.first_wave}, ${window.wave_size},
      ${window.stop_above_percent}, ${JSON.stringify(window.set_by)}::jsonb, ${window.created_at}, ${window.next_at})`.execute(db)
}

export async function deleteWindow({ db, workspaceId }: Db, id: string): Promise<Window | undefined> {
  const { rows } = await sql<Window>`DELETE FROM update_windows WHERE workspace_id = ${workspaceId} AND id = ${id}
    RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** The one that has been due longest, of any workspace, held until the transaction ends; others pass it by. */
export async function claimWindow(db: Kysely<unknown>, now: Date): Promise<(Window & { workspace_id: string }) | undefined> {
  const { rows } = await sql<Window & { workspace_id: string }>`SELECT workspace_id, ${columns} FROM update_windows
    WHERE next_at <= ${now} ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(db)
  return rows[0]
}

export async function moveWindow(
  { db, workspaceId, now }: DatedDb,
  id: string,
  { next, rolloutId = null, reason }: { next: Date; rolloutId?: string | null; reason: string | null },
): Promise<void> {
  await sql`UPDATE update_windows SET next_at = ${next}, last_at = ${now()}, last_reason = ${reason},
      last_rollout_id = coalesce(${rolloutId}, last_rollout_id) WHERE workspace_id = ${workspaceId} AND id = ${id}`.execute(db)
}
