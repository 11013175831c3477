// What agents asked for, updates in waves, a restore and a backup that lacks things, with the words of a site or an agent in every field.
import { sql } from 'kysely'
import type { TestWorld } from './world.ts'

const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, '0')}`

/** What somebody can look at by its id; one request for each kind of plan. */
export const asked = {
  rollout: idOf('rollout', 900),
  restore: idOf('job', 901),
  update: idOf('apr', 1),
  waves: idOf('apr', 2),
  wave: idOf('apr', 3),
  tweaks: idOf('apr', 4),
  backup: idOf('apr', 5),
  publish: idOf('apr', 6),
  mail: idOf('apr', 7),
  plain: idOf('apr', 8),
} as const

const blank = {
  status: 'planned',
  job_id: null,
  poll_after_s: null,
  next: null,
  dry_run: true,
  live: true,
  live_error: null,
  site_said: null,
}

/** The plan of each kind of request, with these words in every field somebody else fills. */
function plansOf(
  siteId: string,
  words: readonly string[],
): [id: string, operation: string, title: string, input: object, plan: object | null][] {
  const word = (n: number) => words[n % words.length] ?? ''
  const said = { untrusted: true, text: word(0) }
  const items = words.map((text, n) => ({
    ...{
      type: 'plugin',
      slug: text,
      file: `${text}.php`,
      name: text,
      from_version: text,
      to_version: text,
      requires_wp: text,
      requires_php: text,
    },
    ...{ will_run: n % 3 !== 2, reason: n % 3 === 2 ? text : null, changelog_url: text, fixes: [text], risks: [text], estimated_s: 20 },
  }))
  const sites = words.slice(0, 6).map((text, n) => ({
    ...{
      site_id: n === 0 ? siteId : idOf('site', n - 1),
      name: text,
      url: text,
      wave: n % 3 === 2 ? null : 1 + n,
      reason: n % 3 === 2 ? text : null,
    },
    items: items.map(({ type, slug, from_version, to_version, reason }) => ({ type, slug, from_version, to_version, reason })),
  }))
  const reused = { id: idOf('backup', 1), type: 'full', created_at: new Date().toISOString() }
  const restored = {
    backup: { id: reused.id, type: 'full', created_at: reused.created_at },
    ...{
      type: 'full',
      wordpress: { from: word(1), to: word(2) },
      bytes_to_send: 1_000_000,
      space_needed: 2_000_000,
      space_free: 9_000_000,
      seconds: 30,
    },
    files: { replace: 3, add: 2, remove: 1, unchanged: 120, samples: [...words] },
    tables: words.map((name, n) => ({ name, rows: 7, what: ['replace', 'add', 'remove'][n % 3] })),
    ...{
      events_removed: [...words],
      kept: [...words],
      warnings: [...words],
      lost: { files: 1, tables: 0, sample: [...words] },
      obstacle: 'The site cannot take a restore; it says why.',
    },
    site_said: said,
  }
  const report = {
    ...{ id: idOf('report', 1), client_id: idOf('client', 1), client_name: word(0), status: 'draft', correction: word(1) },
    ...{
      period_from: '2026-10-01T00:00:00.000Z',
      period_to: '2026-11-01T00:00:00.000Z',
      summary: words.slice(0, 4),
      shown: ['work', 'updates', 'uptime'],
    },
    notes: ['summary', 'work'].map((section, n) => ({ section, text: word(n), by: { type: 'token', id: 'token', name: word(2) } })),
  }
  const fixes = words.map((text, n) => ({
    ...{ site_id: siteId, tweak_id: ['xmlrpc_off', 'salts_rotated'][n % 2], state: 'off', will: ['apply', 'revert', 'nothing'][n % 3] },
    ...{ reason: text, site_said: said, risk: text, side_effects: [text] },
  }))
  return [
    [
      asked.update,
      'updates.apply',
      'Update a site',
      { site_id: siteId, plugins: [...words] },
      { ...blank, items, backup: { type: 'full', reused }, estimated_s: 60 },
    ],
    [
      asked.waves,
      'rollouts.start',
      'Update sites',
      { tag: word(0) },
      { ...blank, items: null, backup: null, waves: 3, total: 4, skipped: 2, would: null, sites },
    ],
    [
      asked.wave,
      'rollouts.continue',
      'Begin the next wave',
      { rollout_id: asked.rollout, wave: 2 },
      { dry_run: true, wave: 2, waves: 3, sites },
    ],
    [
      asked.tweaks,
      'tweaks.apply',
      'Apply security fixes',
      { site_id: siteId, tweak_ids: ['xmlrpc_off'] },
      { ...blank, jobs: [], plan: fixes },
    ],
    [asked.backup, 'restores.create', 'Restore a backup', { site_id: siteId, include: [...words] }, { ...blank, plan: restored }],
    [asked.publish, 'reports.publish', 'Publish a report', { report_id: report.id }, report],
    [
      asked.mail,
      'reports.send',
      'Send a report by mail',
      { report_id: report.id, days: 90 },
      { id: report.id, to: [...words], mail: { subject: word(0), text: words.join('\n') } },
    ],
    [
      asked.plain,
      'sites.set',
      'Describe a site',
      { site_id: siteId, notes: word(0), tags: [...words], nested: { [word(1)]: [{ of: word(2) }] } },
      null,
    ],
  ]
}

/** Writes all of it. */
export async function fillAsked({ world, workspaceId }: TestWorld, siteId: string, words: readonly string[]): Promise<void> {
  const [text = ''] = words
  const by = { type: 'token', id: 'token', name: text }
  for (const [id, operation, title, input, plan] of plansOf(siteId, words))
    await sql`INSERT INTO approvals (workspace_id, id, status, operation, title, face, requested_by, request_id, reason, sealed_input, input_digest, shown_input,
        plan, plan_digest, bound, site_ids, created_at, expires_at)
      VALUES (${workspaceId}, ${id}, 'pending', ${operation}, ${title}, 'mcp', ${JSON.stringify(by)}, ${id}, ${text}, '', ${id}, ${JSON.stringify(input)},
        ${plan === null ? null : JSON.stringify(plan)}, ${id}, '{}', ${[siteId]}, now(), now() + interval '24 hours')`.execute(world.db)
  const wanted = { core: true, translations: false, first_wave: 1, wave_size: 20, stop_above_percent: 20 }
  await sql`INSERT INTO rollouts (workspace_id, id, kind, status, input, wave, waves, reason, requested_by, created_at, completed_at, asks_wave, waits_for)
    VALUES (${workspaceId}, ${asked.rollout}, 'update', 'stopped', ${JSON.stringify(wanted)}, 1, 3, ${text}, ${JSON.stringify(by)}, now(), now(), 2, ${asked.wave})`.execute(
    world.db,
  )
  await sql`INSERT INTO rollout_sites (workspace_id, rollout_id, site_id, wave, place, status, job_id, reason)
    SELECT ${workspaceId}, ${asked.rollout}, id, n, n, (ARRAY['updated', 'failed', 'rolled_back', 'skipped', 'not_started'])[1 + n % 5],
      CASE WHEN id = ${siteId} THEN ${idOf('job', 900)} END, (${words}::text[])[1 + n % ${words.length}]
    FROM (SELECT id, row_number() OVER (ORDER BY id)::integer AS n FROM sites WHERE workspace_id = ${workspaceId}) AS s WHERE n <= 40`.execute(
    world.db,
  )
  await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, outcome, summary, requested_by, input, result, created_at, completed_at)
    VALUES (${workspaceId}, ${asked.restore}, 'restore', ${siteId}, 'completed', 'done', 'Restored a backup.', ${JSON.stringify(by)}, '{}',
      ${JSON.stringify({ kept: words, warnings: words })}, now(), now())`.execute(world.db)
  const omitted = { unreadable: words, outside: words, tables: words, changed: words, database: words, neighbours: words }
  const rows = { count: 3, tables: words, sample: words }
  await sql`INSERT INTO backups (workspace_id, id, site_id, job_id, type, status, trigger, requested_by, size_bytes, unreadable_count, outside_count, changed_count,
      skipped_rows, omitted, roots, created_at, completed_at)
    VALUES (${workspaceId}, ${idOf('backup', 1)}, ${siteId}, ${idOf('job', 1)}, 'full', 'completed', 'manual', ${JSON.stringify(by)}, 1000000, 12, 2, 5,
      ${JSON.stringify(rows)}, ${JSON.stringify(omitted)}, ${JSON.stringify(words.map((path) => ({ id: path, path })))}, now() - interval '2 hours', now() - interval '2 hours')`.execute(
    world.db,
  )
}
