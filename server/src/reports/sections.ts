// The sections of a report. One that has nothing to tell is undefined, and left out.
import type { Section } from '../clients/schema.ts'
import { type Html, html } from '../kernel/html.ts'
import { course, uptimeBars } from './charts.ts'
import { type Facts, grades, type SiteFacts } from './facts.ts'
import type { Shows } from './in-short.ts'
import type { Language } from './language.ts'
import { alike, foreign, moreRows, oftenSaid, problemOf, table } from './parts.ts'
import { linkOf } from './plain.ts'
import { eventsOf } from './timeline.ts'

type Make = (facts: Facts, language: Language, shows: Shows) => Html | undefined

export const contentOf: Record<Section, Make> = { state, timeline, work, updates, backups, uptime, performance, security, links }

const answer = ({ say }: Language, value: boolean | null) => (value === null ? say('unknown') : say(value ? 'yes' : 'no'))

function siteCell({ name, url }: SiteFacts): Html {
  const link = linkOf(url)
  const shown = url.replace(/^https?:\/\//, '').replace(/\/$/, '')
  return html`${foreign(name)}<br>${link === undefined ? html`<span class="soft">${foreign(shown)}</span>` : html`<a href="${link}" rel="noreferrer nofollow">${foreign(shown)}</a>`}`
}

function openOf({ say, list, number }: Language, open: SiteFacts['open']): string {
  if (open === null) return say('unknown')
  const some = grades.filter((grade) => open[grade] > 0).map((grade) => `${number(open[grade])} ${say(`severity.${grade}`)}`)
  return some.length === 0 ? say('none') : list(some)
}

const stateColumns: readonly [Section, string, (site: SiteFacts, language: Language) => string][] = [
  ['security', 'open', ({ open }, language) => openOf(language, open)],
  ['backups', 'last_backup', ({ last_backup_at: at }, { say, moment }) => (at === null ? say('never') : moment(at))],
  ['updates', 'waiting', ({ updates_waiting: n }, { say, number }) => (n === null ? say('unknown') : number(n))],
]

/** Whose definitions the figures of a section need: the state of the sites tells some of others. */
export const meantBy = (section: Section, shows: Shows): Section[] =>
  section === 'state' ? [section, ...stateColumns.map(([of]) => of).filter(shows)] : [section]

function state({ sites }: Facts, language: Language, shows: Shows): Html | undefined {
  if (sites.length === 0) return undefined
  const { say } = language
  const columns = stateColumns.filter(([section]) => shows(section))
  const heads = [say('site'), say('answers'), ...columns.map(([section, head]) => html`<a href="#def-${section}">${say(head)}</a>`)]
  return table(
    heads,
    sites.map((site) => [siteCell(site), answer(language, site.up), ...columns.map(([, , cell]) => cell(site, language))]),
  )
}

function timeline(facts: Facts, language: Language, shows: Shows): Html | undefined {
  const { events, more } = eventsOf(facts, language, shows)
  if (events.length === 0) return undefined
  return html`<ol class="events">${events.map(
    ({ at, text }) => html`<li><time datetime="${at}">${language.moment(at)}</time> <span>${text}</span></li>
`,
  )}</ol>${moreRows(language, more)}`
}

function work({ work: entries, work_more = 0 }: Facts, language: Language): Html | undefined {
  if (entries.length === 0) return undefined
  const { say, day } = language
  const named = entries.some(({ by }) => by !== null)
  const heads = [say('date'), say('site'), say('what'), ...(named ? [say('by')] : [])]
  const rows = entries.map(({ at, site, category, summary, by }) => [
    ...[day(at), foreign(site ?? ''), html`<span class="soft">${say(`category.${category}`)}</span><br>${foreign(summary)}`],
    ...(named ? [by === null ? undefined : foreign(by)] : []),
  ])
  return html`${table(heads, rows)}${moreRows(language, work_more)}`
}

function updates({ updates: { items, back, taken_back, more } }: Facts, language: Language): Html | undefined {
  if (items.length + back.length === 0) return undefined
  const { say, number, day } = language
  const rows = items.map(({ name, from, to, times, sites, last_at }) => [
    ...[foreign(name), foreign(from), foreign(to), number(sites), number(times), day(last_at)],
  ])
  const taken = back.map(
    ({ at, name, version, site }) => html`<li>${day(at)}: ${say('event.taken_back', { name, version, site })}</li>
`,
  )
  return html`${taken.length > 0 && html`<ul>${taken}</ul>${moreRows(language, taken_back - taken.length)}`}${
    rows.length > 0 &&
    table([say('component'), say('version_from'), say('version_to'), say('sites'), say('times'), say('date')], rows, [3, 4])
  }${moreRows(language, more)}`
}

function backups({ sites }: Facts, { say, number, moment }: Language): Html | undefined {
  if (sites.every(({ backups: { completed, failed } }) => completed + failed === 0)) return undefined
  const rows = sites.map(({ name, backups: { completed, failed, suspect, level, checked_at }, last_backup_at }) => [
    ...[foreign(name), number(completed), number(failed)],
    html`${say(`level.${level}`)}${checked_at !== null && html`<br><span class="soft">${moment(checked_at)}</span>`}${suspect > 0 && html`<br>${say('backup.suspect', { n: suspect })}`}`,
    last_backup_at === null ? say('never') : moment(last_backup_at),
  ])
  return table([say('site'), say('made'), say('failed'), say('tried'), say('last_backup')], rows, [1, 2])
}

function uptime({ sites, uptime: facts }: Facts, language: Language): Html | undefined {
  const { points, incidents, ratio, step, more } = facts
  if (ratio === null && incidents.length === 0) return undefined
  const { say, percent, number, date, lasted, moment } = language
  const [first = '', last = ''] = [points[0]?.at, points.at(-1)?.at]
  const title = say(`chart.uptime_${step}`, { from: first && date(first), to: last && date(last) })
  const legend = [
    ...[html`<i class="key bar"></i>${say('legend.up')}`, html`<i class="key dip"></i>${say('legend.down')}`],
    ...(points.some((point) => point.ratio === null) ? [html`<i class="key"></i>${say('legend.unknown')}`] : []),
  ]
  const rows = sites.map(({ name, uptime: of }) => [
    ...[foreign(name), of.ratio === null ? say('unknown') : percent(of.ratio), number(of.outages)],
    of.down_s === 0 ? undefined : lasted(of.down_s),
  ])
  const ended = incidents.map(({ at, site, cause, seconds, ended_at }) => [
    ...[
      moment(at),
      foreign(site),
      ended_at === null ? say('goes_on') : lasted(seconds),
      say(`cause.${causes.has(cause) ? cause : 'other'}`),
    ],
  ])
  return html`${ratio !== null && points.length > 0 && html`<figure>${uptimeBars(points, title)}<figcaption>${title}. ${legend}</figcaption></figure>`}
${table([say('site'), say('available'), say('outages'), say('down')], rows, [1, 2, 3])}
${ended.length > 0 && table([say('began'), say('site'), say('lasted'), say('cause')], ended)}${moreRows(language, more)}`
}

const causes: ReadonlySet<string> = new Set(['dns', 'connect', 'tls', 'timeout', 'http', 'content'])

function performance({ performance: sites }: Facts, { say, number }: Language): Html | undefined {
  if (sites.length === 0) return undefined
  const ms = (value: number | null) => (value === null ? undefined : say('ms', { n: value }))
  const rows = sites.map(({ site, before, now, direction, points }) => [
    ...[foreign(site), ms(before), ms(now), say(`direction.${direction}`)],
    course(points, say('chart.speed', { from: number(points[0] ?? 0), to: number(points.at(-1) ?? 0) })),
  ])
  return table([say('site'), say('before'), say('now'), say('change'), say('course')], rows, [1, 2])
}

function security({ security: { items, more } }: Facts, language: Language): Html | undefined {
  if (items.length === 0) return undefined
  const { say, day } = language
  const rows = alike(items, ({ site, kind, severity, component, found_at, fixed_at }) => [
    ...[site, problemOf(language, kind, component), say(`severity.${severity}`), day(found_at)],
    fixed_at === null ? say('still_open') : day(fixed_at),
  ]).map(({ cells: [site = '', problem = '', ...rest], n }) => [foreign(site), oftenSaid(language, problem, n), ...rest])
  return html`${table([say('site'), say('problem'), say('severity'), say('found'), say('fixed')], rows)}${moreRows(language, more)}`
}

function links({ links: { scans, mended, broken } }: Facts, { say }: Language): Html | undefined {
  if (scans === 0) return undefined
  const now = broken === 0 || broken === null ? say('links.none') : say('links.broken', { n: broken })
  return html`<ul>${mended > 0 && html`<li>${say('links.mended', { n: mended })}</li>`}<li>${now}</li><li class="soft">${say('links.scans', { n: scans })}</li></ul>`
}
