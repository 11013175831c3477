// One number for how things stand, and where each point of it went.

import type { Site } from '../sites/schema.ts'
import { type Severity, severities } from '../vulnerabilities/schema.ts'
import type { Context } from '../world.ts'
import { checks } from './checks.ts'
import type { Score } from './schema.ts'
import { countFindings, weighFindings } from './store.ts'
import { openFindingsOf } from './summary.ts'
import { weights } from './weights.ts'

export type Counts = Record<Severity, number>

const titles = new Map(checks.map(({ id, title }) => [id, title]))
const hundredths = (points: number) => Math.round(points * 100) / 100

interface Sum {
  score: number | null
  /** Sites that have a score: what every site can be looked at for was looked at. */
  sites: number
  /** null: nobody has looked at any. */
  counts: Counts | null
}

/** The fleet's score is the mean of the sites that have one. All of it is in memory. */
export async function readSum(context: Context, site: Site | undefined): Promise<Sum> {
  const looked = await lookedAt(context, site)
  if (looked.length === 0) return { score: null, sites: 0, counts: null }
  const counts = Object.fromEntries(severities.map((severity) => [severity, looked.reduce((sum, each) => sum + each.counts[severity], 0)]))
  const scores = looked.flatMap(({ score }) => score ?? [])
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  return { score: scores.length === 0 ? null : Math.round(mean), sites: scores.length, counts: counts as Counts }
}

/** A site begins with 100 and never has less than 0. Points as in `weighFindings`; of the fleet, divided by the number of its sites. */
export async function readScore(context: Context, site: Site | undefined): Promise<Score> {
  const looked = await lookedAt(context, site)
  const scored = looked.filter(({ score }) => score !== null)
  const [sum, weights, ignored] = await Promise.all([
    readSum(context, site),
    weighFindings(context, site?.id, { but: looked.flatMap(({ id, score }) => (score === null ? id : [])) }),
    countFindings(context, { siteId: site?.id, status: 'ignored' }),
  ])
  const each = (points: number) => hundredths(points / Math.max(1, sum.sites))
  const forgiven = scored.reduce((total, { counts }) => total + Math.max(0, lost(counts) - 100), 0)
  const deductions = weights
    .filter(({ points }) => points > 0)
    .map((weight) => ({ ...weight, title: titles.get(weight.check) ?? weight.check, points: each(weight.points) }))
  const ofScore = sum.score === null ? { deductions: null, forgiven: null } : { deductions, forgiven: each(forgiven) }
  return { ...sum, ...ofScore, ignored: looked.length === 0 ? null : ignored }
}

const lost = (counts: Counts) => severities.reduce((sum, severity) => sum + counts[severity] * weights[severity].points, 0)

async function lookedAt({ fleet, workspaceId }: Context, site: Site | undefined) {
  const sites = site ? [site] : await fleet.all(workspaceId)
  return sites.flatMap((site) => {
    const open = openFindingsOf(site)
    return open ? [{ id: site.id, ...open }] : []
  })
}
