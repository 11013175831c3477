// What tweaks would come to on many sites, as far as was seen last.
import type { Site } from '../sites/schema.ts'
import type { Fix, Planned } from '../tweaks/schema.ts'
import { planFix } from '../tweaks/service.ts'
import type { Context } from '../world.ts'
import { whyLeftOut } from './plan.ts'
import type { FixWould } from './schema.ts'

export async function planFixes(context: Context, sites: readonly Site[], fix: Fix): Promise<{ would: FixWould[]; plan: Planned[] }> {
  const looked = await Promise.all(sites.map((site) => planFix(context, site, fix, true)))
  const reasons = sites.map(({ status }) => whyLeftOut(status))
  return {
    would: wouldOf(looked.filter((_, at) => reasons[at] === null).flat()),
    plan: looked.flatMap((items, at) => items.map((item) => leftOut(item, reasons[at] ?? null))),
  }
}

const leftOut = (item: Planned, reason: string | null): Planned =>
  reason === null ? item : { ...item, will: 'nothing', reason, site_said: null }

function wouldOf(items: readonly Planned[]): FixWould[] {
  const kinds = Map.groupBy(items, ({ tweak_id, will }) => `${tweak_id} ${will}`)
  return [...kinds.values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const { tweak_id, will, risk, side_effects } = first
    return { tweak_id, will, sites: same.length, never_looked: same.filter(({ state }) => state === null).length, risk, side_effects }
  })
}
