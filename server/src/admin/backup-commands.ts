import type { Backup } from '../backups/schema.ts'
import { verifyById } from '../backups/service.ts'
import { findStoredBackup, type StoredBackup } from '../backups/store.ts'
import { Problem } from '../kernel/problem.ts'
import { keptFields, type WorkspaceSchedule } from '../schedules/schema.ts'
import { getWorkspace } from '../workspaces/service.ts'
import type { World } from '../world.ts'
import type { Command } from './command.ts'
import { listed } from './layout.ts'
import { asOperator } from './world.ts'

const text = { type: 'string' } as const

/** What an operator decides about backups, and no token can. */
export const backupCommands: Command[] = [
  {
    name: 'backup list',
    usage: 'backup list SITE --workspace W',
    summary:
      'the backups of a site, newest first: when each was made, type, status, bytes, what is known of it, id; in a pipe a line each, which begins with the id',
    options: { workspace: { type: 'string', required: true } },
    words: 1,
    shows: 'backups.list',
    async run(world, { workspace }, [site = ''], dialogue) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const { backups } = (await asOperator(world, id, 'backups.list', { site_id: site })) as { backups: Backup[] }
      return { json: backups, text: backups.map((backup) => backupText(backup, dialogue?.width)).join('\n') || 'No backups yet.' }
    },
  },
  {
    name: 'backup verify',
    usage: 'backup verify ID',
    summary: 'read a whole backup back from the store and check every byte of it; fails when something is damaged',
    options: {},
    words: 1,
    async run(world, _options, [id = '']) {
      const found = await verifyById(world, id)
      const head = `${id}: ${found.files} files and ${found.tables} tables, ${found.bytes} bytes, `
      const text = found.ok ? `${head}all as they were backed up.` : `${head}with damage:\n${found.damage.join('\n')}`
      return { json: found, text, failed: !found.ok }
    },
  },
  {
    name: 'backup accept',
    usage: 'backup accept ID',
    summary: 'say that a suspect backup is right: its site did shrink; old backups are then deleted in their time again',
    options: {},
    words: 1,
    async run(world, _options, [id = '']) {
      const { workspace_id, site_id } = await placeOf(world, id)
      const backup = await asOperator(world, workspace_id, 'backups.accept', { site_id, backup_id: id })
      return { json: backup, text: `${id} is accepted.` }
    },
  },
  {
    name: 'backup delete',
    usage: 'backup delete ID',
    summary: 'delete one backup for good; what others need of it stays',
    options: {},
    words: 1,
    async run(world, _options, [id = '']) {
      const { workspace_id, site_id } = await placeOf(world, id)
      const gone = await asOperator(world, workspace_id, 'backups.delete', { site_id, backup_id: id })
      return { json: gone, text: `${id} is deleted.` }
    },
  },
  {
    name: 'schedule set',
    usage:
      'schedule set --workspace W [--site SITE] [--enabled true|false] [--type full|db|files] [--at 01:30] [--keep-daily N] [--keep-weekly N] [--keep-monthly N]',
    summary: 'when sites are backed up and how many backups are kept; keeping fewer begins a day later and can be taken back until then',
    options: {
      ...{ workspace: { type: 'string', required: true }, site: text, enabled: text, type: text, at: text },
      ...{ 'keep-daily': text, 'keep-weekly': text, 'keep-monthly': text },
    },
    words: 0,
    async run(world, { workspace, site, enabled, ...options }) {
      const { id } = await getWorkspace(world, workspace ?? '')
      const input: Record<string, unknown> = Object.fromEntries(
        Object.entries(options).map(([name, value]) => [name.replace('-', '_'), numberIn(name, value)]),
      )
      if (enabled !== undefined) input.enabled = enabled === 'true' ? true : enabled === 'false' ? false : enabled
      const operation = site === undefined ? 'schedules.set_default' : 'schedules.set'
      const schedule = await asOperator(world, id, operation, { ...(site !== undefined && { site_id: site }), ...input })
      return { json: schedule, text: scheduleText(schedule as WorkspaceSchedule) }
    },
  },
]

function backupText({ id, created_at, type, status, size_bytes, verification, suspect }: Backup, width?: number): string {
  const known = [
    ...[created_at.slice(0, 16), type, status, size_bytes === null ? 'size unknown' : `${size_bytes} bytes`],
    ...(verification === null ? [] : [verification]),
    ...(suspect ? ['suspect'] : []),
  ]
  return listed(width, { piped: [id, ...known], seen: [...known, id] })
}

const numberIn = (name: string, value: string | undefined) =>
  name.startsWith('keep-') && /^\d{1,4}$/.test(value ?? '') ? Number(value) : value

function scheduleText(schedule: Pick<WorkspaceSchedule, 'enabled' | 'type' | 'at' | 'kept_before' | (typeof keptFields)[number]>): string {
  const { enabled, type, at, kept_before, ...kept } = schedule
  const numbers = keptFields.map((field) => `${field.slice('keep_'.length)} ${kept[field] ?? 'all'}`).join(', ')
  const until = kept_before ? `\nUntil ${kept_before.until} what was kept before still is.` : ''
  return `${enabled ? `Backed up once a day from ${at} UTC, ${type}.` : 'Not backed up by itself.'} Kept: ${numbers}.${until}`
}

async function placeOf({ db }: World, id: string): Promise<StoredBackup> {
  const backup = await findStoredBackup(db, id)
  if (!backup) throw new Problem('not_found', 'There is no such backup. Give its id (backup_…); list_backups shows them.')
  return backup
}
