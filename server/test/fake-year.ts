// What a service has written down of the sites of a client after a while: as the capabilities write it, by SQL, so that a year takes seconds.
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { TestWorld } from './world.ts'

export interface Year {
  client: string
  sites: number
  from: string
  days: number
  /** Of sites, components and entries; what a hostile one would say. */
  words?: (what: string, n: number) => string
}

const usual = (what: string, n: number) => `${what} ${n}`

/** A site that nobody ever talked to. */
export async function aSite(
  { world: { db }, workspaceId }: Pick<TestWorld, 'world' | 'workspaceId'>,
  { id, name, client, home = 'https://bare.example' }: { id: string; name: string; client: string; home?: string },
): Promise<void> {
  await sql`INSERT INTO sites (workspace_id, id, name, url, home, status, client, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
    VALUES (${workspaceId}, ${id}, ${name}, ${home}, ${home}, 'connected', ${client}, ${`${id}k`}, '', '', '', now(), now())`.execute(db)
}

/** Makes the sites, unpaired, with uptime of each hour, and daily backups, weekly updates, scans and findings. Answers their ids. */
export async function aYear(
  here: Pick<TestWorld, 'world' | 'workspaceId'>,
  { client, sites, from, days, words = usual }: Year,
): Promise<string[]> {
  const { workspaceId } = here
  const { db } = here.world
  const ids = Array.from({ length: sites }, (_, n) => `site_${hash('sha256', client).slice(0, 20)}${String(n).padStart(6, '0')}`)
  for (const [n, id] of ids.entries()) {
    await aSite(here, { id, name: words('Site', n), client, home: `https://site-${n}.example` })
    await sql`UPDATE sites SET synced_at = now(), updates_plugins = 2 WHERE id = ${id}`.execute(db)
  }
  const each = sql`(SELECT s.id AS site, s.n::int AS n FROM unnest(${ids}::text[]) WITH ORDINALITY s (id, n)) s`
  const start = sql`${from}::timestamptz`
  await sql`INSERT INTO uptime_hours (workspace_id, site_id, location, hour, checks, ups, excluded, ms_sum, ms_histogram)
    SELECT ${workspaceId}, site, 'here', ${start} + h * interval '1 hour', 60, CASE WHEN (h + n * 7) % 811 = 5 THEN 40 ELSE 60 END, 0, 12000, '{}'
    FROM ${each}, generate_series(0, ${days * 24 - 1}) h`.execute(db)
  await sql`INSERT INTO uptime_states (workspace_id, site_id, location, up, since) SELECT ${workspaceId}, site, 'here', n <> 2, ${start} FROM ${each}`.execute(
    db,
  )
  await sql`INSERT INTO uptime_incidents (workspace_id, id, site_id, location, kind, cause, message, http_status, started_at, ended_at)
    SELECT ${workspaceId}, 'incident_' || site || i, site, 'here', 'down', (ARRAY['http', 'timeout', 'dns'])[1 + i % 3], 'secret message', 500,
      ${start} + (i * 31 + n % 28) * interval '1 day', ${start} + (i * 31 + n % 28) * interval '1 day' + (4 + n + i) * interval '1 minute'
    FROM ${each}, generate_series(0, ${Math.floor((days - 1) / 31)}) i`.execute(db)
  const by = JSON.stringify({ type: 'token', id: 'tok_secretagent', name: 'Secret Agent' })
  const done = (type: string, step: string, count: number, result: ReturnType<typeof sql>) =>
    sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, result, created_at, started_at, completed_at)
      SELECT ${workspaceId}, 'job_' || md5(${type} || site || i), ${type}, site, CASE WHEN ${type} = 'backup' AND (i + n) % 97 = 3 THEN 'failed' ELSE 'completed' END,
        ${by}::jsonb, '{}', ${result}, at, at, at FROM ${each}, generate_series(0, ${count - 1}) i, LATERAL (SELECT ${start} + i * ${step}::interval
        + n * interval '1 minute' AS at) t`.execute(db)
  await done('backup', '1 day', days, sql`'{}'`)
  const names = JSON.stringify(Array.from({ length: 40 }, (_, n) => words('Plugin', n)))
  await done(
    'update',
    '1 week',
    Math.max(1, Math.floor(days / 7)),
    sql`jsonb_build_object('items', (SELECT jsonb_agg(jsonb_build_object('type', CASE WHEN p = 0 AND i % 9 = 0 THEN 'core' ELSE 'plugin' END, 'slug', 'plugin-' || (i + p * 7 + n) % 40,
      'file', 'x', 'name', ${names}::jsonb ->> ((i + p * 7 + n) % 40)::int, 'from_version', '1.' || i, 'to_version', '1.' || i + 1, 'reason', 'a secret reason',
      'status', CASE WHEN (i + p + n) % 61 = 7 THEN 'rolled_back' ELSE 'updated' END)) FROM generate_series(0, 4) p))`,
  )
  await done(
    'link_scan',
    '1 week',
    Math.max(1, Math.floor(days / 7)),
    sql`jsonb_build_object('mended', CASE WHEN i % 5 = 1 THEN 2 ELSE 0 END)`,
  )
  await sql`INSERT INTO backups (workspace_id, id, site_id, job_id, type, status, trigger, requested_by, manifest, verification, verified_at, created_at, completed_at)
    SELECT ${workspaceId}, 'backup_' || site || i, site, 'job_' || md5('backup' || site || i), 'full', 'completed', 'schedule', ${by}::jsonb, 'x',
      (ARRAY['present', 'content', 'restored'])[1 + (i + n) % 3], at, at, at
    FROM ${each}, generate_series(greatest(0, ${days - 30}), ${days - 1}) i, LATERAL (SELECT ${start} + i * interval '1 day' + n * interval '1 minute' AS at) t
    WHERE (i + n) % 97 <> 3`.execute(db)
  await sql`INSERT INTO performance_samples (workspace_id, id, site_id, url, source, collected_at, ttfb_ms, total_ms, html_bytes, requests)
    SELECT ${workspaceId}, 'sample_' || md5(site || i), site, '', 'probe', ${start} + i * interval '1 day', 200 + (n * 37 + i * 13) % 90
      + CASE WHEN n = 3 AND i > ${Math.floor(days / 2)} THEN 600 ELSE 0 END, 400, 9000, 20 FROM ${each}, generate_series(0, ${days - 1}) i`.execute(
    db,
  )
  await sql`INSERT INTO security_looks (workspace_id, site_id, source, checked_at) SELECT ${workspaceId}, site, 'facts', ${start} FROM ${each} WHERE n <> 1`.execute(
    db,
  )
  const components = JSON.stringify(Array.from({ length: 6 }, (_, n) => words('Component', n)))
  await sql`INSERT INTO findings (workspace_id, id, site_id, source, "check", component_key, kind, severity, title, description, component, "references", evidence,
      status, first_seen_at, last_seen_at, fixed_at)
    SELECT ${workspaceId}, 'finding_' || site || i, site, 'feed', 'vulnerability', 'k' || i, 'vulnerability', (ARRAY['critical', 'high', 'medium'])[1 + i % 3], 'secret title',
      'secret description', jsonb_build_object('type', 'plugin', 'slug', 's', 'name', ${components}::jsonb ->> (i % 6)::int, 'version', '1'), '[]', '["secret evidence"]',
      CASE WHEN i % 4 = 3 THEN 'open' ELSE 'fixed' END, at, at, CASE WHEN i % 4 <> 3 THEN at + interval '2 hours' END
    FROM ${each}, generate_series(0, 3) i, LATERAL (SELECT ${start} + (i * 5 + n % 7) * interval '1 day' + n * interval '1 minute' AS at) t`.execute(
    db,
  )
  const summaries = JSON.stringify(Array.from({ length: 12 }, (_, n) => words('Entry', n)))
  await sql`INSERT INTO activity (workspace_id, id, site_id, kind, category, summary, notes, performed_at, performed_by, internal, in_reports, actor, source, created_at)
    SELECT ${workspaceId}, 'act_' || left(md5(site || i), 26), site, 'maintenance', 'fix', ${summaries}::jsonb ->> i::int, 'a secret note', ${start} + (i * 2 + n % 3) * interval '1 day',
      'Secret Agent', i % 2 = 1, i % 2 = 0, ${by}::jsonb, 'mcp', ${start} FROM ${each}, generate_series(0, 11) i`.execute(db)
  return ids
}
