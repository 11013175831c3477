import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { newId } from '../src/kernel/ids.ts'
import { finding } from '../src/security/checks.ts'
import { recordFindings } from '../src/security/record.ts'
import { aLink, anError } from './heard.ts'
import type { TestWorld } from './world.ts'

type Input = Record<string, unknown>
/** The input, with all that it needs to be done, for one time. */
export type Case = (site_id: string) => Promise<Input> | Input

/** For every operation that changes something what it takes to have it done on a site. */
export function writeCases(here: TestWorld): Record<string, Case> {
  const backup = async (site_id: string) => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id })
    await here.job(String(job_id))
    return { site_id, backup_id }
  }
  const aFinding = async (site_id: string, check: 'xmlrpc' | 'readme_exposed' = 'xmlrpc') => {
    const observation = { workspaceId: here.workspaceId, siteId: site_id, source: 'outside' as const, at: here.world.now() }
    await recordFindings(here.world.db, observation, [finding(check, { evidence: [] })])
    const { rows } = await sql<{ id: string }>`SELECT id FROM findings WHERE (site_id, "check") = (${site_id}, ${check})`.execute(
      here.world.db,
    )
    return { site_id, finding_id: rows[0]?.id }
  }
  const aBrokenLink = async (site_id: string) => ({ site_id, link_id: await aLink(here, site_id) })
  const aChannel = async () => {
    const { id } = await here.call('notifications.add_channel', { name: 'Hook', type: 'slack', url: 'http://127.0.0.1:9/' })
    return { channel_id: id }
  }
  const aPhpError = async (site_id: string) => ({ site_id, error_id: await anError(here, site_id, here.workspaceId) })
  // Like an id, so that two answers differ in nothing else.
  const aName = () => newId('client', here.world.now())
  const aClient = async () => String((await here.call('clients.create', { name: aName() })).id)
  const aDraft = async () => ({ report_id: (await here.call('reports.draft', { client_id: await aClient() })).id })
  const later = (hours: number) => new Date(here.world.now().getTime() + hours * 3_600_000).toISOString()
  const restored = async (site_id: string) => {
    const { job_id } = await here.call('restores.create', { ...(await backup(site_id)), safety_backup: false })
    assert.equal((await here.job(String(job_id))).status, 'completed')
    return { site_id }
  }
  const aWaitingJob = async (site_id: string) => {
    const job_id = newId('job', here.world.now())
    await sql`INSERT INTO jobs (workspace_id, id, type, site_id, status, requested_by, input, created_at)
      VALUES (${here.workspaceId}, ${job_id}, 'backup', ${site_id}, 'queued', '{"type":"user","id":"user_1","name":"x"}', '{}', now())`.execute(
      here.world.db,
    )
    return { job_id }
  }
  const aRollout = async (site_id: string) => {
    const rollout_id = newId('rollout', here.world.now())
    const input = JSON.stringify({ first_wave: 1, wave_size: 1, stop_above_percent: 100 })
    // Its first wave waits for a job that nobody does, so that nothing moves on by itself.
    const { job_id } = await aWaitingJob(site_id)
    await sql`INSERT INTO rollouts (workspace_id, id, kind, status, input, wave, waves, requested_by, created_at)
      VALUES (${here.workspaceId}, ${rollout_id}, 'update', 'running', ${input}::jsonb, 1, 1, '{"type":"user","id":"user_1","name":"x"}', now())`.execute(
      here.world.db,
    )
    await sql`INSERT INTO rollout_sites (workspace_id, rollout_id, site_id, wave, place, status, job_id)
      VALUES (${here.workspaceId}, ${rollout_id}, ${site_id}, 1, 0, 'running', ${job_id})`.execute(here.world.db)
    return { rollout_id }
  }

  return {
    'sites.set': (site_id) => ({ site_id, tags: ['shop'], client: 'Ann' }),
    'jobs.cancel': aWaitingJob,
    'security.check': (site_id) => ({ site_id }),
    'security.ignore': async (site_id) => ({ ...(await aFinding(site_id)), reason: 'It is meant.' }),
    'security.unignore': async (site_id) => {
      const found = await aFinding(site_id, 'readme_exposed')
      await here.call('security.ignore', { ...found, reason: 'It is meant.' })
      return found
    },
    'backups.verify': backup,
    'schedules.set_default': () => ({ enabled: true, type: 'db' }),
    'schedules.set': (site_id) => ({ site_id, enabled: true, type: 'full' }),
    'restores.create': async (site_id) => ({ ...(await backup(site_id)), type: 'files', safety_backup: false }),
    'restores.undo': restored,
    'updates.apply': (site_id) => ({ site_id }),
    'rollouts.start': (site_id) => ({ site_ids: [site_id], first_wave: 1 }),
    'backups.create': (site_id) => ({ site_ids: [site_id], type: 'db' }),
    'tweaks.apply': (site_id) => ({ site_id, tweak_ids: ['xmlrpc_off'], action: 'apply' }),
    'rollouts.cancel': aRollout,
    'updates.set_rule': (site_id) => ({ site_id, type: 'plugin', slug: 'meadow', allow: 'patch', delay_days: 7 }),
    'updates.remove_rule': async () => {
      const { id } = await here.call('updates.set_rule', { type: 'plugin', slug: 'brook', allow: 'minor' })
      return { update_rule_id: id }
    },
    'updates.add_window': () => ({ at: '02:00', weekday: 2, tag: 'nightly' }),
    'updates.remove_window': async () => {
      const { id } = await here.call('updates.add_window', { at: '04:00', tag: 'nightly' })
      return { window_id: id }
    },
    'rollouts.continue': async (site_id) => {
      const { rollout_id } = await aRollout(site_id)
      await sql`UPDATE rollouts SET waves = 2, asks_wave = 2, waits_for = 'apr_none' WHERE id = ${rollout_id}`.execute(here.world.db)
      // Its first wave is over, so that nothing moves on by itself.
      await sql`WITH done AS (UPDATE rollout_sites r SET status = 'updated', job_id = NULL FROM rollout_sites o
          WHERE (r.rollout_id, r.site_id) = (o.rollout_id, o.site_id) AND r.rollout_id = ${rollout_id} RETURNING o.job_id)
        DELETE FROM jobs WHERE id IN (SELECT job_id FROM done)`.execute(here.world.db)
      return { rollout_id, wave: 2 }
    },
    'uptime.set_default': () => ({ enabled: true, interval_s: 300 }),
    'uptime.set': (site_id) => ({ site_id, enabled: true, interval_s: 120 }),
    'uptime.maintain_all': () => ({ starts_at: later(1), ends_at: later(2), reason: 'Moving.' }),
    'uptime.maintain': (site_id) => ({ site_id, starts_at: later(1), ends_at: later(2), reason: 'Moving.' }),
    'uptime.end_maintenance': async (site_id) => {
      const { id } = await here.call('uptime.maintain', { site_id, starts_at: later(0), ends_at: later(2), reason: 'Moving.' })
      return { window_id: id }
    },
    'links.scan': (site_id) => ({ site_id, max_pages: 10 }),
    'links.ignore': async (site_id) => ({ ...(await aBrokenLink(site_id)), reason: 'It is meant.' }),
    'links.unignore': async (site_id) => {
      const found = await aBrokenLink(site_id)
      await here.call('links.ignore', { ...found, reason: 'It is meant.' })
      return found
    },
    'errors.collect': (site_id) => ({ site_id }),
    'errors.resolve': aPhpError,
    'errors.mute': async (site_id) => ({ ...(await aPhpError(site_id)), reason: 'The vendor knows.' }),
    'errors.reopen': async (site_id) => {
      const muted = await aPhpError(site_id)
      await here.call('errors.mute', { ...muted, reason: 'The vendor knows.' })
      return muted
    },
    'performance.measure': (site_id) => ({ site_id }),
    'notifications.add_channel': () => ({ name: 'On call', type: 'webhook', url: 'https://hooks.example.com/fleet-secret-path' }),
    'notifications.test': aChannel,
    'notifications.remove_channel': aChannel,
    'notifications.add_rule': async (site_id) => ({ ...(await aChannel()), kinds: ['site_down'], site_id }),
    'notifications.remove_rule': async () => {
      const { id } = await here.call('notifications.add_rule', { ...(await aChannel()), kinds: ['site_down'] })
      return { rule_id: id }
    },
    'notifications.retry': async () => {
      const { channel_id } = await aChannel()
      const delivery_id = newId('delivery', here.world.now())
      await sql`INSERT INTO deliveries (workspace_id, id, channel_id, status, notice_ids, due_at, created_at)
        VALUES (${here.workspaceId}, ${delivery_id}, ${channel_id}, 'dead', '{}', now(), now())`.execute(here.world.db)
      return { delivery_id }
    },
    'clients.create': () => ({ name: aName() }),
    'clients.set': async () => ({ client_id: await aClient(), colour: '#0b5fb0', language: 'de' }),
    'reports.publish': aDraft,
    'reports.discard': aDraft,
    'reports.link': async () => {
      const { report_id } = await aDraft()
      await here.call('reports.publish', { report_id })
      return { report_id, days: 3 }
    },
    'reports.send': async () => {
      const { report_id } = await aDraft()
      await here.call('reports.publish', { report_id })
      return { report_id, to: ['ann@example.com'] }
    },
    'reports.test_mail': async () => ({ ...(await aDraft()), to: 'me@example.com' }),
    'reports.revoke_link': async () => {
      const { report_id } = await aDraft()
      await here.call('reports.publish', { report_id })
      const { id } = await here.call('reports.link', { report_id })
      return { report_id, report_link_id: id }
    },
    'login.create': (site_id) => ({ site_id }),
  }
}

/** Until no job is under way. */
export async function quiet(here: TestWorld): Promise<void> {
  for (let open = 1; open > 0; ) {
    const { rows } = await sql<{
      id: string
    }>`SELECT id FROM jobs WHERE status IN ('queued', 'running') AND workspace_id = ${here.workspaceId}
      AND EXISTS (SELECT 1 FROM pgboss.job WHERE data->>'jobId' = jobs.id)`.execute(here.world.db)
    for (const { id } of rows) await here.job(id)
    open = rows.length
  }
}
