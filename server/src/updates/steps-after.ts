import { lastSoundBefore } from '../backups/store.ts'
import type { DoneJob, NextStep } from '../kernel/job.ts'
import type { Here } from '../world.ts'
import type { ItemResult, UpdateResult } from './schema.ts'

const held: Partial<Record<ItemResult['type'], string>> = { plugin: 'plugin', theme: 'theme' }

/** An update is undone by what a backup from before it holds; what went wrong is in the errors that the site met. */
export async function stepsAfter(here: Here, { siteId, createdAt, result: { items } }: DoneJob<UpdateResult>): Promise<NextStep[]> {
  const steps: NextStep[] = []
  if (items.some(({ status }) => status === 'failed' || status === 'rolled_back'))
    steps.push({ why: 'See the PHP errors that the site met.', tool: 'get_errors', input: { site_id: siteId } })
  const include = items.flatMap(({ type, slug, status }) => (status === 'updated' && held[type] ? [`${held[type]}:${slug}`] : []))
  const backup = include.length > 0 ? await lastSoundBefore(here, siteId, createdAt) : undefined
  if (backup)
    steps.push({
      why: 'Undo it: back to the versions before, from the last backup of the files.',
      ...{ tool: 'restore_backup', input: { site_id: siteId, backup_id: backup.id, include } },
    })
  return steps
}
