import { type RawBuilder, sql } from 'kysely'
import { countRows, mostCounted, type PageOf } from '../kernel/cursor.ts'
import type { Db } from '../world.ts'
import { type Activity, type Category, type Counts, mostSearched, type Shown } from './schema.ts'

export type NewActivity = Omit<Activity, 'site_name' | 'performed_at' | 'created_at'> & {
  performed_at: Date
  created_at: Date
  /** It was done at some time between this and `performed_at`. */
  seen_after?: Date | undefined
}

export async function insertActivity({ db, workspaceId }: Db, entry: NewActivity): Promise<void> {
  await sql`INSERT INTO activity (workspace_id, id, site_id, kind, category, summary, notes, performed_at, performed_by, internal, in_reports, actor, source, job_id, created_at, seen_after)
    VALUES (${workspaceId}, ${entry.id}, ${entry.site_id}, ${entry.kind}, ${entry.category}, ${entry.summary}, ${entry.notes}, ${entry.performed_at},
      ${entry.performed_by}, ${entry.internal}, ${entry.in_reports}, ${JSON.stringify(entry.actor)}::jsonb, ${entry.source}, ${entry.job_id}, ${entry.created_at}, ${entry.seen_after ?? null})`.execute(
    db,
  )
}

const columns =
  sql.raw(`a.id, a.site_id, s.name AS site_name, a.kind, a.category, a.summary, a.notes, a.performed_at, a.performed_by, a.internal, a.in_reports,
  a.actor, a.source, a.job_id, a.created_at`)
const withSite = sql.raw('LEFT JOIN sites s ON (s.workspace_id, s.id) = (a.workspace_id, a.site_id)')

export async function findActivity({ db, workspaceId }: Db, id: string): Promise<Activity | undefined> {
  const { rows } =
    await sql<Activity>`SELECT ${columns} FROM activity a ${withSite} WHERE a.workspace_id = ${workspaceId} AND a.id = ${id}`.execute(db)
  return rows[0]
}

export interface ActivityFilter {
  siteId?: string | undefined
  category?: Category | undefined
  /** Of the site. */
  tag?: string | undefined
  client?: string | undefined
  /** The id or the name of whoever did it. */
  by?: string | undefined
  since?: Date | undefined
  /** Not included. */
  until?: Date | undefined
  /** Words that all stand in what was done, in its notes, or in who did it. */
  q?: string | undefined
  shown?: Shown | undefined
  /** Without what is kept for colleagues, notes too. */
  shownOnly?: true
}

const shownAs: Record<Shown, RawBuilder<unknown>> = {
  in_reports: sql`a.in_reports`,
  internal: sql`a.internal`,
  to_review: sql`a.internal AND NOT a.reviewed AND a.kind = 'maintenance' AND a.actor->>'type' = 'token'`,
}

/** The entries that are meant, as `a`. Words are looked for in so many of the latest, however many years there are. */
function meant(db: Db, filter: ActivityFilter): RawBuilder<unknown> {
  const all = sql`SELECT * FROM activity a WHERE a.workspace_id = ${db.workspaceId} AND ${narrowed(db, filter)}`
  const words = filter.q?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  if (words.length === 0) return sql`(${all}) a`
  const searched = filter.shownOnly ? sql`a.summary` : sql`concat_ws(' ', a.summary, a.notes)`
  const text = sql`lower(concat_ws(' ', ${searched}, a.performed_by, a.actor->>'name'))`
  const found = words.map((word) => sql`position(${word} in ${text}) > 0`)
  return sql`(SELECT * FROM (${all} ORDER BY a.performed_at DESC, a.id DESC LIMIT ${mostSearched}) a WHERE ${sql.join(found, sql` AND `)}) a`
}

function narrowed({ workspaceId }: Db, { siteId, category, tag, client, by, since, until, shown, shownOnly }: ActivityFilter) {
  const ofSites = (which: RawBuilder<unknown>) =>
    sql`a.site_id IN (SELECT x.id FROM sites x WHERE x.workspace_id = ${workspaceId} AND ${which})`
  const wanted = [
    sql`true`,
    ...(siteId === undefined ? [] : [sql`a.site_id = ${siteId}`]),
    ...(category === undefined ? [] : [sql`a.category = ${category}`]),
    ...(tag === undefined ? [] : [ofSites(sql`${tag} = ANY (x.tags)`)]),
    ...(client === undefined ? [] : [ofSites(sql`x.client = ${client}`)]),
    ...(by === undefined ? [] : [sql`(a.actor->>'id' = ${by} OR a.actor->>'name' = ${by} OR a.performed_by = ${by})`]),
    ...(since === undefined ? [] : [sql`a.performed_at >= ${since}`]),
    ...(until === undefined ? [] : [sql`a.performed_at < ${until}`]),
    ...(shown === undefined ? [] : [shownAs[shown]]),
    ...(shownOnly ? [sql`NOT a.internal`] : []),
  ]
  return sql.join(wanted, sql` AND `)
}

/** What was done last comes first. */
export async function listActivity(context: Db, filter: ActivityFilter, page: PageOf): Promise<Activity[]> {
  const before =
    page.after === undefined ? sql`true` : sql`(a.performed_at, a.id) < (${page.after[0]}::timestamptz, ${page.after[1]}::text)`
  const { rows } = await sql<Activity>`SELECT ${columns} FROM ${meant(context, filter)} ${withSite} WHERE ${before}
    ORDER BY a.performed_at DESC, a.id DESC LIMIT ${page.limit ?? null}`.execute(context.db)
  return rows
}

export const countActivity = (context: Db, filter: ActivityFilter): Promise<number> => countRows(context.db, meant(context, filter))

/** Whether anything of it was ever done. */
export async function hasDone(context: Db, filter: ActivityFilter): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM ${meant(context, filter)} LIMIT 1`.execute(context.db)
  return rows.length > 0
}

/** Who has done anything of it, by id and by name; of the latest entries. */
export async function listDoers(context: Db, filter: Pick<ActivityFilter, 'siteId' | 'shownOnly'>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT DISTINCT each.name FROM (SELECT a.performed_by, a.actor FROM activity a
      WHERE a.workspace_id = ${context.workspaceId} AND ${narrowed(context, filter)}
      ORDER BY a.performed_at DESC, a.id DESC LIMIT ${mostSearched}) done,
    LATERAL (VALUES (done.performed_by), (done.actor->>'name'), (done.actor->>'id')) each(name) WHERE each.name IS NOT NULL`.execute(
    context.db,
  )
  return rows.map(({ name }) => name)
}

const mostCounts = 20

/** Who did how much; undefined where there is too much to count for a page. */
export async function countByWhom(context: Db, filter: ActivityFilter): Promise<Counts | undefined> {
  const { rows } = await sql<Counts[number] & { all: number }>`SELECT d.performed_by, d.category, count(*)::int AS entries,
      count(DISTINCT d.site_id)::int AS sites, sum(count(*)) OVER ()::int AS all
    FROM (SELECT a.performed_by, a.category, a.site_id FROM ${meant(context, filter)} LIMIT ${mostCounted}) d
    GROUP BY 1, 2 ORDER BY entries DESC, 1, 2 LIMIT ${mostCounts}`.execute(context.db)
  return (rows[0]?.all ?? 0) < mostCounted ? rows.map(({ all: _, ...each }) => each) : undefined
}

export async function setInReports({ db, workspaceId }: Db, id: string, inReports: boolean): Promise<void> {
  await sql`UPDATE activity SET in_reports = ${inReports}, chosen = ${inReports}, internal = ${!inReports}, reviewed = true
    WHERE (workspace_id, id) = (${workspaceId}, ${id})`.execute(db)
}
