// The tables that changed since a backup come back from it, as a part of a job of another kind.
import { blobReader } from '../backups/blobs.ts'
import { readManifest, readTables } from '../backups/engine/manifest.ts'
import { backUpWithin } from '../backups/within.ts'
import { listTables } from '../connector/call.ts'
import { type Running, within } from '../kernel/job.ts'
import { targetOf } from '../sites/talk.ts'
import type { Here } from '../world.ts'
import { restore, undo } from './jobs.ts'
import type { RestoreInput } from './schema.ts'
import { enter, RestoreSite } from './way-in.ts'
import { restorable } from './whole-plan.ts'

/** `now`: the backup of the state they were found in. */
export interface Changed {
  tables: string[]
  now: string
}

/**
 * The names, as the site gives them, of tables that are others than in a backup; those that the database says nobody has written to
 * since `sinceMs` are left out. Whatever state WordPress is in. The state now is backed up.
 */
export async function changedTablesWithin(
  here: Here,
  job: Running,
  { step, backup_id, sinceMs }: { step: string; backup_id: string; sinceMs: number },
): Promise<Changed> {
  const known = (await job.stateOf(step)) as Changed | undefined
  if (known) return known
  const target = await targetOf(here, job.siteId)
  const site = await RestoreSite.open(here, target, job.signal)
  const { hello, starts } = await enter(here, target, site)
  const before = await untouched(here, site, sinceMs)
  const { backup_id: now } = await backUpWithin(here, job, {
    ...{ site_id: target.id, type: 'db', trigger: 'pre_restore', step: `${step} now`, phase: 'safety backup' },
    ...(starts ? {} : { way: site.connection }),
  })
  const own = `${hello.db.prefix}svc_connector`
  const tables = await changedTables(here, target.id, backup_id, now)
  const found = { tables: tables.filter((name) => name !== own && !before.has(name)), now }
  await job.saveState(step, found)
  return found
}

/** A second is the smallest step of the database's clock, and a request may have begun before what it wrote was noted. */
const slackS = 5

/** Of what the database does not know when it was written to last it may have been just now. */
async function untouched(here: Here, site: RestoreSite, sinceMs: number): Promise<ReadonlySet<string>> {
  const { tables } = await listTables((params) => site.ask('db.tables', params))
  const seconds = (here.now().getTime() - sinceMs) / 1000 + slackS
  const old = tables.filter(({ written_s }) => (written_s ?? 0) > seconds)
  return new Set(old.map(({ name }) => name))
}

/** They come back; a later attempt goes on where this one was. */
export async function restoreTablesWithin(
  here: Here,
  job: Running,
  { step, backup_id, tables }: { step: string; backup_id: string; tables: readonly string[] },
): Promise<void> {
  const include = tables.map((name) => `table:${name}`)
  const input: RestoreInput = { backup_id, type: 'db', include, safety_backup: false }
  await restore.work(here, within(job, step, 'tables from the backup'), { ...input })
}

/** Back to the state before that restore. */
export async function undoTablesWithin(here: Here, job: Running, step: string): Promise<void> {
  await undo.work(here, within(job, `${step} undone`, 'tables as they were'), {})
}

/** Tables of one backup whose definition or rows are others in a later one, or are not there. */
async function changedTables(here: Here, siteId: string, before: string, after: string): Promise<string[]> {
  const [old, now] = [await tablesOf(here, siteId, before), await tablesOf(here, siteId, after)]
  return [...old].flatMap(([name, content]) => (now.get(name) === content ? [] : [name]))
}

async function tablesOf(here: Here, siteId: string, backup_id: string): Promise<ReadonlyMap<string, string>> {
  const { manifest } = await restorable(here, siteId, { backup_id, type: 'db' })
  const read = await blobReader(here, here.workspaceId)
  const tables = new Map<string, string>()
  for await (const { name, kind, create, ranges, triggers } of readTables(await readManifest(manifest, read), read))
    if (kind === 'table') {
      const rows = ranges.map(({ after, until, offset, blobs }) => [after, until, offset, blobs])
      tables.set(name, `${tables.get(name) ?? ''}${JSON.stringify([create, rows, triggers])}`)
    }
  return tables
}
