// Needs a Chromium: apt-get install --no-install-recommends chromium
// What the service shows to whoever is not signed in: the documentation, the set-up page, and a page where there is none.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { offerSetup } from '../../server/src/workspaces/setup.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { startBrowser } from './browser.ts'

const pictures = process.env.PICTURES

describe('pages for everybody', () => {
  let here: TestWorld
  let browser: Browser
  let places: Record<string, string>
  before(async () => {
    here = await aWorld()
    browser = await startBrowser()
    const setup = `/setup?key=${await offerSetup(here.world)}`
    places = { docs: '/docs', 'docs-backups': '/docs/backups', setup, nowhere: '/no/such/page' }
    if (pictures) mkdirSync(pictures, { recursive: true })
  })
  after(async () => {
    await browser?.close()
    await here?.close()
  })

  for (const [scheme, width] of [
    ['light', 390],
    ['dark', 1280],
  ] as const)
    test(`they can be read by everybody and fit ${width} px, ${scheme}`, async () => {
      const context = await browser.newContext({ viewport: { width, height: 860 }, colorScheme: scheme, bypassCSP: true })
      await context.addInitScript(axe.source)
      const page = await context.newPage()
      for (const [name, place] of Object.entries(places)) {
        await page.goto(here.url + place)
        if (pictures) await page.screenshot({ path: join(pictures, `${name}-${width}-${scheme}.png`), fullPage: name !== 'docs-backups' })
        const found = await page.evaluate<string[]>(
          `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 200) + nodes[0].failureSummary))`,
        )
        assert.deepEqual(found, [], `${name} ${width}`)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${name} fits ${width} px`)
      }
      await context.close()
    })

  test('under its strict policy the documentation is searched and copied from, and every error stands within 390 px', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 860 }, permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${here.url}/docs`)
    await page.locator('.menu summary').click()
    const search = page.locator('.menu').getByLabel('Search')
    await search.fill('verify backup')
    await page.locator('.menu').getByText('1 found').waitFor()
    await search.fill('429')
    assert.deepEqual(await page.locator('.menu li li:visible').allTextContents(), ['Rules', 'Errors'])
    await search.fill('no such word')
    await page.locator('.menu').getByText('Nothing has these words.').waitFor()
    await search.fill('verify backup')
    await page.locator('.menu li li a:visible').click()
    await page.waitForURL('**/docs/backups#backups.verify')
    // It says so for a moment only.
    const copy = page.locator('article:target').getByRole('button', { name: 'Copy: svc' })
    await Promise.all([page.getByText('Copied').waitFor(), copy.click()])
    assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^svc backups verify example\.com backup_\w+ --wait$/)
    await page.goto(`${here.url}/docs/`)
    assert.equal(new URL(page.url()).pathname, '/docs', 'a slash at the end does no harm')
    const [whole = 0, seen = 0] = await page.evaluate<number[]>(
      `(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('table.codes'))`,
    )
    assert.ok(whole > 300 && whole <= seen && seen <= 390, `${whole} of ${seen}`)
    assert.deepEqual(complaints, [])
    await context.close()
  })

  test('a person is shown a page where a program gets a problem', async () => {
    const page = await browser.newPage()
    const answer = await page.goto(`${here.url}/no/such/page`)
    assert.equal(answer?.status(), 404)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await page.getByRole('link', { name: 'What the service can do' }).click()
    await page.getByRole('heading', { name: 'One fleet of sites, three ways in' }).waitFor()
    const program = await fetch(`${here.url}/no/such/page`)
    assert.deepEqual([program.status, program.headers.get('content-type')], [404, 'application/problem+json; charset=utf-8'])
    const api = await fetch(`${here.url}/api/v1/nothing`, { headers: { accept: 'text/html' } })
    assert.match(api.headers.get('content-type') ?? '', /problem\+json/, 'the API speaks to programs alone')
  })
})
