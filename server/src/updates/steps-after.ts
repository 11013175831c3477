import { lastSoundBefore } from '../backups/store.ts'
import type { DoneJob, NextStep } from '../kernel/job.ts'
import { updatePolicyOf } from '../schedules/pre-update.ts'
import type { Here } from '../world.ts'
import type { ItemResult, UpdateResult } from './schema.ts'

/** The part of a backup that holds an item; of WordPress itself there is none. */
function partOf({ type, slug }: ItemResult): string[] {
  if (type === 'translations') return ['folder:wp-content/languages']
  return type === 'core' ? [] : [`${type}:${slug}`]
}

/** An update is undone by what a backup from before it holds, and where there is none, that is said with what helps the next time; what went wrong is in the errors that the site met. */
export async function stepsAfter(here: Here, { siteId, createdAt, result }: DoneJob<UpdateResult>): Promise<NextStep[]> {
  const { items, backup_id: own } = result
  const steps: NextStep[] = []
  if (items.some(({ status }) => status === 'failed' || status === 'rolled_back'))
    steps.push({ why: 'See the PHP errors that the site met.', tool: 'get_errors', input: { site_id: siteId } })
  const updated = items.filter(({ status }) => status === 'updated')
  const lacking: string[] = []
  const restore = async (why: string, lack: string, { whole, ...parts }: { whole: boolean; include?: string[] }) => {
    const backup = await lastSoundBefore(here, siteId, { before: createdAt, whole, own })
    if (backup) steps.push({ why, tool: 'restore_backup', input: { site_id: siteId, backup_id: backup.id, ...parts } })
    else lacking.push(lack)
  }
  const include = updated.flatMap(partOf)
  if (include.length > 0)
    await restore(
      'Undo it: back to the versions before, from the last backup of the files.',
      'It cannot be undone: no sound backup from before it holds the files.',
      { whole: false, include },
    )
  if (updated.some(({ type }) => type === 'core'))
    await restore(
      'Undo WordPress: the whole site as it was in the last full backup; what changed since is lost.',
      'WordPress cannot be undone: there is no sound full backup from before it.',
      { whole: true },
    )
  return lacking.length > 0 ? [...steps, await nextTime(here, siteId, lacking.join(' '))] : steps
}

/** What there is to do where nothing undoes it: it is the next update that can be undone. */
async function nextTime(here: Here, siteId: string, lacks: string): Promise<NextStep> {
  const { pre_update } = (await updatePolicyOf(here, siteId)).policy
  if (pre_update === 'full') return { why: `${lacks} See which backups there are.`, tool: 'list_backups', input: { site_id: siteId } }
  const why = `${lacks} For the next time: have the whole site backed up before each update.`
  return { why, tool: 'set_schedule', input: { site_id: siteId, pre_update: 'full' } }
}
