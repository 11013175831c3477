// Needs a Chromium: apt-get install --no-install-recommends chromium
// Every page of the dashboard, light and dark, narrow and wide: what axe-core finds, and that it fits. With PICTURES=folder a picture of each.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { copySites, fillSite, placesOf } from '../../server/test/filled.ts'
import { aPerson, goodPassword } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'

const pictures = process.env.PICTURES

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

describe('every page of the dashboard', () => {
  let here: TestWorld
  let browser: Browser
  let places: Record<string, string>
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
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
    await here.call('members.invite', { email: 'cy@example.com', role: 'viewer' }, { caller: here.caller({ id: ann }) })
    places = placesOf(id, await fillSite(here, id, ['The first of three', 'The second', 'The third, somewhat longer than the others are']))
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
  const signIn = async (page: Page) => {
    await page.goto(here.url)
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.locator('input[name=password]').fill(goodPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  }

  for (const scheme of ['light', 'dark'] as const)
    for (const width of [375, 1280])
      test(`${scheme}, ${width} px: axe-core finds nothing, and nothing is wider than the window`, async () => {
        const page = await open(scheme, width)
        await page.goto(here.url)
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        const name = (place: string) => `${place}-${width}-${scheme}`
        await looked(page, name('sign-in'))
        await signIn(page)
        for (const [place, path] of Object.entries(places)) {
          await page.goto(here.url + path)
          await page.locator('main h1, main h2').first().waitFor()
          await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
          await looked(page, name(place))
        }
        await page.goto(`${here.url}/agents`)
        await page.getByRole('button', { name: 'Create a token' }).click()
        await page.getByLabel('Name').fill('Claude on my desk')
        await page.getByRole('radio', { name: 'Read and write' }).click()
        await looked(page, name('token-form'))
        await page.getByRole('button', { name: 'Create', exact: true }).click()
        await page.getByText('Shown only now').waitFor()
        await looked(page, name('token-made'))
        await page.goto(here.url)
        await page.getByRole('button', { name: 'Add a site' }).click()
        await page.getByText('Waiting for the site').waitFor()
        await looked(page, name('add-a-site'))
        await page.goto(here.url + (places['site-backups'] ?? ''))
        await page
          .getByRole('button', { name: /More about/ })
          .first()
          .click()
        await page.getByRole('menuitem', { name: 'Restore …' }).click()
        await page.getByText(/^Tables: /).waitFor()
        await looked(page, name('restore'))
        await page.goto(here.url + (places['site-updates'] ?? ''))
        await page
          .getByRole('button', { name: /^Update / })
          .first()
          .click()
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor()
        await page.locator('[role=dialog] [aria-busy=true]').waitFor({ state: 'detached' })
        await looked(page, name('update'))
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

  test('with three hundred sites more the list is a hundred rows a page, and a letter typed is answered by one look at what is there', async () => {
    const { sites } = (await here.call('sites.list', {})) as { sites: { id: string }[] }
    await copySites(here, sites.at(-1)?.id ?? '', 300, (n) => ({
      ...{
        id: `site_9${String(n).padStart(25, '0')}`,
        keyid: `more-${n}`,
        name: `Garden ${n}`,
        url: `http://127.0.0.1:1/more/${n}`,
        tags: [`team-${n % 7}`],
      },
    }))
    const page = await open('light', 1280)
    await signIn(page)
    await page.goto(here.url)
    await page.getByText('306 sites', { exact: true }).waitFor()
    assert.equal(await page.locator('tbody tr').count(), 100)
    await page.getByRole('button', { name: 'Page 4' }).click()
    await page.locator('tbody tr').nth(5).waitFor()
    assert.equal(await page.locator('tbody tr').count(), 6)
    let asked = 0
    page.on('request', (request) => void (request.url().includes('/api/v1/sites') && asked++))
    await page.getByRole('searchbox', { name: 'Search' }).fill('garden 29')
    await page.getByText('13 sites of 306').waitFor()
    assert.ok(asked <= 1, `typing asks the service nothing: ${asked}`)
    assert.equal(new URL(page.url()).searchParams.get('q'), 'garden 29', 'the address keeps it')
    await page.context().close()
  })
})
