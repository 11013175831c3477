// How a report begins: sentences made of its figures, state and risk first. Nothing is praised, and what is not known is said to be so.
import type { Section } from '../clients/schema.ts'
import type { Facts, SiteFacts } from './facts.ts'
import type { Language } from './language.ts'
import { alike, problemOf } from './parts.ts'

/** What is in the report; a sentence belongs to a section and goes with it. */
export type Shows = (section: Section) => boolean

const named = 5

/** Its figures are those of this section, which says what they mean. */
export interface Sentence {
  section: Section | undefined
  text: string
}

export function inShort(facts: Facts, language: Language, shows: Shows): Sentence[] {
  const { say, list, percent, lasted, day } = language
  const { sites, updates, uptime, security, links, performance, work } = facts
  const sentences: Sentence[] = []
  const add = (section: Section, name: string, n: number, gaps: Record<string, string> = {}) => {
    if (n > 0 && shows(section)) sentences.push({ section, text: say(name, { n, ...gaps }) })
  }
  const names = (of: readonly { name: string }[]) => {
    // One that is left out takes as much room as its name.
    const listed = of.length === named + 1 ? of : of.slice(0, named)
    const others = of.length - listed.length
    return { names: list([...listed.map(({ name }) => name), ...(others > 0 ? [say('in.others', { n: others })] : [])]) }
  }
  const where = (is: (site: SiteFacts) => boolean) => sites.filter(is)
  const sum = (count: (site: SiteFacts) => number) => sites.reduce((all, site) => all + count(site), 0)

  const [down, dark] = [where(({ up }) => up === false), where(({ up }) => up === null)]
  add('state', 'in.down', down.length, names(down))
  if (down.length + dark.length === 0) add('state', 'in.up', sites.length)
  add('state', 'in.up_unknown', dark.length, names(dark))
  const urgent = sum(({ open }) => (open ? open.critical + open.high : 0))
  add('security', 'in.urgent', urgent)
  if (shows('security')) sentences.push(...risks(urgent))
  const unexamined = where(({ open }) => open === null)
  add('security', 'in.security_unknown', unexamined.length, names(unexamined))
  const bare = where(({ last_backup_at }) => last_backup_at === null)
  add('backups', 'in.no_backup', bare.length, names(bare))
  add(
    'backups',
    'in.backups_failed',
    sum(({ backups }) => backups.failed),
  )
  if (sites.length > 0 && shows('uptime')) sentences.push(...availability().map((text) => ({ section: 'uptime' as const, text })))
  add('updates', 'in.taken_back', updates.taken_back)
  add('updates', 'in.update_failed', updates.failed)
  add('updates', 'in.updates', updates.installed)
  add(
    'backups',
    'in.backups',
    sum(({ backups }) => backups.completed),
  )
  add('backups', 'in.tried', where(({ backups }) => tried.has(backups.level)).length)
  add('security', 'in.found', security.found)
  add('security', 'in.fixed', security.fixed)
  const slower = performance.filter(({ direction }) => direction === 'worse').map(({ site }) => ({ name: site }))
  add('performance', 'in.slower', slower.length, names(slower))
  add('links', 'in.mended', links.mended)
  add('links', 'in.broken', links.broken ?? 0)
  add('work', 'in.work', work.length + (facts.work_more ?? 0))
  return sentences.length > 0 ? sentences : [{ section: undefined, text: say('in.nothing') }]

  /** Which they are, by name, worst first. */
  function risks(all: number): Sentence[] {
    const { open = [] } = security
    const lines = alike(open, ({ site, kind, severity, component, found_at }) => [
      ...[problemOf(language, kind, component), site, say(`severity.${severity}`), day(found_at)],
    ]).map(({ cells: [problem = '', site = '', severity = '', at = ''], n }) => say('in.risk', { problem, site, severity, at, n }))
    const beyond = open.length > 0 && all > open.length ? [say('more', { n: all - open.length })] : []
    return [...lines, ...beyond].map((text) => ({ section: 'security', text }))
  }

  function availability(): string[] {
    if (uptime.ratio === null) return [say('in.available_unknown')]
    const outages = uptime.outages > 0 ? say('in.outages', { n: uptime.outages, lasted: lasted(uptime.down_s) }) : say('in.no_outage')
    const dark = uptime.points.filter(({ ratio }) => ratio === null).length
    return [
      say('in.available', { ratio: percent(uptime.ratio) }),
      ...(dark > 0 ? [say(`in.unwatched_${uptime.step}`, { n: dark })] : []),
      outages,
    ]
  }
}

const tried: ReadonlySet<string> = new Set(['content', 'restored', 'imported'])
