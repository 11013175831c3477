import { z } from 'zod'
import { lowerEnd, type Range, upperEnd } from './ranges.ts'
import {
  type Affected,
  cveOf,
  type FeedRecord,
  linksOf,
  type Notice,
  recordOf,
  scoreOf,
  severityOf,
  slugOf,
  timeOf,
  words,
} from './record.ts'

// Wordfence Intelligence v3, production and scanner: an object of records by id. What is not read here is not looked at.
const VersionText = z.string().min(1).max(64)
const AffectedVersions = z.object({
  from_version: VersionText,
  from_inclusive: z.boolean(),
  to_version: VersionText,
  to_inclusive: z.boolean(),
})
const Software = z.object({
  type: z.string(),
  slug: z.string().min(1).max(200),
  // PHP writes an empty object as a list.
  affected_versions: z.union([z.record(z.string(), AffectedVersions), z.array(AffectedVersions)]),
  patched: z.boolean().catch(false),
  patched_versions: z.array(VersionText).catch([]),
})
const Party = z.object({ notice: z.string(), license: z.string(), license_url: z.string().catch('') })
const Entry = z.object({
  id: z.string().min(1).max(100),
  title: z.string(),
  description: z.string().catch(''),
  software: z.array(Software),
  informational: z.boolean().catch(false),
  references: z.array(z.string()).catch([]),
  cvss: z.object({ score: z.unknown() }).nullable().catch(null),
  cve: z.string().nullable().catch(null),
  published: z.string().nullable().catch(null),
  copyrights: z.record(z.string(), z.unknown()).catch({}),
})

export const isWordfence = (value: unknown) => typeof value === 'object' && value !== null && 'software' in value

/** Undefined: not as the format has it. */
export function readWordfence(value: unknown): FeedRecord | undefined {
  const { data: entry } = Entry.safeParse(value)
  if (!entry) return undefined
  const { informational } = entry
  const cvss = scoreOf(entry.cvss?.score)
  const about = {
    title: words(entry.title, 300),
    description: words(entry.description, 2000),
    cve: cveOf(entry.cve),
    cvss,
    severity: severityOf(cvss, informational),
    informational,
    references: linksOf(entry.references),
    published: timeOf(entry.published),
  }
  return recordOf(entry.id, about, entry.software.flatMap(affectedOf), Object.values(entry.copyrights).flatMap(noticeOf))
}

function affectedOf({ type, slug, affected_versions, patched, patched_versions }: z.infer<typeof Software>): Affected[] {
  if (type !== 'core' && type !== 'plugin' && type !== 'theme') return []
  return [
    { type, slug: slugOf(type, slug), ranges: Object.values(affected_versions).map(rangeOf), patched: patched ? patched_versions : [] },
  ]
}

function rangeOf({ from_version, from_inclusive, to_version, to_inclusive }: z.infer<typeof AffectedVersions>): Range {
  const end = (version: string) => (version === '*' ? null : version)
  return [end(from_version), end(to_version), (from_inclusive ? lowerEnd : 0) | (to_inclusive ? upperEnd : 0)]
}

function noticeOf(value: unknown): Notice[] {
  const { data } = Party.safeParse(value)
  if (!data) return []
  const [license_url = ''] = linksOf([data.license_url])
  return [{ notice: words(data.notice, 300), license: words(data.license, 3000), license_url }]
}
