// A site that is not as it was although its files and vital options are: what changed in its database comes back from the backup before.
import type { Backup } from '../backups/schema.ts'
import { findBackup } from '../backups/store.ts'
import { counted, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { restoreTablesWithin, undoTablesWithin } from '../restores/within.ts'
import type { Here } from '../world.ts'
import type { Begun, Ended, Item } from './item.ts'
import { judge } from './judge.ts'

/** Of an older backup the rows of so long a time would be lost; then a person decides. */
const recentMs = 3_600_000
const step = 'tables'

/** Once in a job. When that does not heal the site, its tables are as they were again. */
export async function heal(of: Item, job: Running, ended: Ended, backup_id: string | null): Promise<Ended> {
  const { begun, here, item } = of
  if (!begun || ended.after?.ok !== false || backup_id === null) return ended
  const backup = await findBackup(here, job.siteId ?? '', backup_id)
  if (!backup || backup.type === 'files') return ended
  if (!isRecent(backup, begun))
    return more(
      ended,
      'The backup before it is older than an hour, so nothing of the database was put back by itself: restore_backup does.',
    )
  const first = (await job.stateOf('healing')) as { file: string } | undefined
  if (first && first.file !== item.file) return ended
  await job.saveState('healing', { file: item.file })
  try {
    const { tables, restored, now } = await restoreTablesWithin(here, job, { step, backup_id })
    const changed = counted(tables.length, 'table')
    if (!restored) return more(ended, `Since the backup before it ${changed} changed; nothing of the database was put back.`)
    // After the update the site keeps no note of it: what visitors see, and wp-admin, decide.
    const standard = { ...begun.standard, version: null, active: false, events: 0 }
    const after = await judge(here, of.site, standard, { signal: job.signal })
    if (after.ok)
      return {
        status: 'rolled_back',
        reason: `${ended.cause ?? ended.reason} ${healedBy(changed, backup_id, now)}`,
        site_said: ended.site_said,
        after,
      }
    return more(ended, `Putting ${changed} back from the backup before it did not heal it either; ${await undone(here, job, now)}`)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return more(ended, `Its tables could not be put back from the backup before it: ${error.message}`)
  }
}

async function undone(here: Here, job: Running, now: string): Promise<string> {
  try {
    await undoTablesWithin(here, job, step)
    return 'they are as they were again.'
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return `they could not be put back to what they were before that, which is in ${now}: ${error.message}`
  }
}

const healedBy = (changed: string, backup: string, now: string) =>
  `That the files and settings are as before did not heal the site, so ${changed} that had changed came back from ${backup}; what they held until then is in ${now}.`

const isRecent = ({ created_at }: Backup, { startedMs }: Begun) => startedMs - Date.parse(String(created_at)) <= recentMs

const more = (ended: Ended, words: string): Ended => ({ ...ended, reason: `${ended.reason} ${words}` })
