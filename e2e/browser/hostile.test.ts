// Needs a Chromium: apt-get install --no-install-recommends chromium
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { copySites, fillReports, fillSite, placesOf } from '../../server/test/filled.ts'
import { asked } from '../../server/test/filled-asked.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { signIn, startBrowser } from './browser.ts'
import { hostileTexts } from './hostile-texts.ts'

/** `npm run prove:pages`: the page of each of the forty sites, where otherwise every eighth is opened; the list of sites has all of them. */
const whole = process.env.PAGES === 'whole'

let here: TestWorld
let browser: Browser
before(async () => {
  here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
  browser = await startBrowser()
})
after(async () => {
  await browser?.close()
  await here?.close()
})

test('forty texts in every field a site or an agent fills: no script runs, nothing is reported, no link leads astray, on any page', async () => {
  assert.equal(hostileTexts.length, 40)
  await aPerson(here, 'ann@example.com', 'owner')
  const { id } = await here.site()
  const words = (n: number) => hostileTexts[n] ?? ''
  const planOf = async (approval_id: string) =>
    ((await here.call('approvals.get', { approval_id })) as { plan: { answer: object } }).plan.answer
  await copySites(here, id, hostileTexts.length, (n) => ({
    ...{ name: words(n), url: words(n), home: words(n), client: words(n), tags: [words(n)], notes: words(n), wp_version: words(n) },
    ...{ php_version: words(n), server_software: words(n), active_theme: words(n), door: words(n), status: 'unreachable' },
    last_error: {
      ...{ code: 'site_failed', reason: words(n), message: words(n), at: new Date().toISOString() },
      site_said: { untrusted: true, text: words(n) },
    },
  }))
  const jobId = await fillSite(here, id, hostileTexts)
  const ofReports = await fillReports(here, hostileTexts)
  await here.call('tokens.create', { name: '<img src=x onerror=hit()>', scope: 'read' })

  for (const width of [1280, 390]) {
    const context = await browser.newContext({ viewport: { width, height: 800 } })
    await context.addInitScript('globalThis.hits = 0; globalThis.hit = () => { hits++ }; globalThis.alert = hit')
    const page = await context.newPage()
    const reported: string[] = []
    page.on('pageerror', ({ message }) => void reported.push(message))
    page.on('console', (said) => /Refused|Content Security Policy|violates/.test(said.text()) && void reported.push(said.text()))
    page.on(
      'request',
      (request) => request.url().startsWith(here.url) || request.url().startsWith('data:') || void reported.push(request.url()),
    )
    await page.goto(here.url)
    await signIn(page)
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()

    const copies = Array.from({ length: 40 }, (_, n) => `/sites/site_${String(n).padStart(26, '0')}`).filter((_, n) => whole || n % 8 === 0)
    // Each is opened once, and looked at in both widths.
    const places = width === 1280 ? [...Object.values({ ...placesOf(id, jobId), ...ofReports }), ...copies] : []
    for (const place of places) {
      await page.goto(here.url + place)
      await page.locator('main h1, main h2').first().waitFor()
      await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
      for (const summary of await page.locator('main summary').all()) await summary.click()
      assert.equal(await page.evaluate('hits'), 0, `${place}: a script ran`)
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll('[href],[src],[action]')].map((each) => each.href || each.src || each.action)`,
      )
      assert.deepEqual(
        links.filter((link) => typeof link === 'string' && !/^https?:\/\//.test(link)),
        [],
        place,
      )
      assert.equal(
        await page.evaluate('document.querySelectorAll("main script, main iframe, main object, main style, main base").length'),
        0,
        place,
      )
      for (const size of [390, 1280]) {
        await page.setViewportSize({ width: size, height: 800 })
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${place} at ${size}: it fits`)
      }
      assert.equal(await page.evaluate('hits'), 0, `${place}: a script ran in another width`)
      assert.equal(new URL(page.url()).origin, here.url, place)
    }
    await page.goto(here.url)
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Go to a site or page' }).click()
    await page.getByRole('combobox', { name: 'A site, a page or an action' }).fill('script')
    await page
      .getByRole('dialog')
      .getByRole('option', { name: /<script>hit\(\)<\/script>/ })
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await page.goto(`${here.url}/sites/site_${'0'.repeat(26)}/settings`)
    await page.getByRole('button', { name: 'Remove the site …' }).click()
    await page.getByRole('dialog').waitFor()
    assert.equal(await page.evaluate('hits'), 0, 'palette and dialog: a script ran')
    const shows = async (dialog: Locator, words: string) => {
      await dialog.getByText(words).first().waitFor()
      assert.equal(await page.evaluate('hits'), 0, `${words}: a script ran`)
      assert.equal(await page.evaluate('document.querySelectorAll("[role=dialog] :is(script, iframe, img, base, form)").length'), 0, words)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${words} at ${width}: it fits`)
    }
    // What a request was shown is what the dialog of the same work would be told.
    await page.route('**/api/v1/sites/*/actions', async (route) => route.fulfill({ json: await planOf(asked.update) }))
    await page.route('**/backups/*/restore', async (route) => route.fulfill({ json: await planOf(asked.backup) }))
    await page.goto(`${here.url}/sites/${id}/updates`)
    await page.getByRole('button', { name: /^Update / }).click()
    await shows(page.getByRole('dialog', { name: /^Update / }), words(0))
    await page.goto(`${here.url}/sites/${id}/backups`)
    await page
      .getByRole('button', { name: /^More about/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Restore …' }).click()
    const restore = page.getByRole('dialog', { name: 'Restore this backup?' })
    await restore.getByText(/^From the backup of /).waitFor()
    const all = restore.getByRole('button', { name: /^Show all/ })
    for (let left = await all.count(); left > 0; left--) await all.first().click()
    await shows(restore, words(39))
    await page.goto(`${here.url}/settings/notifications`)
    await here.call('notifications.add_channel', { name: words(1), type: 'slack', url: 'http://127.0.0.1:9/' })
    await page
      .getByRole('button', { name: `Remove ${words(1)}`, exact: true })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await shows(page.locator('.toasts'), words(1))
    assert.ok(
      (
        await page.goto(here.url).then(() => page.getByRole('link', { name: '<script>hit()</script>', exact: true }).first().textContent())
      )?.includes('<script>'),
    )
    assert.deepEqual(reported, [])
    await context.close()
  }
})
