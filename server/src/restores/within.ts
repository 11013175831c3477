// The tables that changed since a backup come back from it, as a part of a job of another kind.
import { blobReader } from '../backups/blobs.ts'
import { readManifest, readTables } from '../backups/engine/manifest.ts'
import { backUpWithin } from '../backups/within.ts'
import { type Running, within } from '../kernel/job.ts'
import { targetOf } from '../sites/talk.ts'
import type { Here } from '../world.ts'
import { restore, undo } from './jobs.ts'
import type { RestoreInput } from './schema.ts'
import { enter, RestoreSite } from './way-in.ts'
import { restorable } from './whole-plan.ts'

const most = 100

/** `tables`: their names, as the site gives them; of none, or of more than a hundred, nothing was restored. `now`: the backup of the state before. */
export interface TablesBack {
  tables: string[]
  restored: boolean
  now: string
}

/** Whatever state WordPress is in. The state before is backed up; a later attempt goes on where this one was. */
export async function restoreTablesWithin(
  here: Here,
  job: Running,
  { step, backup_id }: { step: string; backup_id: string },
): Promise<TablesBack> {
  const target = await targetOf(here, job.siteId)
  const changed = ((await job.stateOf(step)) as Omit<TablesBack, 'restored'> | undefined) ?? (await compare())
  const restored = changed.tables.length > 0 && changed.tables.length <= most
  if (restored) {
    const include = changed.tables.map((name) => `table:${name}`)
    const input: RestoreInput = { backup_id, type: 'db', include, safety_backup: false }
    await restore.work(here, within(job, step, 'tables from the backup'), { ...input })
  }
  return { ...changed, restored }

  async function compare() {
    const site = await RestoreSite.open(here, target, job.signal)
    const { hello, starts } = await enter(here, target, site)
    const { backup_id: now } = await backUpWithin(here, job, {
      ...{ site_id: target.id, type: 'db', trigger: 'pre_restore', step: `${step} now`, phase: 'safety backup' },
      ...(starts ? {} : { way: site.connection }),
    })
    const own = `${hello.db.prefix}svc_connector`
    const tables = await changedTables(here, target.id, backup_id, now)
    const found = { tables: tables.filter((name) => name !== own), now }
    await job.saveState(step, found)
    return found
  }
}

/** Back to the state before that restore. */
export async function undoTablesWithin(here: Here, job: Running, step: string): Promise<void> {
  await undo.work(here, within(job, `${step} undone`, 'tables as they were'), {})
}

/** Tables of one backup whose definition or rows are others in a later one, or are not there. */
async function changedTables(here: Here, siteId: string, before: string, after: string): Promise<string[]> {
  const [old, now] = [await tablesOf(here, siteId, before), await tablesOf(here, siteId, after)]
  return [...old].flatMap(([name, told]) => (now.get(name) === told ? [] : [name]))
}

async function tablesOf(here: Here, siteId: string, backup_id: string): Promise<ReadonlyMap<string, string>> {
  const { manifest } = await restorable(here, siteId, { backup_id, type: 'db' })
  const read = await blobReader(here, here.workspaceId)
  const told = new Map<string, string>()
  for await (const { name, kind, create, ranges, triggers } of readTables(await readManifest(manifest, read), read))
    if (kind === 'table') {
      const rows = ranges.map(({ after, until, offset, blobs }) => [after, until, offset, blobs])
      told.set(name, `${told.get(name) ?? ''}${JSON.stringify([create, rows, triggers])}`)
    }
  return told
}
