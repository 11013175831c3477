import { sql } from 'kysely'
import type { Running } from '../kernel/job.ts'
import { utc } from '../sites/store.ts'
import type { Db, Here } from '../world.ts'
import type { Probed } from './probe.ts'
import type { Sample } from './schema.ts'

export type Measured = Probed & Pick<Sample, 'during'>

/** One for each job, however often it is tried. */
export async function insertSample(
  { db, workspaceId, now }: Here,
  { id, siteId }: Pick<Running, 'id' | 'siteId'>,
  p: Measured,
): Promise<void> {
  await sql`INSERT INTO performance_samples (workspace_id, id, site_id, url, source, collected_at, ttfb_ms, dns_ms, connect_ms, tls_ms, total_ms,
      html_bytes, compression, page_bytes, requests, cache_status, during)
    VALUES (${workspaceId}, ${id.replace(/^job_/, 'sample_')}, ${siteId}, ${p.url}, ${p.source}, ${now()}, ${p.ttfb_ms}, ${p.dns_ms}, ${p.connect_ms},
      ${p.tls_ms}, ${p.total_ms}, ${p.html_bytes}, ${p.compression}, ${p.page_bytes}, ${p.requests}, ${p.cache_status}, ${p.during}) ON CONFLICT DO NOTHING`.execute(
    db,
  )
}

const columns = sql`p.id, p.site_id, p.url, p.source, ${utc('p.collected_at')} AS collected_at, p.ttfb_ms, p.dns_ms, p.connect_ms, p.tls_ms, p.total_ms,
  p.html_bytes, p.compression, p.page_bytes::float8 AS page_bytes, p.requests, p.cache_status, p.during`

/** The last ones of each site since a time, oldest first. */
export async function listSamples({ db, workspaceId }: Db, siteIds: string[], since: Date): Promise<Map<string, Sample[]>> {
  const { rows } = await sql<Sample>`SELECT ${columns} FROM performance_samples p
    WHERE p.workspace_id = ${workspaceId} AND p.site_id = ANY(${siteIds}) AND p.source = 'probe' AND p.collected_at >= ${since}
    ORDER BY p.collected_at, p.id`.execute(db)
  const samples = new Map<string, Sample[]>()
  for (const row of rows) samples.set(row.site_id, [...(samples.get(row.site_id) ?? []), row])
  return samples
}

export interface Ranked {
  site_id: string
  name: string
  rank: number
}

/** Slowest first; those that nobody looked at last. `rank`: the time to the first byte. */
export async function rankSites({ db, workspaceId }: Db, siteId: string | undefined): Promise<Ranked[]> {
  const ofSite = siteId === undefined ? sql`true` : sql`s.id = ${siteId}`
  const { rows } =
    await sql<Ranked>`SELECT s.id AS site_id, left(s.name, 100) AS name, coalesce((SELECT p.ttfb_ms FROM performance_samples p
      WHERE (p.workspace_id, p.site_id, p.source) = (s.workspace_id, s.id, 'probe') ORDER BY p.collected_at DESC LIMIT 1), -1) AS rank
    FROM sites s WHERE s.workspace_id = ${workspaceId} AND ${ofSite} ORDER BY rank DESC, s.id`.execute(db)
  return rows
}

export interface ChangeRow {
  job_id: string | null
  activity_id: string | null
  type: string
  summary: string | null
  at: string
  seen_after: string | null
  /** It was done in between for certain, and not partly or perhaps before or behind. */
  is_within: boolean
  /** For colleagues only. */
  internal: boolean
}

/**
 * What was, or may have been, done to a site in between: jobs of ours, also those that failed on the way, maintenance that people told of, and what
 * was seen by comparing two looks, which was done at some time between these. What was taken back is as it was before.
 */
export async function listChanges(
  { db, workspaceId }: Db,
  siteId: string,
  types: string[],
  between: [string, string],
): Promise<ChangeRow[]> {
  const [last, first] = between.map((at) => sql`${at}::timestamptz`)
  const { rows } =
    await sql<ChangeRow>`SELECT c.job_id, c.activity_id, c.type, c.summary, ${utc('c.ended')} AS at, ${utc('c.seen_after')} AS seen_after,
      c.internal, c.begun >= ${last} AND c.ended <= ${first} AND (c.type <> 'seen' OR c.seen_after IS NOT NULL) AS is_within
    FROM (SELECT j.id AS job_id, NULL::text AS activity_id, j.type, j.summary, coalesce(j.started_at, j.completed_at) AS begun, j.completed_at AS ended,
        NULL::timestamptz AS seen_after, false AS internal
      FROM jobs j WHERE j.workspace_id = ${workspaceId} AND j.site_id = ${siteId} AND j.type = ANY(${types}) AND j.completed_at > ${last}
        AND (j.status = 'completed' OR (j.status IN ('failed', 'canceled') AND j.started_at IS NOT NULL)) AND j.outcome IS DISTINCT FROM 'taken_back'
      UNION ALL
      SELECT NULL, a.id, CASE a.kind WHEN 'maintenance' THEN 'maintenance' ELSE 'seen' END, a.summary, coalesce(a.seen_after, a.performed_at),
        a.performed_at, a.seen_after, a.internal
      FROM activity a WHERE a.workspace_id = ${workspaceId} AND a.site_id = ${siteId} AND a.performed_at > ${last}
        AND (a.kind = 'maintenance' OR a.actor ->> 'type' = 'site')) c
    WHERE c.begun <= ${first} ORDER BY c.ended LIMIT 20`.execute(db)
  return rows
}
