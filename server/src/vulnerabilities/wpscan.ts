import { z } from 'zod'
import { lowerEnd, type Range, upperEnd } from './ranges.ts'
import {
  type Affected,
  cveOf,
  exactSlug,
  type FeedRecord,
  linksOf,
  recordOf,
  type SoftwareType,
  scoreOf,
  severityOf,
  slugOf,
  timeOf,
  words,
} from './record.ts'

// WPScan: plugins and themes by slug, WordPress by version, each with its list of vulnerabilities.
const VersionText = z.string().min(1).max(64)
const Vulnerability = z.object({
  id: z.union([z.string().min(1).max(100), z.int().transform(String)]),
  title: z.string(),
  description: z.string().nullable().catch(null),
  fixed_in: VersionText.nullable().default(null),
  introduced_in: VersionText.nullable().default(null),
  published_date: z.string().nullable().catch(null),
  created_at: z.string().nullable().catch(null),
  references: z.record(z.string(), z.unknown()).catch({}),
  cvss: z.object({ score: z.unknown() }).nullable().catch(null),
})
const Entry = z.object({ vulnerabilities: z.array(Vulnerability) })
type Vulnerability = z.infer<typeof Vulnerability>

/** The objects of a file that has all three in one. */
export const wpscanGroups: Record<string, SoftwareType> = { wordpresses: 'core', plugins: 'plugin', themes: 'theme' }

export const isWpscan = (value: unknown) => typeof value === 'object' && value !== null && 'vulnerabilities' in value

/** The vulnerabilities of one plugin, theme or version of WordPress; undefined: not as the format has it. */
export function readWpscan(type: SoftwareType, key: string, value: unknown): FeedRecord[] | undefined {
  const { data: entry } = Entry.safeParse(value)
  if (!entry || key === '' || key.length > 200) return undefined
  const records = entry.vulnerabilities.map((each) => recordOf(each.id, aboutOf(each), [affectedOf(type, key, each)]))
  return records.filter((record) => record !== undefined)
}

function aboutOf({ id, title, description, references, cvss, published_date, created_at }: Vulnerability) {
  const score = scoreOf(cvss?.score)
  const own = /^[0-9a-f-]{36}$/.test(id) ? [`https://wpscan.com/vulnerability/${id}/`] : []
  return {
    title: words(title, 300),
    description: words(description ?? '', 2000),
    cve: cveOf(textsOf(references.cve)[0]),
    cvss: score,
    severity: severityOf(score, false),
    informational: false,
    references: linksOf([...own, ...textsOf(references.url)]),
    published: timeOf(published_date ?? created_at),
  }
}

/** A version of WordPress that is listed has the vulnerability; of the others the first and the first repaired version are told. */
function affectedOf(type: SoftwareType, key: string, { fixed_in, introduced_in }: Vulnerability): Affected {
  const patched = fixed_in === null ? [] : [fixed_in]
  if (type === 'core') return { type, slug: exactSlug(key), ranges: [[key, key, lowerEnd | upperEnd]], patched }
  const range: Range = [introduced_in, fixed_in, lowerEnd]
  return { type, slug: slugOf(type, key), ranges: [range], patched }
}

const textsOf = (value: unknown) => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [])
