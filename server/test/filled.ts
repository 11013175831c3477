// A workspace with everything in it that the dashboard shows, quickly: one site is paired, the others are copies of its row.
import { sql } from 'kysely'
import type { TestWorld } from './world.ts'

export type Over = (n: number) => Record<string, unknown>

/** `count` sites more, each with an id and an address of its own, and what `over` says. Answers their ids. */
export async function copySites(
  { world, workspaceId }: TestWorld,
  siteId: string,
  count: number,
  over: Over = () => ({}),
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, n) => ({
    ...{ id: `site_${String(n).padStart(26, '0')}`, url: `http://127.0.0.1:1/${n}`, home: `http://127.0.0.1:1/${n}`, keyid: `copy-${n}` },
    ...over(n),
  }))
  await sql`INSERT INTO sites SELECT (jsonb_populate_record(s, r)).* FROM sites s, jsonb_array_elements(${JSON.stringify(rows)}::jsonb) AS r
    WHERE (s.workspace_id, s.id) = (${workspaceId}, ${siteId})`.execute(world.db)
  world.changed(workspaceId)
  return rows.map(({ id }) => String(id))
}

/** Every place of the dashboard a person signed in can go to, by a name for it. */
export const placesOf = (siteId: string, jobId: string): Record<string, string> => ({
  sites: '/',
  ...Object.fromEntries(
    ['updates', 'backups', 'security', 'uptime', 'jobs', 'activity', 'settings'].map((part) => [
      `site-${part}`,
      `/sites/${siteId}/${part}`,
    ]),
  ),
  'site-overview': `/sites/${siteId}`,
  updates: '/updates',
  'update-rules': '/updates/rules',
  activity: '/activity',
  jobs: '/jobs',
  job: `/jobs/${jobId}`,
  agents: '/agents',
  members: '/members',
  settings: '/settings',
  policies: '/settings/policies',
  audit: '/settings/audit',
  missing: '/sites/site_00000000000000000000000zzz',
})

/** Six of each thing that is found by watching, asking and doing, with these words in every field somebody else fills. */
export async function fillSite({ world, workspaceId }: TestWorld, siteId: string, words: readonly string[]): Promise<string> {
  const texts = sql`unnest(${words}::text[]) WITH ORDINALITY AS t (text, n)`
  const said = sql`jsonb_build_object('code', 'site_failed', 'message', 'The site failed.', 'retryable', true,
    'site_said', jsonb_build_object('untrusted', true, 'text', text))`
  const id = (prefix: string) => sql`${`${prefix}_`}::text || lpad(n::text, 26, '0')`
  await sql`INSERT INTO findings (workspace_id, id, site_id, source, "check", component_key, kind, severity, title, description, component,
      affected_range, fixed_in, cve, "references", evidence, status, first_seen_at, last_seen_at)
    SELECT ${workspaceId}, ${id('finding')}, ${siteId}, 'inventory', 'plugin_outdated', n::text, 'outdated', 'high', text, text,
      jsonb_build_object('type', 'plugin', 'slug', text, 'name', text, 'version', text), text, text, text, jsonb_build_array(text, 'https://example.org/'),
      jsonb_build_array(text), 'open', now(), now() FROM ${texts}`.execute(world.db)
  await sql`INSERT INTO uptime_incidents (workspace_id, id, site_id, location, kind, cause, message, http_status, started_at, ended_at)
    SELECT ${workspaceId}, ${id('incident')}, ${siteId}, '', 'down', 'http', text, 503, now() - n * interval '1 hour', now() - n * interval '30 minutes'
    FROM ${texts}`.execute(world.db)
  await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, error, result, created_at, completed_at)
    SELECT ${workspaceId}, ${id('job')}, 'backup', ${siteId}, 'failed', jsonb_build_object('type', 'token', 'id', text, 'name', text), '{}', ${said},
      jsonb_build_object('text', text), now() - n * interval '1 minute', now() FROM ${texts}`.execute(world.db)
  await sql`INSERT INTO activity (workspace_id, id, site_id, kind, category, summary, notes, performed_at, performed_by, internal, in_reports, actor, source, created_at)
    SELECT ${workspaceId}, ${id('act')}, ${siteId}, 'maintenance', 'other', text, text, now() - n * interval '1 minute', text, true, false,
      jsonb_build_object('type', 'token', 'id', text, 'name', text), 'mcp', now() FROM ${texts}`.execute(world.db)
  const by = sql`jsonb_build_object('type', 'token', 'id', text, 'name', text)`
  await sql`INSERT INTO update_rules (workspace_id, id, type, slug, tag, allow, delay_days, set_by, set_at)
    SELECT ${workspaceId}, ${id('updaterule')}, 'plugin', text, text, 'patch', 7, ${by}, now() FROM ${texts}`.execute(world.db)
  await sql`INSERT INTO update_windows (workspace_id, id, tag, weekday, at, first_wave, wave_size, stop_above_percent, set_by, created_at, next_at, last_at, last_reason)
    SELECT ${workspaceId}, ${id('window')}, text, 2, '02:00', 1, 20, 20, ${by}, now(), now() + interval '1 day', now(), text FROM ${texts}`.execute(
    world.db,
  )
  const rule = sql`jsonb_build_object('effect', 'updates', 'jump', 'patch', 'site_id', NULL, 'tag', text)`
  await sql`INSERT INTO approval_policies (workspace_id, version, rules, change, set_by, set_at)
    SELECT ${workspaceId}, 100 + n, (SELECT jsonb_agg(${rule} || '{"decision": "auto"}') FROM ${texts}),
      ${rule} || '{"before": null, "after": "auto", "looser": true}', ${by}, now() FROM ${texts}`.execute(world.db)
  await sql`INSERT INTO audit (workspace_id, at, caller_type, caller_id, operation, face, outcome, request_id, site_id)
    SELECT ${workspaceId}, now(), 'token', text, 'sites.set', 'api', text, text, text FROM ${texts}`.execute(world.db)
  await sql`UPDATE sites SET inventory = jsonb_set(inventory, '{items}', inventory->'items' || (SELECT jsonb_agg(jsonb_build_object('type', 'plugin',
      'slug', text, 'file', text || '.php', 'name', text, 'version', text, 'active', true, 'auto_update', false, 'author', text, 'uri', text,
      'update', jsonb_build_object('version', text, 'requires_wp', text, 'requires_php', text, 'compatible', true, 'package', true, 'url', text))) FROM ${texts}))
    WHERE (workspace_id, id) = (${workspaceId}, ${siteId})`.execute(world.db)
  world.changed(workspaceId)
  return `job_${'1'.padStart(26, '0')}`
}
