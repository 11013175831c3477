// How the work of one site of a rollout begins, by what the rollout is of.
import { startBackup } from '../backups/service.ts'
import { lastInventories } from '../inventory/service.ts'
import { Problem } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import { Fix } from '../tweaks/schema.ts'
import { startFix } from '../tweaks/service.ts'
import { startUpdate } from '../updates/service.ts'
import type { Context } from '../world.ts'
import { noneThere, selectionOf, selectionThere } from './plan.ts'
import type { Kind, Wanted } from './schema.ts'

/** Throws a Problem for a site that is passed over. */
export type Start = (site: Site) => Promise<{ job_id: string }>

export async function startsOf(context: Context, kind: Kind, wanted: Wanted, siteIds: string[]): Promise<Start> {
  if (kind === 'backup') return (site) => startBackup(context, site, wanted.type ?? 'full')
  if (kind === 'tweak') {
    const { tweak_ids, action, again } = wanted
    return (site) => startFix(context, site, Fix.parse({ tweak_ids, action, again }))
  }
  const known = await lastInventories(context, siteIds)
  return async (site) => {
    const there = selectionThere(selectionOf(wanted), known.get(site.id))
    if (!there) throw new Problem('conflict', noneThere)
    return startUpdate(context, site, there)
  }
}
