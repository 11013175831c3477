// Needs a Chromium: apt-get install --no-install-recommends chromium
// Every page of the dashboard, light and dark, narrow and wide: what axe-core finds, and that it fits. With PICTURES=folder a picture of each.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { offerRecovery } from '../../server/src/members/sign-in.ts'
import { withApp } from '../../server/test/factors.ts'
import { copySites, fillReports, fillSite, placesOf } from '../../server/test/filled.ts'
import { aPerson, goodPassword } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { drawn, signIn, startBrowser } from './browser.ts'
import { openedOver } from './opened.ts'

const pictures = process.env.PICTURES
/** `npm run prove:pages`: every page in every scheme at every width, where otherwise each is met once, every second one in the dark. */
const whole = pictures !== undefined || process.env.PAGES === 'whole'
/** Pixels of a page's content: further than this no eye follows a line. */
const widest = 1728

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

describe('every page of the dashboard', () => {
  let here: TestWorld
  let browser: Browser
  let places: Record<string, string>
  /** Where somebody comes by a link, before they sign in. */
  let doors: Record<string, string>
  /** Whose sign-in has a second step. */
  let careful: string
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    browser = await startBrowser()
    const ann = await aPerson(here, 'ann@example.com', 'owner')
    await aPerson(here, 'ben@example.com', 'member')
    const { id } = await here.site()
    await here.job(String((await here.call('backups.create', { site_id: id, type: 'full' })).job_id))
    await here.call('sites.set', { site_id: id, tags: ['shop', 'vip'], client: 'Example Ltd', notes: 'Ask Jo before updates.' })
    await copySites(here, id, 5, (n) => ({
      name: `Site ${n}`,
      status: n % 2 ? 'connected' : 'unreachable',
      inventory: null,
      inventory_at: null,
    }))
    await here.call('tokens.create', { name: 'Claude on my laptop', scope: 'write', approval_only: true })
    const invited = await here.call('members.invite', { email: 'cy@example.com', role: 'viewer' }, { caller: here.caller({ id: ann }) })
    const { secret } = await offerRecovery(here.world, 'ben@example.com')
    doors = { join: new URL(String(invited.link)).hash, recover: `#${secret}` }
    careful = (await withApp(here)).email
    const words = ['The first of three', 'The second', 'The third, somewhat longer than the others are']
    places = { ...placesOf(id, await fillSite(here, id, words)), ...(await fillReports(here, words)) }
    if (pictures) mkdirSync(pictures, { recursive: true })
  })
  after(async () => {
    await browser?.close()
    await here?.close()
  })

  const looked = async (page: Page, name: string) => {
    await page.waitForFunction(
      'document.getAnimations().every((each) => each.playState !== "running" || each.effect.getTiming().iterations === Infinity)',
    )
    if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    const violations = await page.evaluate<Violation[]>(
      `axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations)`,
    )
    assert.deepEqual(
      violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join('\n')}`,
      ),
      [],
      name,
    )
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${name} fits`)
  }
  /** The same page at 2560 px: nothing is wider than the window, and no line of text runs across all of it. */
  const fitsWide = async (page: Page, place: string, scheme: string) => {
    const size = page.viewportSize() ?? assert.fail()
    await page.setViewportSize({ width: 2560, height: size.height })
    if (pictures) await page.screenshot({ path: join(pictures, `${place}-2560-${scheme}.png`), fullPage: true })
    const { window, content } = await page.evaluate<{ window: number; content: number }>(
      `({ window: document.documentElement.scrollWidth, content: Math.max(...[...document.querySelectorAll('main > *')].map((each) => each.getBoundingClientRect().width)) })`,
    )
    assert.ok(window <= 2560, `${place} fits`)
    assert.ok(content <= widest, `${place} is ${content} px wide`)
    await page.setViewportSize(size)
  }
  const open = async (scheme: 'light' | 'dark', width: number) => {
    const context = await browser.newContext({
      viewport: { width, height: 860 },
      colorScheme: scheme,
      reducedMotion: 'reduce',
      bypassCSP: true,
    })
    await context.addInitScript(axe.source)
    return context.newPage()
  }
  const enter = async (page: Page) => {
    await page.goto(here.url)
    await signIn(page)
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  }

  for (const scheme of ['light', 'dark'] as const)
    for (const width of whole ? [390, 1280] : [scheme === 'light' ? 390 : 1280])
      test(`${scheme}, ${width} px: axe-core finds nothing, and nothing is wider than the window, nor in one of 2560 px`, async () => {
        const page = await open(scheme, width)
        await page.goto(here.url)
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        const name = (place: string) => `${place}-${width}-${scheme}`
        const mine = <Entry>(all: Entry[]) => all.filter((_, index) => whole || index % 2 === (scheme === 'light' ? 0 : 1))
        await looked(page, name('sign-in'))
        for (const [door, hash] of Object.entries(doors)) {
          await page.goto(`${here.url}/${door}${hash}`)
          await page.getByRole('heading', { name: /^(Join|Choose a new password)/ }).waitFor()
          await looked(page, name(door))
        }
        await page.goto(here.url)
        await signIn(page, careful)
        await page.getByRole('heading', { name: 'One more step' }).waitFor()
        await looked(page, name('second-step'))
        await enter(page)
        for (const [place, path] of mine(Object.entries(places))) {
          await page.goto(here.url + path)
          await page.locator('main h1, main h2').first().waitFor()
          await drawn(page)
          for (const summary of await page.locator('main summary').all()) await summary.click()
          await looked(page, name(place))
          await fitsWide(page, place, scheme)
        }
        for (const [place, come] of mine(Object.entries(openedOver(here.url, places)))) {
          await come(page)
          await looked(page, name(place))
        }
        await page.context().close()
      })

  test('by the keyboard alone somebody signs in, skips to the content, filters the sites and opens one', async () => {
    const page = await open('light', 1280)
    await page.goto(here.url)
    await page.getByLabel('E-mail address').focus()
    await page.keyboard.type('ann@example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type(goodPassword)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    await page.goto(here.url)
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    // The field comes with the sites, after the heading.
    await page.getByRole('searchbox', { name: 'Search' }).waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
    await page.keyboard.press('Enter')
    for (let n = 0; n < 12 && (await page.evaluate('document.activeElement.type')) !== 'search'; n++) await page.keyboard.press('Tab')
    await page.keyboard.type('site 3')
    await page.getByText('1 site of 6').waitFor()
    for (let n = 0; n < 12 && (await page.evaluate('document.activeElement.textContent')) !== 'Site 3'; n++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Site 3', level: 1 }).waitFor()
  })
})
