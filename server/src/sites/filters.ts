// By what a list of sites can be narrowed: by what stands in its own row, and by what other capabilities tell of it.
import { z } from 'zod'
import type { Summary } from '../kernel/capability.ts'
import { compareVersions, parseVersion } from '../kernel/version.ts'
import { folded } from './near.ts'
import { type Site, SiteStatus } from './schema.ts'

/** `8.1`: that version and all within it; `<8.2`: everything older. */
const Versions = z
  .string()
  .trim()
  .max(50)
  .regex(/^<?\d+(\.\w+)*$/, 'Must be a version, 8.1, or <8.2 for what is older.')

const waiting = ({ updates_available: known }: Site) => known && known.core + known.plugins + known.themes > 0

const filter = <Input extends z.ZodType>(input: Input, keeps: (site: Site, wanted: z.output<Input>) => boolean | undefined) => ({
  input: input.optional(),
  keeps(site: Site, wanted: z.output<Input>) {
    return keeps(site, wanted)
  },
})

/** Those of the site's own row. */
const ownFilters = {
  q: filter(z.string().min(1).max(200).describe('Part of name or address.'), ({ name, url }, text) =>
    folded(`${name}\n${url}`).includes(folded(text)),
  ),
  tag: filter(z.string().min(1).max(100).describe('With this tag.'), ({ tags }, tag) => tags.includes(tag)),
  client: filter(z.string().min(1).max(200).describe('Of this client.'), (site, client) => site.client === client),
  status: filter(SiteStatus.describe('In this state.'), (site, status) => site.status === status),
  wp_version: filter(Versions.describe('6.5 or <6.5.'), ({ wp_version }, wanted) => isWithin(wp_version, wanted)),
  php_version: filter(Versions.describe('8.1 or <8.2.'), ({ php_version }, wanted) => isWithin(php_version, wanted)),
  has_updates: filter(z.boolean().describe('Whether updates wait.'), (site, wanted) => {
    const known = waiting(site)
    return known === null ? undefined : known === wanted
  }),
}

const fieldsOf = <Each extends Record<string, { input: z.ZodType }>>(filters: Each) =>
  Object.fromEntries(Object.entries(filters).map(([name, { input }]) => [name, input])) as { [Name in keyof Each]: Each[Name]['input'] }

export const ownFilterFields = fieldsOf(ownFilters)

function isWithin(version: string | null, wanted: string): boolean | undefined {
  if (version === null) return undefined
  if (wanted.startsWith('<')) return compareVersions(parseVersion(version), parseVersion(wanted.slice(1))) < 0
  return version === wanted || (version.startsWith(wanted) && /^[^\d]/.test(version.slice(wanted.length)))
}

/** What each field of a filter asks of a site. */
export type Filters = Readonly<Record<string, { keeps(site: Site, wanted: unknown): boolean | undefined }>>

export function filtersOf(summary: Summary): Filters {
  const ofCapabilities = Object.entries(summary).flatMap(([part, { filters = {} }]) =>
    Object.entries(filters).map(([name, filter]): [string, Filters[string]] => [
      name,
      { keeps: (site: Site & Record<string, unknown>, wanted) => filter.keeps(site[part], wanted) },
    ]),
  )
  return { ...ownFilters, ...Object.fromEntries(ofCapabilities) }
}

/** The sites a filter lets through, and how many more might be meant: nobody knows it of them. */
export function narrowed(
  filters: Filters,
  sites: readonly Site[],
  wanted: Readonly<Record<string, unknown>>,
): { found: Site[]; unknown: number } {
  const asked = Object.entries(wanted).filter(([, value]) => value !== undefined)
  let unknown = 0
  const found = sites.filter((site) => {
    const answers = asked.map(([name, value]) => filters[name]?.keeps(site, value))
    if (answers.includes(false)) return false
    if (!answers.includes(undefined)) return true
    unknown++
    return false
  })
  return { found, unknown }
}
