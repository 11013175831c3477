import { type Kysely, sql } from 'kysely'
import type { Range } from './ranges.ts'
import type { About, FeedRecord, Notice } from './record.ts'

type Db = Kysely<unknown>

export interface SourceRow {
  id: string
  kind: 'url' | 'file'
  format: 'wordfence' | 'wpscan' | null
  records: number
  unreadable: number
  etag: string | null
  last_modified: string | null
  notices: Notice[]
  refreshed_at: Date | null
  changed_at: Date | null
  error: { message: string; at: string } | null
  failures: number
  next_at: Date
}

/** All there are, in the order of the setting. */
export async function listSources(db: Db): Promise<SourceRow[]> {
  const { rows } =
    await sql<SourceRow>`SELECT id, kind, format, records, unreadable, etag, last_modified, notices, refreshed_at, changed_at,
    error, failures, next_at FROM feed_sources ORDER BY position`.execute(db)
  return rows
}

export async function upsertSource(db: Db, { id, kind }: { id: string; kind: string }, position: number, now: Date): Promise<void> {
  await sql`INSERT INTO feed_sources (id, position, kind, next_at) VALUES (${id}, ${position}, ${kind}, ${now})
    ON CONFLICT (id) DO UPDATE SET position = ${position} WHERE feed_sources.position <> ${position}`.execute(db)
}

/** Those that are no longer configured go with all they told; whether there were any. */
export async function deleteOtherSources(db: Db, ids: string[]): Promise<boolean> {
  const { rows } = await sql`DELETE FROM feed_sources WHERE NOT id = ANY(${ids}) RETURNING 1`.execute(db)
  return rows.length > 0
}

/** Nobody else reads this source until then; undefined when somebody does. `dueAt`: only if it is due by then. */
export async function claimSource(
  db: Db,
  id: string,
  load: string,
  { now, until, dueAt }: { now: Date; until: Date; dueAt: Date | undefined },
): Promise<SourceRow | undefined> {
  const { rows } = await sql<SourceRow>`UPDATE feed_sources SET load = ${load}, load_until = ${until}
    WHERE id = ${id} AND (load_until IS NULL OR load_until <= ${now}) AND (${dueAt ?? null}::timestamptz IS NULL OR next_at <= ${dueAt ?? null})
    RETURNING id, kind, format, records, unreadable, etag, last_modified, notices, refreshed_at, changed_at, error, failures, next_at`.execute(
    db,
  )
  return rows[0]
}

/** What a look at a source came to; false when somebody else has it by now. */
export async function releaseSource(db: Db, id: string, load: string, facts: Partial<Omit<SourceRow, 'id' | 'kind'>>): Promise<boolean> {
  const changes = Object.entries(facts).map(([column, value]) => sql`${sql.ref(column)} = ${columnValue(value)}`)
  const { rows } = await sql`UPDATE feed_sources SET ${sql.join([...changes, sql`load = NULL, load_until = NULL`])}
    WHERE id = ${id} AND load = ${load} RETURNING 1`.execute(db)
  return rows.length > 0
}

const columnValue = (value: unknown) =>
  typeof value === 'object' && value !== null && !(value instanceof Date) ? sql`${JSON.stringify(value)}::jsonb` : sql`${value}`

export async function stage(db: Db, load: string, records: readonly FeedRecord[]): Promise<void> {
  const rows = records.map(({ id, about, affected }) => ({ id, about, affected }))
  await sql`INSERT INTO feed_staging (load, id, about, affected)
    SELECT ${load}, r.id, r.about, r.affected FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (id text, about jsonb, affected jsonb)`.execute(
    db,
  )
}

/** Also what loads that were killed have left. */
export async function clearStaging(db: Db, load: string): Promise<void> {
  await sql`DELETE FROM feed_staging WHERE load = ${load} OR NOT load IN (SELECT load FROM feed_sources WHERE load IS NOT NULL)`.execute(db)
}

/** Puts what was staged in force, in the caller's transaction; records that did not change are not touched. How many did. */
export async function takeOver(db: Db, source: string, load: string): Promise<{ records: number; changed: number }> {
  await sql`SET LOCAL statement_timeout = '120s'`.execute(db)
  await sql`CREATE TEMP TABLE fresh ON COMMIT DROP AS
    SELECT id, (array_agg(about ORDER BY digest))[1] AS about, md5(string_agg(digest, '' ORDER BY digest)) AS digest
    FROM (SELECT id, about, md5(about::text || affected::text) AS digest FROM feed_staging WHERE load = ${load}) s GROUP BY id`.execute(db)
  await sql`ANALYZE fresh`.execute(db)
  const gone = await sql<{ back: boolean }>`DELETE FROM vulnerabilities v WHERE source = ${source}
    AND NOT EXISTS (SELECT FROM fresh f WHERE f.id = v.id AND f.digest = v.digest)
    RETURNING EXISTS (SELECT FROM fresh f WHERE f.id = v.id) AS back`.execute(db)
  const added = await sql`INSERT INTO vulnerabilities (source, id, about, digest)
    SELECT ${source}, f.id, f.about, f.digest FROM fresh f
    WHERE NOT EXISTS (SELECT FROM vulnerabilities v WHERE v.source = ${source} AND v.id = f.id)`.execute(db)
  await sql`INSERT INTO vulnerable_software (source, id, type, slug, ranges, patched)
    SELECT ${source}, s.id, a.type, a.slug, a.ranges, a.patched
    FROM feed_staging s CROSS JOIN LATERAL jsonb_to_recordset(s.affected) AS a (type text, slug text, ranges jsonb, patched jsonb)
    WHERE s.load = ${load} AND NOT EXISTS (SELECT FROM vulnerable_software w WHERE w.source = ${source} AND w.id = s.id)
    ON CONFLICT DO NOTHING`.execute(db)
  const { rows } = await sql<{ records: number }>`SELECT count(*) AS records FROM fresh`.execute(db)
  const lost = gone.rows.filter(({ back }) => !back).length
  return { records: rows[0]?.records ?? 0, changed: lost + Number(added.numAffectedRows ?? 0) }
}

export async function raiseVersion(db: Db): Promise<void> {
  await sql`UPDATE feed_version SET version = version + 1`.execute(db)
}

export async function readVersion(db: Db): Promise<number> {
  const { rows } = await sql<{ version: number }>`SELECT version FROM feed_version`.execute(db)
  return rows[0]?.version ?? 0
}

export interface SoftwareRow {
  type: string
  slug: string
  source: string
  id: string
  ranges: Range[]
  patched: string[]
}

/** What is known of these, of all versions. */
export async function listSoftware(db: Db, names: readonly { type: string; slug: string }[]): Promise<SoftwareRow[]> {
  const { rows } = await sql<SoftwareRow>`SELECT w.type, w.slug, w.source, w.id, w.ranges, w.patched
    FROM unnest(${names.map(({ type }) => type)}::text[], ${names.map(({ slug }) => slug)}::text[]) AS n (type, slug)
    JOIN vulnerable_software w ON (w.slug, w.type) = (n.slug, n.type)`.execute(db)
  return rows
}

export async function listAbout(
  db: Db,
  names: readonly { source: string; id: string }[],
): Promise<{ source: string; id: string; about: About }[]> {
  const { rows } = await sql<{ source: string; id: string; about: About }>`SELECT v.source, v.id, v.about
    FROM unnest(${names.map(({ source }) => source)}::text[], ${names.map(({ id }) => id)}::text[]) AS n (source, id)
    JOIN vulnerabilities v ON (v.source, v.id) = (n.source, n.id)`.execute(db)
  return rows
}
