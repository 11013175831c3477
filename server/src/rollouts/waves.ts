import type { SiteOutcome } from './schema.ts'

/** The wave of each of `count` sites: 1 for the first few, then one more for every `size`. */
export function wavesOf(count: number, first: number, size: number): number[] {
  return Array.from({ length: count }, (_, place) => (place < first ? 1 : 2 + Math.floor((place - first) / size)))
}

/**
 * Too many of a wave went wrong. Sites that had nothing to update say nothing about the update; those that still run
 * may yet go well, so a wave that can no longer keep within the share is broken before it has ended.
 */
export function isBroken(outcomes: readonly SiteOutcome[], stopAbovePercent: number): boolean {
  const count = (...those: SiteOutcome[]) => outcomes.filter((outcome) => those.includes(outcome)).length
  const wrong = count('failed', 'rolled_back', 'partly')
  const tried = outcomes.length - count('already_current', 'skipped', 'not_started')
  return wrong * 100 > stopAbovePercent * tried
}

/** What became of a site, by its items: the worst of them; where some were updated and others taken back, it is done in part. */
export function outcomeOf(items: readonly { status: string }[]): SiteOutcome {
  const some = (status: string) => items.some((item) => item.status === status)
  if (!some('failed') && some('rolled_back') && some('updated')) return 'partly'
  return (['failed', 'rolled_back', 'updated', 'skipped'] as const).find(some) ?? 'already_current'
}
