// One number for how things stand, and where each point of it went.
import type { Severity } from '../sites/schema.ts'
import { checks } from './checks.ts'
import type { Score } from './schema.ts'
import type { Weight } from './store.ts'

/** Points a site loses for each open finding; nobody knows how bad an unknown one is, so it counts as medium. */
export const points: Readonly<Record<Severity, number>> = { critical: 40, high: 15, medium: 5, unknown: 5, low: 1, info: 0 }

const titles = new Map(checks.map(({ id, title }) => [id, title]))

/** A site begins with 100 and never has less than 0; the fleet's score is the mean of its sites. */
export function scoreOf(weights: readonly Weight[], sites: number): Score {
  const open = weights.filter(({ status }) => status === 'open')
  const lost = new Map<string, number>()
  for (const { site_id, severity, n } of open) lost.set(site_id, (lost.get(site_id) ?? 0) + n * points[severity])
  const total = [...lost.values()].reduce((sum, points) => sum + Math.min(100, points), 0)
  return {
    score: sites === 0 ? null : Math.round(100 - total / sites),
    sites,
    deductions: deductionsOf(open, lost, sites),
    ignored: sum(weights.filter(({ status }) => status === 'ignored')),
    counts: Object.fromEntries(
      (['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const).map((severity) => [
        severity,
        sum(open.filter((each) => each.severity === severity)),
      ]),
    ) as Record<Severity, number>,
  }
}

const sum = (weights: readonly Weight[]) => weights.reduce((total, { n }) => total + n, 0)

/** By check and severity. A site that has lost more than it had gives each finding its share, so that the parts make the whole. */
function deductionsOf(open: readonly Weight[], lost: ReadonlyMap<string, number>, sites: number): Score['deductions'] {
  const parts = new Map<string, Score['deductions'][number]>()
  for (const { site_id, check, severity, n } of open) {
    const key = `${check} ${severity}`
    const part = parts.get(key) ?? { check, title: titles.get(check) ?? check, severity, findings: 0, points: 0 }
    const share = Math.min(1, 100 / Math.max(1, lost.get(site_id) ?? 0))
    part.findings += n
    part.points += (n * points[severity] * share) / Math.max(1, sites)
    parts.set(key, part)
  }
  return [...parts.values()]
    .filter((part) => part.points > 0)
    .map((part) => ({ ...part, points: Math.round(part.points * 100) / 100 }))
    .sort((a, b) => b.points - a.points)
}
