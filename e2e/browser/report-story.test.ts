// Needs a Chromium: apt-get install --no-install-recommends chromium
// A month's report as a new user makes it: two real WordPress sites of one client, an agent's work over the real tool server, a draft in a
// real browser, its PDF by a real Chromium, a stranger's link.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Site, startSite } from '../../demo/start-site.ts'
import { aPerson } from '../../server/test/person.ts'
import { until } from '../../server/test/until.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { hostedAgent } from '../agent.ts'
import { CONNECTOR } from '../guest.ts'
import { picture, program, signIn, startBrowser } from './browser.ts'
import { textOfPdf } from './pdf-text.ts'

const pictures = process.env.PICTURES
const work = 'Moved the contact form to the new host'
const kept = 'Looked at the invoices of this client'
const note = 'We moved your contact form in the quiet hours. – Ann'

describe('a report, from an agent’s work to a stranger’s link', () => {
  let here: TestWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let dir: string
  const sites: Site[] = []
  const troubles: string[] = []
  let ids: string[] = []
  let month = ''

  before(async () => {
    here = await aWorld({ SERVICE_CHROMIUM: program, SERVICE_SECURITY_CHECKS: 'off', SERVICE_ERROR_COLLECTION: 'off' })
    dir = await mkdtemp(join(tmpdir(), 'svc-report-story-'))
    await aPerson(here, 'ann@example.com', 'owner')
    await Promise.all([...['Harbour & Sons', 'Grüne Gärtnerei'].map(aWordPress), openBrowser()])
    const listed = await until(async () => {
      for (const { url } of sites) await fetch(url)
      const { sites: all } = (await here.call('sites.list')) as unknown as { sites: { id: string; name: string; status: string }[] }
      return all.length === 2 && all.every(({ status }) => status === 'connected') ? all : undefined
    })
    ids = listed.toSorted((a, b) => a.name.localeCompare(b.name)).map(({ id }) => id)
  })
  after(async () => {
    await browser?.close()
    await Promise.all(sites.map((site) => site.stop()))
    await here?.close()
    await rm(dir, { recursive: true, force: true })
  })

  async function aWordPress(title: string, n: number): Promise<void> {
    const { code } = await here.call('pairing.create_code')
    const quiet = { WP_HTTP_BLOCK_EXTERNAL: true, WP_ACCESSIBLE_HOSTS: '127.0.0.1,localhost', DISABLE_WP_CRON: true }
    const constants = { SVC_CONNECTOR_URL: here.url, SVC_CONNECTOR_CODE: String(code), ...quiet }
    sites.push(await startSite({ dir: join(dir, `site-${n}`), title, plugins: [CONNECTOR], constants }))
  }

  async function openBrowser(): Promise<void> {
    browser = await startBrowser()
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    context.setDefaultTimeout(60_000)
    page = await context.newPage()
    page.on('pageerror', ({ message }) => void troubles.push(message))
    page.on('console', (said) => said.type() === 'error' && void troubles.push(said.text()))
    await page.goto(here.url)
    await signIn(page)
    await page.getByRole('link', { name: 'Activity' }).first().waitFor()
  }

  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

  test('two sites are given to a client, who is added with a language the service offers', async () => {
    await page.goto(`${here.url}/clients`)
    await page.getByRole('button', { name: 'Add a client' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Färber GmbH')
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await heading('Färber GmbH')
    await page.getByRole('combobox', { name: 'Language' }).click()
    const { languages } = (await here.call('reports.settings')) as unknown as { languages: string[] }
    await page.getByRole('option', { name: 'Deutsch' }).waitFor()
    const offered = await page.getByRole('option').allTextContents()
    assert.deepEqual(
      offered,
      languages.map((code) => new Intl.DisplayNames([code], { type: 'language' }).of(code)),
    )
    await page.getByRole('option', { name: 'Deutsch' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    for (const site_id of ids) await here.call('sites.set', { site_id, client: 'Färber GmbH' })
  })

  test('an agent’s work is internal until a person shows it in reports', async () => {
    const { token } = await here.token('write', { approval_only: true })
    const agent = hostedAgent(here.url, token)
    for (const [n, summary] of [work, kept].entries()) {
      const told = { site_id: ids[n], summary, category: 'content' }
      const { isError, content, structuredContent } = await agent.call<{ performed_at: string }>('log_activity', told)
      assert.ok(!isError, content[0]?.text)
      if (summary === work) month = structuredContent.performed_at.slice(0, 7)
    }
    await page.goto(`${here.url}/activity`)
    const shown = page.getByRole('switch', { name: `Show in reports: ${work}` })
    await shown.waitFor()
    assert.equal(await shown.isChecked(), false)
    await shown.click({ force: true })
    await until(async () => (await shown.isChecked()) && (await shown.isEnabled()))
    assert.equal(await page.getByRole('switch', { name: `Show in reports: ${kept}` }).isChecked(), false)
  })

  test('a draft is annotated and published in the browser, and says what a person has shown alone', async () => {
    await page.goto(`${here.url}/clients`)
    await page.getByRole('link', { name: 'Färber GmbH' }).click()
    await page.getByRole('button', { name: 'Draft a report' }).first().click()
    await page.getByRole('dialog').getByLabel('Month').fill(month)
    await page.getByRole('dialog').getByRole('button', { name: 'Draft it' }).click()
    await heading(/^Färber GmbH: /)
    await page.getByRole('button', { name: 'Note something: At the top' }).click()
    await page.getByRole('textbox', { name: 'Note: At the top' }).fill(note)
    await page.getByRole('button', { name: 'Save' }).click()
    // Shown, and no longer in the field: what is published is what the page has read.
    await page.getByText('by ann@example.com').waitFor()
    await picture(page, 'draft')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Correct it' }).waitFor()
  })

  test('its PDF is tagged, on A4, with its fonts, and says the same in the client’s language', async () => {
    const address = await page.getByRole('link', { name: 'PDF' }).getAttribute('href')
    const answer = await context.request.get(new URL(String(address), here.url).href)
    assert.deepEqual([answer.status(), answer.headers()['content-type']], [200, 'application/pdf'])
    const pdf = await answer.body()
    if (pictures !== undefined) await writeFile(join(pictures, 'report.pdf'), pdf)
    const plain = pdf.toString('latin1')
    assert.match(plain, /\/Marked true/)
    assert.match(plain, /\/Lang \(de\)/)
    assert.match(plain, /\/MediaBox \[0 0 59[45][\d.]* 84[12][\d.]*\]/)
    const pages = textOfPdf(pdf)
    assert.ok(pages.length >= 1 && pages.length <= 3, `${pages.length} pages`)
    const text = pages.join('')
    for (const said of ['Färber GmbH', 'Harbour & Sons', 'Grüne Gärtnerei', work, note, 'Zustand der Websites'])
      assert.ok(text.includes(said.replaceAll(/\s/g, '')), `${said} in ${text}`)
    for (const secret of [kept, 'Svc', '\ufffd']) assert.ok(!text.includes(secret.replaceAll(/\s/g, '')), secret)
  })

  test('a stranger reads it by a private link, is counted, and finds nothing once the link is revoked', async () => {
    await page.getByRole('button', { name: 'Make a private link' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make the link' }).click()
    const link = /https?:\/\/\S+\/r\/[\w-]{43}/.exec(
      String(await page.getByRole('dialog', { name: 'The private link' }).textContent()),
    )?.[0]
    assert.ok(link)
    await page.getByRole('button', { name: 'Done' }).click()
    const strangers = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const stranger = await strangers.newPage()
    assert.equal((await stranger.goto(here.url + new URL(link).pathname))?.status(), 200)
    await stranger.getByRole('heading', { level: 1 }).waitFor()
    await stranger.getByText(work).first().waitFor()
    assert.equal(await stranger.getByText(kept).count(), 0)
    assert.deepEqual(await strangers.cookies(), [])
    await picture(stranger, 'stranger')
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Revoke' }) })
    await row.getByRole('cell', { name: '1', exact: true }).waitFor()
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('revoked').waitFor()
    assert.equal((await stranger.reload())?.status(), 404)
    assert.equal(await stranger.getByText(work).count(), 0)
    await stranger.goBack().catch(() => null)
    assert.equal(await stranger.getByText(work).count(), 0, 'the browser kept nothing')
    await picture(page, 'published')
    await strangers.close()
    assert.deepEqual(troubles, [])
  })
})
