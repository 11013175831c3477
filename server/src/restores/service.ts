import { PackDamage } from '../backups/engine/pack-format.ts'
import { damageOf, instead, lossInWords, lossOf } from '../backups/loss.ts'
import { holdBackup } from '../backups/store.ts'
import { SiteError } from '../connector/site-error.ts'
import { startJob } from '../jobs/service.ts'
import { Problem } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import { mustBePaired, unreached } from '../sites/talk.ts'
import type { Context } from '../world.ts'
import { describe } from './describe.ts'
import { restore, undo } from './jobs.ts'
import type { RestoreInput } from './schema.ts'
import { placesOf, scopeOf } from './scope.ts'
import { lastToUndo } from './store.ts'
import { foresee, siteDoesNotTell } from './versions.ts'
import { enter, nothingToUndo, RestoreSite } from './way-in.ts'
import { planOf, restorable, sourceOf } from './whole-plan.ts'

/** The answer of a dry run. */
export async function planRestore(context: Context, site: Site, input: RestoreInput) {
  try {
    const source = await sourceOf(context, site.id, input)
    mustBePaired(site, 'nothing can be restored there')
    const asked = await RestoreSite.open(context, site, context.signal ?? new AbortController().signal)
    const { hello, starts } = await enter(context, site, asked)
    const loss = await lossOf(context, source.id, scopeOf(input.type, input.include, hello.db, placesOf(source.manifest, hello)))
    if (loss) await damageOf(context, input.backup_id, new PackDamage('seen while a restore was planned'))
    const whole = await planOf(asked, hello, source, input)
    const installed = starts ? await installedOn(asked) : undefined
    const foreseen = installed ? await foresee(whole, source, { hello, installed }) : siteDoesNotTell
    const plan = describe(whole, { hello, source, input, loss, foreseen })
    return { status: 'planned' as const, job_id: null, poll_after_s: null, next: null, dry_run: true, plan }
  } catch (error) {
    throw await unreached(context, site, await damageOf(context, input.backup_id, error))
  }
}

/** Undefined where WordPress does not start to its end, though the connector answers: what is broken is what would be restored. */
async function installedOn(site: RestoreSite) {
  try {
    return (await site.once('inventory', { refresh: false })).items
  } catch (error) {
    if (error instanceof SiteError) return undefined
    throw error
  }
}

export async function startRestore(context: Context, site: Site, input: RestoreInput) {
  await holdBackup(context, input.backup_id)
  const backup = await restorable(context, site.id, input)
  // Of parts, and of a part that is whole, nobody knows before it is looked at.
  if (backup.verification === 'damaged' && !input.include && input.type === backup.type)
    throw new Problem(
      'damaged',
      `This backup is damaged: ${backup.lost ? lossInWords({ ...backup.lost, lists: false }) : 'it was read back and does not fit'}. ${instead}`,
    )
  mustBePaired(site, 'nothing can be restored there')
  const started = await startJob(context, restore, site.id, input)
  return { ...started, dry_run: false, plan: null }
}

export async function startUndo(context: Context, site: Site) {
  mustBePaired(site, 'nothing can be restored there')
  const undoes = await lastToUndo(context, site.id, { restore: restore.type, undo: undo.type })
  if (undoes === undefined) throw nothingToUndo()
  return { ...(await startJob(context, undo, site.id, { undoes })), undoes }
}
