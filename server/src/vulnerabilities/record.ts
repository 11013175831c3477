import { clean } from '../connector/clean.ts'
import type { Range } from './ranges.ts'
import type { Severity } from './schema.ts'

export type SoftwareType = 'core' | 'plugin' | 'theme'

/** One entry of a feed in our own words, whatever the feed's format. */
export interface FeedRecord {
  id: string
  about: About
  affected: Affected[]
  notices: Notice[]
}

export interface About {
  title: string
  description: string
  cve: string | null
  cvss: number | null
  severity: Severity
  informational: boolean
  references: string[]
  published: string | null
}

export interface Affected {
  type: SoftwareType
  slug: string
  ranges: Range[]
  patched: string[]
}

/** Who has rights in a record, and what has to be said where it is shown. */
export interface Notice {
  notice: string
  license: string
  license_url: string
}

const mostReferences = 10
const mostRanges = 2000
const mostSoftware = 20_000

/** CVSS v3.1 §5; nobody's guess where there is no score. */
export function severityOf(score: number | null, informational: boolean): Severity {
  if (informational) return 'info'
  if (score === null) return 'unknown'
  if (score >= 9) return 'critical'
  if (score >= 7) return 'high'
  if (score >= 4) return 'medium'
  return score > 0 ? 'low' : 'info'
}

/** How a feed and a site agree on what is meant: WordPress has one name, and folders are not always written as the feed has them. */
export const slugOf = (type: SoftwareType, slug: string) => (type === 'core' ? 'wordpress' : slug.toLowerCase())

/** Where a feed lists the versions of WordPress one by one, each is a thing of its own. */
export const exactSlug = (version: string) => `wordpress@${version}`

/** Undefined where there is more of it than any record has. */
export function recordOf(id: string, about: About, affected: Affected[], notices: Notice[] = []): FeedRecord | undefined {
  if (affected.length > mostSoftware || affected.some(({ ranges, patched }) => ranges.length > mostRanges || patched.length > mostRanges))
    return undefined
  return { id, about, affected: onePerName(affected), notices }
}

function onePerName(affected: Affected[]): Affected[] {
  const found = new Map<string, Affected>()
  for (const each of affected) {
    const name = `${each.type} ${each.slug}`
    const before = found.get(name)
    if (!before) found.set(name, each)
    else found.set(name, { ...each, ranges: [...before.ranges, ...each.ranges], patched: [...before.patched, ...each.patched] })
  }
  return [...found.values()]
}

/** Text of a feed is as foreign as that of a site. */
export const words = (text: string, max: number) => clean(text, max)

/** https only. */
export function linksOf(links: readonly string[]): string[] {
  const good = links.filter((link) => link.length <= 500 && /^https:\/\/[\x21-\x7e]+$/.test(link) && URL.canParse(link))
  return [...new Set(good)].slice(0, mostReferences)
}

export function cveOf(text: string | null | undefined): string | null {
  const [, number] = /^(?:CVE-)?(\d{4}-\d{4,10})$/i.exec(text ?? '') ?? []
  return number === undefined ? null : `CVE-${number}`
}

/** Scores come as numbers and as text. */
export function scoreOf(score: unknown): number | null {
  const value = typeof score === 'string' && score.trim() !== '' ? Number(score) : score
  return typeof value === 'number' && value >= 0 && value <= 10 ? value : null
}

/** `2024-02-23 00:00:00`, which is UTC, and RFC 3339. */
export function timeOf(text: string | null | undefined): string | null {
  const [, day, hour = '00:00:00', zone] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text ?? '') ?? []
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${hour}${zone ?? 'Z'}`)
  return Number.isNaN(ms) ? null : dateText(ms)
}

const dateText = (ms: number) => new Date(ms).toISOString()
