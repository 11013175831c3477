import { compareVersions, parseVersion, type Version } from '../kernel/version.ts'

/** Versions from one to another; null: no end. The number tells which ends belong to it: 1 the lower, 2 the upper, 3 both. */
export type Range = [from: string | null, to: string | null, ends: number]

export const lowerEnd = 1
export const upperEnd = 2

/** Cuts each version once; a fleet has the same ones again and again. */
export type Cut = (text: string) => Version

export function cutOnce(): Cut {
  const known = new Map<string, Version>()
  return (text) => {
    const version = known.get(text) ?? parseVersion(text)
    known.set(text, version)
    return version
  }
}

/** Whether a version lies in a range. One that nobody told lies only in a range without ends. */
export function covers([from, to, ends]: Range, version: string, cut: Cut = parseVersion): boolean {
  if (version === '') return from === null && to === null
  const installed = cut(version)
  if (from !== null && compareVersions(installed, cut(from)) < (ends & lowerEnd ? 0 : 1)) return false
  return to === null || compareVersions(installed, cut(to)) <= (ends & upperEnd ? 0 : -1)
}

/** `1.0 – 1.2.3`, `before 1.2.4`, `all versions`. */
export function rangeText([from, to, ends]: Range): string {
  const above = from === null ? '' : `${ends & lowerEnd ? 'from' : 'after'} ${from}`
  const below = to === null ? '' : `${ends & upperEnd ? 'up to' : 'before'} ${to}`
  if (from !== null && from === to) return from
  return [above, below].filter(Boolean).join(' ') || 'all versions'
}

/** The lowest version that has the fix and is not below the installed one; null: there is none. */
export function fixFor(version: string, patched: readonly string[], ranges: readonly Range[], cut: Cut = parseVersion): string | null {
  const installed = cut(version)
  let lowest: string | null = null
  for (const candidate of patched) {
    if (version !== '' && compareVersions(cut(candidate), installed) <= 0) continue
    if (lowest !== null && compareVersions(cut(candidate), cut(lowest)) >= 0) continue
    if (!ranges.some((range) => covers(range, candidate, cut))) lowest = candidate
  }
  return lowest
}
