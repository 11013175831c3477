import { siteSaid } from '../connector/clean.ts'
import { startJob } from '../jobs/service.ts'
import type { Effected } from '../kernel/effects.ts'
import { Problem } from '../kernel/problem.ts'
import { openFindingsByTweak } from '../security/store.ts'
import { liveLook } from '../sites/live-look.ts'
import type { Site } from '../sites/schema.ts'
import { mustBePaired } from '../sites/talk.ts'
import type { Context } from '../world.ts'
import { tweak } from './jobs.ts'
import { whatOf } from './plan.ts'
import type { Fix, Planned, SiteTweaks, Tweak } from './schema.ts'
import { see } from './see.ts'
import { listStored, type StoredTweak, writeSeen } from './store.ts'
import { type Known, known, table } from './table.ts'

/** Every tweak with its effective state: looked at now, or within the last minute, where the site answers, else as it was seen last, marked so. */
export async function readTweaks(context: Context, site: Site, cached: boolean): Promise<SiteTweaks> {
  let trouble: Problem | undefined
  let uploads: string | undefined
  if (!cached) {
    try {
      const seen = await liveLook(context, site.id, 'tweaks', async () => {
        const { all, attacker } = await see(context, site)
        await writeSeen(context, site.id, context.now(), [...all.values()])
        return { uploads: attacker.uploads }
      })
      uploads = seen.uploads
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      trouble = error
    }
  }
  const [stored, findings] = await Promise.all([listStored(context, site.id), openFindingsByTweak(context, site.id)])
  if (stored.length === 0 && trouble) throw trouble
  const byId = new Map(stored.map((row) => [row.tweak_id, row]))
  const tweaks = table.map((tweak) => shape(tweak, byId.get(tweak.id), findings.get(tweak.id) ?? [], uploads))
  const checked_at = stored.reduce<Date | null>((last, row) => (last === null || row.checked_at > last ? row.checked_at : last), null)
  return {
    site_id: site.id,
    checked_at: checked_at?.toISOString() ?? null,
    live: !cached && !trouble,
    live_error: trouble?.message ?? null,
    site_said: trouble?.siteSaid ?? null,
    total: tweaks.length,
    tweaks,
  }
}

function shape(tweak: Known, row: StoredTweak | undefined, finding_ids: string[], uploads = '/wp-content/uploads/'): Tweak {
  const { id, name, description, category, risk, side_effects, reversible, nginx } = tweak
  const state = row?.state ?? null
  return {
    ...{ id, name, description, category, risk, side_effects, reversible, state, finding_ids },
    reason: row === undefined ? 'Nobody has looked yet.' : row.reason,
    site_said: siteSaid(row?.said ?? ''),
    already_by: row?.already_by ?? null,
    snippet: state === 'not_applicable' && nginx ? nginx.replace('{uploads}', uploads) : null,
    applied_at: row?.applied_at?.toISOString() ?? null,
    applied_by: row?.applied_by ?? null,
    verified_at: row?.verified_at?.toISOString() ?? null,
  }
}

/** Whether every session of a site ends with it. */
export const makesNewSalts = ({ tweak_ids, action }: Fix) => tweak_ids.includes('salts_rotated') && action === 'apply'

/** What it does, as policies tell it apart. */
export const effectsOfFix = (fix: Fix): Effected[] => [
  ...(makesNewSalts(fix) ? [{ effect: 'salts' as const }] : []),
  ...(fix.tweak_ids.some((id) => id !== 'salts_rotated') || !makesNewSalts(fix) ? [{ effect: 'tweaks' as const }] : []),
]

export async function startFix(context: Context, site: Site, { tweak_ids, action, again }: Fix) {
  mustBePaired(site, 'nothing can be changed there')
  context.touched.add(site.id)
  return startJob(context, tweak, site.id, { tweak_ids: [...new Set(tweak_ids)], action, again })
}

/** What it would do. `cached`: as far as was seen last. */
export async function planFix(context: Context, site: Site, { tweak_ids, action, again }: Fix, cached: boolean): Promise<Planned[]> {
  const { tweaks, checked_at } = await readTweaks(context, site, cached)
  const byId = new Map(tweaks.map((tweak) => [tweak.id, tweak]))
  return [...new Set(tweak_ids)].map((id) => {
    const { risk, side_effects } = known(id)
    const now = byId.get(id)
    return {
      ...{ site_id: site.id, tweak_id: id, state: checked_at === null ? null : (now?.state ?? null), risk, side_effects },
      ...whatOf(id, { action, again }, checked_at === null ? undefined : now),
    }
  })
}
