import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appearanceWith, contentWith } from '../../test/worded-report.ts'
import { type Section, sections } from '../clients/schema.ts'
import { languages } from '../kernel/languages.ts'
import type { Facts } from './facts.ts'
import { pageOf } from './page.ts'

const { facts, ...content } = contentWith(['Garden'])

/** As a report is in which some of its sections have nothing to tell, while its beginning has. */
const bare: Partial<Facts> = {
  work: [],
  updates: { ...facts.updates, items: [], back: [] },
  security: { ...facts.security, items: [] },
  uptime: { ...facts.uptime, ratio: null, incidents: [] },
  sites: facts.sites.map((site) => ({ ...site, backups: { ...site.backups, completed: 0, failed: 0 } })),
}
const versions: [string, Facts, Section[]][] = [
  ['whole', facts, []],
  ['with little to tell', { ...facts, ...bare }, []],
  ...sections.map((section): [string, Facts, Section[]] => [`without ${section}`, facts, [section]]),
]

for (const language of languages)
  for (const [what, figures, hidden] of versions)
    test(`${language}, ${what}: every figure leads to what it means, and nothing leads nowhere`, () => {
      const page = pageOf({ ...content, facts: figures, hidden, notes: [] }, appearanceWith(['Garden'], language))
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
      assert.equal(new Set(ids).size, ids.length)
      const led = new Set([...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id))
      for (const id of led) assert.ok(ids.includes(id), `#${id} leads nowhere`)
      for (const id of ids.filter((each) => each?.startsWith('def-'))) assert.ok(led.has(id), `nothing leads to ${id}`)
      for (const section of hidden) assert.ok(!ids.includes(`def-${section}`), 'of what is hidden nothing is told')
      for (const [, id, inner = ''] of page.matchAll(/<section id="(\w+)">([\s\S]*?)<\/section>/g)) {
        if (id === 'definitions') continue
        if (id !== 'summary') assert.match(inner, new RegExp(`<a class="about" href="#def-${id}">`))
        for (const [, sentence = ''] of id === 'summary' ? inner.matchAll(/<li>([\s\S]*?)<\/li>/g) : [])
          assert.match(sentence, /^<a href="#def-\w+">[^<]*<\/a>$/, 'each sentence of the beginning leads to its definition')
      }
      for (const head of ['security', 'backups', 'updates'] as const)
        assert.equal(page.includes(`<th scope="col"><a href="#def-${head}">`), !hidden.includes('state') && !hidden.includes(head))
    })

test('risks that are open are named, with their site, at the beginning', () => {
  const page = pageOf({ ...content, facts, hidden: [], notes: [] }, appearanceWith(['Garden'], 'en'))
  assert.match(page, /Open: Known vulnerability in Garden on Garden \(critical\), since March 5, 2026\./)
  assert.match(page, /… and one more\./, 'what is not named is counted')
  for (const told of [/one site it is not known whether it answers/, /never examined, so its problems are not known/])
    assert.doesNotMatch(page, told)
  const unknown = { ...facts, sites: facts.sites.map((site, n) => (n === 0 ? { ...site, up: null, open: null } : site)) }
  const told = pageOf({ ...content, facts: unknown, hidden: [], notes: [] }, appearanceWith(['Garden'], 'en'))
  assert.match(told, /it is not known whether it answers, because nobody has looked: Garden\./)
  assert.match(told, /never examined, so its problems are not known: Garden\./)
  const hidden = pageOf({ ...content, facts, hidden: ['security'], notes: [] }, appearanceWith(['Garden'], 'en'))
  assert.doesNotMatch(hidden, /Open: /)
})

test('events of one minute that read the same are one line with their number, and two outages are two', () => {
  const { security, uptime } = facts
  const found_at = '2026-03-05T06:07:08.090Z'
  const open = { ...(security.items[0] ?? assert.fail()), severity: 'high' as const, found_at, fixed_at: null }
  const outage = { ...(uptime.incidents[0] ?? assert.fail()), seconds: 900 }
  const figures: Facts = {
    ...facts,
    security: { ...security, items: [open, { ...open, found_at: '2026-03-05T06:07:59Z' }, open] },
    uptime: {
      ...uptime,
      incidents: [
        { ...outage, at: '2026-03-06T00:00:00Z' },
        { ...outage, at: '2026-03-07T00:00:00Z' },
      ],
    },
    updates: { ...facts.updates, items: [], back: [] },
    restores: [],
  }
  const page = pageOf({ ...content, facts: figures, hidden: [], notes: [] }, appearanceWith(['Garden'], 'en'))
  const events = [...page.matchAll(/<li><time datetime="([^"]*)">[^<]*<\/time> <span>([^<]*)<\/span>/g)]
  assert.deepEqual(
    events.map(([, at]) => at),
    ['2026-03-05T06:07Z', '2026-03-06T00:00Z', '2026-03-07T00:00Z'],
  )
  assert.match(events[0]?.[2] ?? '', / \(3×\)$/)
})

test('of more events than there is room for the gravest are told, wherever they are, and the others counted', () => {
  const { security, uptime } = facts
  const outage = { ...(uptime.incidents[0] ?? assert.fail()), seconds: 900 }
  const minutes = (n: number) => `2026-03-${String(1 + Math.floor(n / 60)).padStart(2, '0')}T10:${String(n % 60).padStart(2, '0')}:00Z`
  const grave = { ...(security.items[0] ?? assert.fail()), severity: 'critical', found_at: '2026-03-01T00:00:00Z', fixed_at: null }
  const figures: Facts = {
    ...facts,
    security: { ...security, items: [grave, { ...grave, found_at: '2026-03-30T00:00:00Z' }] },
    uptime: { ...uptime, incidents: Array.from({ length: 100 }, (_, n) => ({ ...outage, at: minutes(n) })) },
    updates: { ...facts.updates, items: [], back: [] },
    restores: [],
  }
  const page = pageOf({ ...content, facts: figures, hidden: [], notes: [] }, appearanceWith(['Garden'], 'en'))
  const [told = ''] = /<ol class="events">[\s\S]*?<\/section>/.exec(page) ?? []
  const days = [...told.matchAll(/<time datetime="([^"T]*)/g)].map(([, day]) => day)
  assert.equal(days.length, 60)
  assert.deepEqual([days[0], days.at(-1)], ['2026-03-01', '2026-03-30'])
  assert.deepEqual(days, days.toSorted())
  assert.match(told, /… and 42 more\./)
})

test('work and updates taken back that there is no room for are counted all the same', () => {
  const figures: Facts = { ...facts, work_more: 7, updates: { ...facts.updates, taken_back: 5 } }
  const page = pageOf({ ...content, facts: figures, hidden: [], notes: [] }, appearanceWith(['Garden'], 'en'))
  assert.match(page, /8 pieces of work were done\./)
  assert.match(page, /<section id="work">[\s\S]*?… and 7 more\.[\s\S]*?<\/section>/)
  assert.match(page, /<section id="updates">[\s\S]*?was taken back on [\s\S]*?<\/ul><p class="soft">… and 4 more\./)
})
