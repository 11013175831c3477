// Needs a Chromium: apt-get install --no-install-recommends chromium
// The dashboard in a made-up language, which brackets and lengthens every message: what stands outside of brackets, and the service
// did not say, is a sentence no translator ever gets. With PICTURES=folder a picture of each page.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { copySites, fillReports, fillSite, placesOf } from '../../server/test/filled.ts'
import { aPerson, goodPassword } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { writeDashboard } from '../../tools/dashboard.ts'
import { drawn, startBrowser } from './browser.ts'

const pictures = process.env.PICTURES
const catalogue = new URL('../../dashboard/catalogue/messages.json', import.meta.url)
/** A language nobody speaks (ISO 639-2 keeps it for local use). */
const madeUp = 'qaa'
/** Names that no language changes. */
const names = /^(?:WordPress|PHP|HTTPS|PDF|A4|Slack|WP|HTTP|UTC|Chrome|Linux|DNS|English|Deutsch|qaa|gzip|br|hit|miss|front|\p{L})$/u

let here: TestWorld
let browser: Browser
let folder: string
let places: Record<string, string>
before(async () => {
  here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
  browser = await startBrowser()
  await aPerson(here, 'ann@example.com', 'owner')
  await aPerson(here, 'ben@example.com', 'member')
  const { id } = await here.site()
  await here.job(String((await here.call('backups.create', { site_id: id, type: 'full' })).job_id))
  await copySites(here, id, 3, (n) => ({ name: `Site ${n}`, status: n % 2 ? 'connected' : 'unreachable' }))
  await here.call('tokens.create', { name: 'Claude on my laptop', scope: 'write', approval_only: true })
  const words = ['Words of a site', 'Other words', 'Words of a third kind']
  places = { ...placesOf(id, await fillSite(here, id, words)), ...(await fillReports(here, words)) }
  folder = await mkdtemp(join(tmpdir(), 'languages-'))
  const messages = Object.keys(JSON.parse(readFileSync(catalogue, 'utf8')) as object)
  const longer = (message: string) =>
    `⟦${message}${'~'.repeat(Math.ceil(message.replaceAll(/\{\w+(?:,[^{]+)?|\w+ \{|[{}]/g, '').length / 3))}⟧`
  writeFileSync(join(folder, `${madeUp}.json`), JSON.stringify(Object.fromEntries(messages.map((each) => [each, longer(each)]))))
  await writeDashboard(join(folder, 'dist'), folder)
  if (pictures) mkdirSync(pictures, { recursive: true })
})
after(async () => {
  await browser?.close()
  await here?.close()
  if (folder) await rm(folder, { recursive: true })
})

/** The dashboard as it is built with that language's file, in front of the service that runs. */
async function built(context: BrowserContext): Promise<void> {
  const types: Record<string, string> = {
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.json': 'application/json',
  }
  await context.route(
    ({ origin, pathname }) => origin === here.url && pathname.startsWith('/assets/'),
    (route) => {
      const path = join(folder, 'dist', new URL(route.request().url()).pathname)
      return route.fulfill({ path, contentType: types[extname(path)] ?? '' })
    },
  )
  await context.route(
    ({ origin }) => origin === here.url,
    async (route) => {
      if (route.request().resourceType() !== 'document') return route.fallback()
      const response = await route.fetch()
      const [, nonce = ''] = /name="csp-nonce" content="([^"]+)"/.exec(await response.text()) ?? []
      return route.fulfill({ response, body: readFileSync(join(folder, 'dist/index.html'), 'utf8').replaceAll('{nonce}', nonce) })
    },
  )
}

/** What is read or heard outside of every bracket; what a person's browser says of times is the browser's. */
const outside = `(() => {
  const found = []
  let depth = 0
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement: within } = node
    let said = ''
    for (const letter of node.data) {
      if (letter === '⟦') depth++
      else if (letter === '⟧') depth--
      else if (depth === 0) said += letter
    }
    if (!within.closest('script, style, noscript, time, code, pre, kbd, .mono, .said, [aria-hidden=true]')) found.push(said)
  }
  for (const each of document.body.querySelectorAll('[aria-label], [aria-description], [title], [placeholder], [alt]'))
    for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt']) {
      const said = each.getAttribute(name)
      if (said && !said.includes('⟦') && each.localName !== 'time' && !each.closest('[aria-hidden=true]')) found.push(said)
    }
  return [...new Set(found.map((each) => each.trim()).filter((each) => /\\p{L}/u.test(each)))]
})()`

/** The innermost elements that make the page wider than its window. */
const tooWide = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('main *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth && ![...each.children].some((inner) => inner.getBoundingClientRect().right > innerWidth))
  .map((each) => each.localName + ': ' + each.textContent.slice(0, 60))`

/** What the contract calls things: told as words of ours, never as it is. */
const contract = readFileSync(new URL('../../contract/operations.json', import.meta.url), 'utf8')
const terms = new Set([...contract.matchAll(/"enum": \[([^\]]*)\]/g)].flatMap(([, all = '']) => all.match(/[a-z_]+/g) ?? []))

/** Every text in an answer of the service. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** Gathers what the service answers. */
function answersOf(page: Page): Set<string> {
  const all = new Set([
    ...Intl.supportedValuesOf('timeZone'),
    ...Object.values(places).flatMap((path) => path.split('/')),
    'https://reports.example.com',
  ])
  page.on('response', async (response) => {
    if (!response.headers()['content-type']?.includes('json') || response.url().includes('/assets/')) return
    for (const text of textsIn(await response.json().catch(() => null))) all.add(text)
  })
  return all
}

/** What remains of a text without what the service said, names, and dates as the browser writes them. A code of the contract is no text. */
function strangeIn(text: string, answers: Iterable<string>): string[] {
  const known = [...answers].filter((each) => each.length > 2 && !terms.has(each)).toSorted((a, b) => b.length - a.length)
  const rest = known
    .reduce((left, each) => left.replaceAll(each, ' · '), text)
    .replaceAll(/\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d+|\b[AP]M\b|\bv?\d[\w.]*/g, ' · ')
  const isPart = (piece: string) => /[^\p{L}]/u.test(piece) && !/\s/.test(piece) && known.some((each) => each.includes(piece))
  return rest
    .split(/[·,;:()→“”/|–]+/)
    .map((piece) => piece.trim())
    .filter((piece) => /\p{L}/u.test(piece) && !names.test(piece) && !isPart(piece))
}

test('in a language nobody speaks no sentence stays English, and nothing is wider than a window of 1280 or 390 px', async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
  await context.addInitScript(`localStorage.setItem('language', '${madeUp}')`)
  await built(context)
  const page = await context.newPage()
  const answers = answersOf(page)
  const strange = new Set<string>()
  const look = async (name: string) => {
    assert.equal(await page.evaluate('document.documentElement.lang'), madeUp)
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 })
      if (pictures) await page.screenshot({ path: join(pictures, `${name}-${width}.png`), fullPage: true })
      for (const text of await page.evaluate<string[]>(outside))
        for (const piece of strangeIn(text, answers)) strange.add(`${name}: ${piece} (${text.slice(0, 80)})`)
      assert.deepEqual(await page.evaluate<string[]>(tooWide), [], `${name} fits ${width} px`)
    }
  }
  await page.goto(here.url)
  await page.locator('input[type=email]').fill('ann@example.com')
  await look('sign-in')
  await page.locator('input[name=password]').fill(goodPassword)
  await page.keyboard.press('Enter')
  await page.locator('search.filters').waitFor()
  for (const [name, path] of Object.entries(places)) {
    await page.goto(here.url + path)
    await page.locator('main h1, main h2').first().waitFor()
    await drawn(page)
    for (const summary of await page.locator('main summary').all()) await summary.click()
    await look(name)
  }
  assert.deepEqual([...strange], [])
  await context.close()
})

test('a browser that asks for German gets it, numbers and dates too; who chooses English keeps it, and loads no other language', async () => {
  const context = await browser.newContext({ locale: 'de-AT', viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  await page.goto(here.url)
  await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.lang'), 'de')
  assert.equal(asked.filter((path) => path.startsWith('/assets/de-')).length, 1)
  await page.locator('input[type=email]').fill('ann@example.com')
  await page.locator('input[name=password]').fill(goodPassword)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Websites', level: 1 }).waitFor()
  await page
    .getByText(/^(?:vor \d+ Minuten?|gerade eben)$/)
    .first()
    .waitFor()
  if (pictures) {
    await page.screenshot({ path: join(pictures, 'german-sites.png'), fullPage: true })
    for (const name of ['site-backups', 'site-overview', 'policies']) {
      await page.goto(here.url + (places[name] ?? ''))
      await page.locator('main h1').waitFor()
      await drawn(page)
      await page.screenshot({ path: join(pictures, `german-${name}.png`), fullPage: true })
    }
  }
  // Terms of the contract within a sentence, and in a menu.
  await page.goto(here.url)
  await page.getByRole('button', { name: 'Sie: ann@example.com' }).click()
  await page.getByText('ann@example.com, Inhaber').waitFor()
  await page.goto(here.url + (places['site-errors'] ?? ''))
  await page.getByText(/^Offen: \d+ Fatal, \d+ Warnung, \d+ Hinweis, \d+ Veraltet\./).waitFor()
  await page.goto(here.url + (places['site-security'] ?? ''))
  await page.locator('summary', { hasText: /Schutzmaßnahmen|in Kraft/ }).click()
  await page
    .getByText(/Risiko: (?:Niedrig|Mittel|Hoch)\.$/)
    .first()
    .waitFor()
  await page.goto(`${here.url}/account`)
  await page.getByLabel('Sprache des Dashboards').selectOption('en')
  await page.getByRole('heading', { name: 'Sign-in and security' }).waitFor()
  asked.length = 0
  await page.goto(here.url)
  await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.lang'), 'en')
  assert.deepEqual(
    asked.filter((path) => path.endsWith('.json')),
    [],
  )
  await context.close()
})
