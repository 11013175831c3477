// A workspace with everything in it that the dashboard shows, quickly: one site is paired, the others are copies of its row.
import { sql } from 'kysely'
import { asked, fillAsked } from './filled-asked.ts'
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

/** An update whose front page was photographed before and after. */
const jobWithPictures = `job_${'900'.padStart(26, '0')}`

/** Every place of the dashboard a person signed in can go to, by a name for it; those of reports are told by what fills them. */
export const placesOf = (siteId: string, jobId: string): Record<string, string> => ({
  sites: '/',
  ...Object.fromEntries(
    ['updates', 'backups', 'security', 'uptime', 'performance', 'errors', 'links', 'jobs', 'activity', 'timetable', 'settings'].map(
      (part) => [`site-${part}`, `/sites/${siteId}/${part}`],
    ),
  ),
  'site-overview': `/sites/${siteId}`,
  updates: '/updates',
  'update-rules': '/updates/rules',
  thing: '/updates/plugin/hello',
  weaknesses: '/weaknesses',
  activity: '/activity',
  jobs: '/jobs',
  job: `/jobs/${jobId}`,
  pictures: `/jobs/${jobWithPictures}`,
  restored: `/jobs/${asked.restore}`,
  rollout: `/rollouts/${asked.rollout}`,
  approvals: '/approvals',
  ...Object.fromEntries(
    (['update', 'waves', 'wave', 'tweaks', 'backup', 'publish', 'mail', 'plain'] as const).map((kind) => [
      `approval-${kind}`,
      `/approvals/${asked[kind]}`,
    ]),
  ),
  agents: '/agents',
  members: '/members',
  settings: '/settings',
  policies: '/settings/policies',
  audit: '/settings/audit',
  'settings-notifications': '/settings/notifications',
  'settings-backups': '/settings/backups',
  'settings-service': '/settings/service',
  account: '/account',
  missing: '/sites/site_00000000000000000000000zzz',
})

/** An update of as many plugins as there are words: alike, other, blank, and one of which nobody knows. */
async function fillPictures({ world, workspaceId }: TestWorld, siteId: string, words: readonly string[]): Promise<void> {
  const webp = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64')
  const id = `picture_${'900'.padStart(26, '0')}`
  await sql`INSERT INTO update_pictures (workspace_id, id, site_id, taken_at, before, after, drawn, steady)
    VALUES (${workspaceId}, ${id}, ${siteId}, now(), ${webp}, ${webp}, '', '')`.execute(world.db)
  const at = (moment: string) => `/api/v1/sites/${siteId}/update-pictures/${id}?moment=${moment}`
  const pictures = [
    { verdict: 'alike', likeness: 0.98, reason: null, before: at('before'), after: at('after') },
    { verdict: 'unlike', likeness: 0.31, reason: null, before: at('before'), after: at('after') },
    { verdict: 'blank', likeness: 0, reason: null, before: at('before'), after: at('after') },
    { verdict: 'unknown', likeness: null, reason: 'None was taken afterwards.', before: at('before'), after: null },
  ]
  const items = words.map((name, n) => ({
    type: 'plugin',
    slug: name,
    name,
    from_version: name,
    to_version: name,
    ...{ status: ['updated', 'rolled_back', 'failed', 'skipped'][n % 4], reason: n % 4 ? name : null, site_said: null },
    pictures: pictures[n % 4],
  }))
  await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, result, created_at, completed_at)
    VALUES (${workspaceId}, ${jobWithPictures}, 'update', ${siteId}, 'completed', '{"type":"user","id":"u","name":"Ann"}', '{}', ${JSON.stringify({ items })},
      now(), now())`.execute(world.db)
}

/** Six of each thing that is found by watching, asking and doing, with these words in every field somebody else fills. */
export async function fillSite(here: TestWorld, siteId: string, words: readonly string[]): Promise<string> {
  const { world, workspaceId } = here
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
    SELECT ${workspaceId}, now(), 'token', text, 'sites.set', 'api', 'not_found', text, text FROM ${texts}`.execute(world.db)
  await sql`UPDATE sites SET inventory = jsonb_set(inventory, '{items}', inventory->'items' || (SELECT jsonb_agg(jsonb_build_object('type', 'plugin',
      'slug', text, 'file', text || '.php', 'name', text, 'version', text, 'active', true, 'auto_update', false, 'author', text, 'uri', text,
      'update', jsonb_build_object('version', text, 'requires_wp', text, 'requires_php', text, 'compatible', true, 'package', true, 'url', text))) FROM ${texts}))
    WHERE (workspace_id, id) = (${workspaceId}, ${siteId})`.execute(world.db)
  await fillWatched(here, siteId, words)
  await fillNotifications(here, siteId, words)
  world.changed(workspaceId)
  await fillPictures(here, siteId, words)
  await fillAsked(here, siteId, words)
  return `job_${'1'.padStart(26, '0')}`
}

/** What is found by looking again and again: links, PHP errors, samples, messages. */
async function fillWatched({ world, workspaceId }: TestWorld, siteId: string, words: readonly string[]): Promise<void> {
  const texts = sql`unnest(${words}::text[]) WITH ORDINALITY AS t (text, n)`
  const id = (prefix: string) => sql`${`${prefix}_`}::text || lpad(n::text, 26, '0')`
  await sql`INSERT INTO link_scans (workspace_id, job_id, site_id, started_at, completed_at, pages, links, limit_reached)
    VALUES (${workspaceId}, 'job_scan', ${siteId}, now() - interval '1 hour', now(), 120, 840, 'pages')`.execute(world.db)
  await sql`INSERT INTO broken_links (workspace_id, id, site_id, url, is_internal, confidence, reason, status_code, places, places_count, first_seen_at, last_checked_at)
    SELECT ${workspaceId}, ${id('link')}, ${siteId}, text || n, true, (ARRAY['broken', 'suspect', 'blocked'])[1 + n % 3], 'not_found', 404,
      jsonb_build_array(jsonb_build_object('page', text, 'element', 'a[href]', 'text', text)), 3, now() - n * interval '1 day', now() FROM ${texts}`.execute(
    world.db,
  )
  await sql`INSERT INTO php_error_collections (workspace_id, site_id, since, collected_at, capturing, error) VALUES (${workspaceId}, ${siteId}, now(), now(), false,
      jsonb_build_object('message', 'The site failed.', 'at', now(), 'site_said', jsonb_build_object('untrusted', true, 'text', ${words[0]}::text)))
    ON CONFLICT (workspace_id, site_id) DO UPDATE SET since = EXCLUDED.since, collected_at = EXCLUDED.collected_at, capturing = false, error = EXCLUDED.error`.execute(
    world.db,
  )
  await sql`INSERT INTO php_errors (workspace_id, id, site_id, fingerprint, fingerprint_version, level, message, file, lines, component, version, frames, status,
      captured, logged, first_seen_at, last_seen_at)
    SELECT ${workspaceId}, ${id('phperror')}, ${siteId}, n, 1, (ARRAY['fatal', 'warning', 'notice', 'deprecated'])[1 + n % 4], text, text, '{12,34}',
      jsonb_build_object('type', 'plugin', 'slug', text), text, jsonb_build_array(text), 'open', n * 7, 0, now() - n * interval '1 day', now() FROM ${texts}`.execute(
    world.db,
  )
  await sql`INSERT INTO performance_samples (workspace_id, id, site_id, url, source, collected_at, ttfb_ms, dns_ms, connect_ms, tls_ms, total_ms, html_bytes,
      compression, page_bytes, requests, cache_status)
    SELECT ${workspaceId}, 'perf_' || n, ${siteId}, 'http://127.0.0.1:1/', 'probe', now() - n * interval '1 day', 300 + 40 * (n % 5) + CASE WHEN n < 9 THEN 600 ELSE 0 END,
      4, 12, 30, 900 + n, 80000, 'gzip', 1500000 + n * 1000, 48, 'miss' FROM generate_series(0, 25) n WHERE n NOT BETWEEN 12 AND 15`.execute(
    world.db,
  )
  await sql`INSERT INTO lab_samples (workspace_id, id, site_id, collected_at, url, score, lcp_ms, cls, tbt_ms, runs, lighthouse, chromium, benchmark_index, machine, discarded)
    SELECT ${workspaceId}, 'lab_' || n, ${siteId}, now() - n * interval '7 days', 'http://127.0.0.1:1/', 91 - 3 * (n % 3) - CASE WHEN n < 3 THEN 40 ELSE 0 END,
      1800 + 90 * (n % 4), 0.02, 120, jsonb_build_array(jsonb_build_object('score', 88, 'lcp_ms', 1800, 'cls', 0.02, 'tbt_ms', 120, 'benchmark_index', 1200)),
      '13.5.0', '156.0.8078.79', 1200, 'here', CASE WHEN n = 4 THEN 'The machine was busy.' END FROM generate_series(0, 14) n`.execute(
    world.db,
  )
}

/** A channel, whom it is told by which rules, and what could not be delivered. */
async function fillNotifications(here: TestWorld, siteId: string, words: readonly string[]): Promise<void> {
  const { world, workspaceId } = here
  const texts = sql`unnest(${words}::text[]) WITH ORDINALITY AS t (text, n)`
  const id = (prefix: string) => sql`${`${prefix}_`}::text || lpad(n::text, 26, '0')`
  const { id: channel } = await here.call('notifications.add_channel', { name: 'Team', type: 'slack', url: 'http://127.0.0.1:9/' })
  await sql`UPDATE channels SET name = ${words[0]}, shown = ${words[0]} WHERE (workspace_id, id) = (${workspaceId}, ${channel})`.execute(
    world.db,
  )
  await sql`INSERT INTO notice_rules (workspace_id, id, channel_id, kinds, tag, client, quiet, created_at)
    SELECT ${workspaceId}, ${id('rule')}, ${channel}, '{site_down,backup_failed}', text, text, '{"from": "22:00", "to": "06:00"}', now() FROM ${texts}`.execute(
    world.db,
  )
  await sql`INSERT INTO notices (workspace_id, id, key, kind, site_id, subject_id, happened_at, message)
    SELECT ${workspaceId}, ${id('notice')}, 'filled ' || n, 'site_down', ${siteId}, '', now() - n * interval '1 hour', text FROM ${texts}`.execute(
    world.db,
  )
  await sql`INSERT INTO deliveries (workspace_id, id, channel_id, status, notice_ids, attempts, due_at, error, created_at)
    SELECT ${workspaceId}, ${id('delivery')}, ${channel}, 'dead', '{}', 9, now(), text, now() FROM ${texts}`.execute(world.db)
}

/** A client with reports of a published and of a drafted month, notes, a link and a mail; these words where people write. Answers its pages. */
export async function fillReports(here: TestWorld, words: readonly string[]): Promise<Record<string, string>> {
  const word = (n: number) => words[n % words.length] ?? ''
  const { id: client_id } = await here.call('clients.create', { name: `Fern ${word(0)}`.trim(), recipients: ['ann@example.com'] })
  const sites = (await here.call('sites.list', { limit: 3 })).sites as { id: string }[]
  for (const { id } of sites.slice(1)) await here.call('sites.set', { site_id: id, client: `Fern ${word(0)}`.trim() })
  const ids: string[] = []
  for (const from of ['2026-01-01', '2026-02-01']) {
    const { id } = await here.call('reports.draft', { client_id, from, to: '2026-03-31' })
    ids.push(String(id))
    for (const [n, section] of ['summary', 'state', 'work'].entries())
      await here.call('reports.annotate', { report_id: id, section, note: word(n + 1) || 'A note' })
  }
  const [published = '', draft = ''] = ids
  await here.call('reports.publish', { report_id: published })
  await here.call('reports.link', { report_id: published })
  await sql`INSERT INTO report_mails (workspace_id, id, report_id, address, status, error, due_at, created_at)
    VALUES (${here.workspaceId}, ${`reportmail_${'0'.repeat(26)}`}, ${published}, 'gone@example.com', 'bounced', 'The mail server answered with 550.', now(), now())`.execute(
    here.world.db,
  )
  return reportPlaces(String(client_id), published, draft)
}

export const reportPlaces = (client: string, published: string, draft: string): Record<string, string> => ({
  ...{ reports: '/reports', clients: '/clients', client: `/clients/${client}` },
  ...{ 'report-published': `/reports/${published}`, 'report-draft': `/reports/${draft}` },
})
