import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { configurations } from '../dashboard/src/agents/configurations.ts'
import { periodOf } from '../dashboard/src/reports/period.ts'
import { changedIn } from '../dashboard/src/ui/changed.ts'
import { ago, lasting, localWeekday } from '../dashboard/src/words.ts'
import { builtDigest, sourceDigest } from './dashboard.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dashboard/dist')

test('the built dashboard is what its sources say (else npm run pack)', () => assert.equal(builtDigest(), sourceDigest()))

/** Files, and how many bytes they are packed. */
const weigh = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(join(DIST, name)), { level: 9 }).length, 0)

for (const [name, page, most, files] of [
  ['to sign in', 'sign-in', 145, 8],
  ['the sites', 'sites', 160, 10],
  ['a site', 'site', 160, 10],
] as const)
  test(`what is loaded first, packed, ${name}: at most ${most} KB in ${files} files`, () => {
    const shell = readFileSync(join(DIST, page === 'sign-in' ? 'sign-in.html' : 'index.html'), 'utf8')
    const linked = [...shell.matchAll(/<(?:script src|link rel="(?:stylesheet|modulepreload)"[^>]* href)="([^"]+)"/g)].map(
      ([, file = '']) => file,
    )
    const pages = JSON.parse(/name="pages" content='([^']+)'/.exec(shell)?.[1] ?? '') as Record<string, string[]>
    const loaded = [...linked, ...(pages[page] ?? [])]
    assert.ok(linked.length >= 5, 'scripts, style, and what they need at once')
    for (const file of pages.app ?? []) assert.ok(linked.includes(file), 'what begins the page is on its way before')
    assert.equal(new Set(loaded).size, loaded.length, 'nothing is named twice')
    assert.ok(loaded.length <= files, `${loaded.length} files`)
    const bytes = weigh(loaded)
    assert.ok(bytes <= most * 1024, `${bytes} bytes`)
  })

test('the page shows its frame before any script, in every language, and nothing there takes the focus', () => {
  const languages = globSync('[a-z][a-z]*.json', { cwd: join(ROOT, 'dashboard/catalogue') }).filter((file) => file !== 'messages.json')
  for (const name of ['index', 'sign-in']) {
    const [, shell = ''] = /<div id="app">(.*)<\/div>\n<noscript>/s.exec(readFileSync(join(DIST, `${name}.html`), 'utf8')) ?? []
    assert.match(shell, /class="[^"]*shell" aria-hidden="true"/)
    assert.doesNotMatch(shell, /<(?:a|button|input|select|textarea|form|iframe|img)\b|tabindex|\[\[/)
    for (const file of ['en.json', ...languages]) assert.ok(shell.includes(`<span lang="${file.slice(0, -5)}">`), file)
  }
})

test('the variables of the theme are in the style of the page, and nothing works them out before something is drawn', () => {
  const read = (name: string) => globSync(`assets/${name}`, { cwd: DIST }).map((file) => readFileSync(join(DIST, file), 'utf8'))
  assert.match(read('app-*.css').join(), /--mantine-color-accent-7: ?#0b5fb0/)
  for (const script of read('*.js')) assert.ok(!script.includes('--mantine-moz-font-smoothing'), 'no script knows them all')
})

test('what is asked early are operations of the contract', () => {
  const asked = [...readFileSync(join(ROOT, 'dashboard/src/early.ts'), 'utf8').matchAll(/askEarly\([`'](\/api\/v1[^`'?]*)/g)]
  const { operations } = JSON.parse(readFileSync(join(ROOT, 'contract/operations.json'), 'utf8')) as { operations: { http: string[] }[] }
  const reads = new Set(operations.flatMap(({ http }) => http.map((each) => each.replaceAll(/\{\w+\}/g, '*'))))
  assert.equal(asked.length, 4)
  for (const [, path = ''] of asked) assert.ok(reads.has(`GET ${path.slice('/api/v1'.length).replaceAll(/\$\{\w+\}/g, '*')}`), path)
})

test('the page of the dashboard has no script and no style but files of its own', () => {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8')
  assert.doesNotMatch(page, /<style|\son\w+=|style=|<script(?![^>]*\ssrc="\/assets\/)|https?:/)
  for (const file of globSync('assets/*', { cwd: DIST })) assert.ok(statSync(join(DIST, file)).isFile())
})

test('the dashboard knows the service by its contract alone, and never turns text into markup', () => {
  const sources = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: ROOT })
  assert.ok(sources.length > 30)
  for (const file of sources) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    assert.doesNotMatch(text, /from '[^']*(server|cli|mcp)\//, file)
    assert.doesNotMatch(text, /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, file)
  }
})

test('every list is asked for anew by itself while somebody looks at it', () => {
  const sources = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: ROOT })
  const lists = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/usePages\('([\w.]+)'.*/g)].map(([call, name = '']) => ({ name, call })),
  )
  assert.ok(lists.length > 15, `${lists.length} lists`)
  const still = lists.filter(({ call }) => !call.includes('every:')).map(({ name }) => name)
  assert.deepEqual(still, ['clients.list'], 'what a dialog lets somebody choose from stays as it was when that opened')
})

test('what is ready to paste is what docs/agents.md says', () => {
  const page = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8').replaceAll(/\s+/g, '')
  const said = configurations('https://fleet.example.org', 'svc_…')
  assert.deepEqual(
    said.map(({ id }) => id),
    ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'curl', 'svc'],
  )
  for (const { id, text } of said.filter(({ id }) => ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex'].includes(id))) {
    const plain = id === 'claude-code' ? text.replace('svc_…', '$SERVICE_TOKEN') : id === 'codex' ? (text.split('\n')[1] ?? '') : text
    assert.ok(page.includes(plain.replaceAll(/\s+/g, '')), `${id}: ${plain}`)
  }
})

const periods: [of: string, first_day: string, last_day: string, said: string][] = [
  ['a month', '2026-10-01', '2026-10-31', 'October 2026'],
  ['a February', '2026-02-01', '2026-02-28', 'February 2026'],
  ['a month that goes on', '2026-11-01', '2026-11-25', 'Nov 1, 2026 – Nov 25, 2026'],
  ['two months', '2026-11-01', '2026-12-31', 'Nov 1, 2026 – Dec 31, 2026'],
]
for (const [of, first_day, last_day, said] of periods)
  test(`the period of a report is told in the client’s days: ${of}`, () => assert.equal(periodOf({ first_day, last_day }), said))

const second = 1000
const hour = 3600 * second
const day = 24 * hour
const times: [ms: number, said: string][] = [
  [-3 * hour + second, '2 hours ago'],
  [-30 * second, 'just now'],
  [5 * second, 'just now'],
  [45 * second, 'in a moment'],
  [day - second, 'tomorrow'],
  [7 * day - second, 'in 7 days'],
  [90 * day - second, 'in 3 months'],
]
for (const [ms, said] of times)
  test(`a time ${ms / second} seconds from now is told as “${said}”`, () =>
    assert.equal(ago(new Date(2e12 + ms).toISOString(), 2e12), said))

test('what comes every day comes every 24 hours, and no fraction of an hour is told that there is not', () => {
  assert.deepEqual([86_400, 5400, 900].map(lasting), ['24 h', '1.5 h', '15 min'])
})

test('every dialog is one that gives the focus back', () => {
  const named = globSync('dashboard/src/**/*.tsx', { cwd: ROOT }).filter((file) => /\bModal\b/.test(readFileSync(join(ROOT, file), 'utf8')))
  assert.deepEqual(named, ['dashboard/src/ui/Dialog.tsx'])
})

test('of a form only what somebody changed is sent', () => {
  const before = { tags: ['shop'], client: '', schedule: { mode: 'off', day: 1 } }
  assert.deepEqual(changedIn(before, structuredClone(before)), {})
  assert.deepEqual(changedIn(before, { ...before, tags: [], schedule: { mode: 'off', day: 2 } }), {
    tags: [],
    schedule: { mode: 'off', day: 2 },
  })
})

const weekdays: [zone: string, weekday: number, utc: string, here: number][] = [
  ['America/New_York', 0, '02:00', 6],
  ['America/New_York', 0, '12:00', 0],
  ['Asia/Kolkata', 6, '20:00', 0],
  ['Asia/Kolkata', 6, '18:29', 6],
  ['UTC', 3, '23:59', 3],
  ['Asia/Kolkata', 3, '', 3],
]
for (const [zone, weekday, utc, here] of weekdays)
  test(`a day of the week in UTC is another in the zone of the viewer, or the same: ${zone}, ${weekday} at ${utc || 'no time yet'}`, () => {
    const own = process.env.TZ
    process.env.TZ = zone
    try {
      assert.equal(localWeekday(weekday, utc), here)
    } finally {
      if (own === undefined) delete process.env.TZ
      else process.env.TZ = own
    }
  })
