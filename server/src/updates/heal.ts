// A site that is not as it was although its files and vital options are: what changed in its database comes back from the backup before.
import type { Backup } from '../backups/schema.ts'
import { findBackup } from '../backups/store.ts'
import { counted, type Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { changedTablesWithin, restoreTablesWithin, undoTablesWithin } from '../restores/within.ts'
import type { Here } from '../world.ts'
import { isDatabaseAway, release } from './back.ts'
import type { Begun, Ended, Item } from './begun.ts'
import { judge, lookOnce } from './judge.ts'
import type { Standard } from './look.ts'
import type { Health, ItemResult } from './schema.ts'
import { nameOf } from './words.ts'

/** Of an older backup the rows of so long a time would be lost; then a person decides. */
const recentMs = 15 * 60_000
/** More of them are no mark of one item. */
const mostTables = 100

/** `earlier`: what the job has updated since that backup. */
interface Before {
  backup_id: string | null
  earlier: readonly ItemResult[]
}

/**
 * Once in a job, and only where the site is seen to be ill still, for another reason than that it is away. When that does not heal the site, its
 * tables are as they were again.
 */
export async function heal(of: Item, job: Running, ended: Ended, { backup_id, earlier }: Before): Promise<Ended> {
  const { begun, here, item } = of
  if (!begun || ended.after?.ok !== false || backup_id === null) return ended
  const backup = await findBackup(here, job.siteId ?? '', backup_id)
  if (!backup || backup.type === 'files') return ended
  const first = (await job.stateOf('healing')) as { file: string } | undefined
  if (first && first.file !== item.file) return ended
  const step = `tables of ${item.file}`
  // After the update the site keeps no note of it: what visitors see, and wp-admin, decide.
  const standard: Standard = { ...begun.standard, version: null, active: false, events: 0, isBack: true }
  const seen = async () => {
    // What the site says of itself no page shows.
    if (first || (ended.unmended ?? '') !== '') return { health: null, away: isDatabaseAway(ended.unmended ?? '') }
    const once = await lookOnce(here, of.site, standard, { wide: true })
    // What is clearly ill was looked at often enough.
    return once.health.ok || once.away ? judge(here, of.site, standard, { signal: job.signal }) : once
  }
  const well = (after: Health): Ended => ({ ...ended, status: 'rolled_back', reason: ended.cause ?? ended.reason, after })
  const { health, away } = await seen()
  if (health?.ok) return well(health)
  if (away) return more(ended, 'Nothing of the database was put back by itself, because the site may only be away.')
  if (!isRecent(backup, begun))
    return more(
      ended,
      'The backup before it is older than a quarter of an hour, so nothing of the database was put back by itself: restore_backup does.',
    )
  try {
    const { tables, now } = await changedTablesWithin(here, job, { step, backup_id, sinceMs: begun.startedMs })
    const changed = counted(tables.length, 'table')
    if (tables.length === 0 || tables.length > mostTables)
      return more(ended, `Since the backup before it ${changed} changed; nothing of the database was put back.`)
    // That took its time.
    const { health, away } = await seen()
    if (health?.ok) return well(health)
    if (away)
      return more(ended, `Nothing of the database was put back by itself, because the site may only be away; as it is it is in ${now}.`)
    await job.saveState('healing', { file: item.file })
    await restoreTablesWithin(here, job, { step, backup_id, tables })
    await release(of, ended)
    const { health: after } = await judge(here, of.site, standard, { signal: job.signal })
    if (after.ok) {
      const reason = `${ended.cause ?? ended.reason} ${healedBy(changed, backup_id, now)}${andOf(earlier)}`
      return { ...ended, status: 'rolled_back', reason, after }
    }
    return more(ended, `Putting ${changed} back from the backup before it did not heal it either; ${await undone(here, job, step, now)}`)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return more(ended, `Its tables could not be put back from the backup before it: ${error.message}`)
  }
}

async function undone(here: Here, job: Running, step: string, now: string): Promise<string> {
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

/** Which of these tables an item before it has changed nobody knows. */
function andOf(earlier: readonly ItemResult[]): string {
  const names = earlier.filter(({ status }) => status === 'updated').map(nameOf)
  const [last, ...others] = names.reverse()
  if (last === undefined) return ''
  const all = others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`
  return ` With them went what ${all}, which ${names.length === 1 ? 'was' : 'were'} updated before it, had changed there since; the site was looked at again with that.`
}

const isRecent = ({ created_at }: Backup, { startedMs }: Begun) => startedMs - Date.parse(String(created_at)) <= recentMs

const more = (ended: Ended, words: string): Ended => ({ ...ended, reason: `${ended.reason} ${words}` })
