// Needs a Chromium: apt-get install --no-install-recommends chromium
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { operations } from '../../server/src/capabilities.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { signIn, startBrowser } from './browser.ts'

const there = operations.some(({ name }) => name === 'approvals.list')

describe('approvals in the dashboard', { skip: !there && 'this service does not queue what agents ask for' }, () => {
  let here: TestWorld
  let browser: Browser
  let page: Page
  let token: string
  let site: string
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    browser = await startBrowser()
    await aPerson(here, 'ann@example.com', 'owner')
    site = (await here.site()).id
    token = (await here.token('write', { approval_only: true })).token
    page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage()
    page.setDefaultTimeout(20_000)
    await page.goto(here.url)
    await signIn(page)
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  })
  after(async () => {
    await browser?.close()
    await here?.close()
  })
  const ask = (name: string, args: object) =>
    here.rest('POST', '/api/mcp', { token, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } } })
  const menu = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })

  test('what an agent asked for is shown with its versions; declined, nothing is done', async () => {
    const asked = await ask('update_site', { site_id: site, plugins: ['garden'], why: 'The garden is old.' })
    assert.match(asked.text, /awaiting_approval.*Do not try another way/)
    await menu('Approvals').click()
    await page.locator('tbody tr a.name').first().click()
    await page.getByText('1.0.0 → 1.1.0').waitFor()
    await page.getByText(/^A backup of the database is made first\. It protects this\.$/).waitFor()
    assert.equal(await page.locator('main pre').count(), 0, 'in words, never as JSON')
    await page.getByText('The agent’s reason, unverified:The garden is old.').waitFor()
    await page.locator(':focus', { hasText: 'Decline' }).waitFor()
    await page.getByLabel('A word to whoever asked').pressSequentially('Not today.')
    assert.equal(await page.getByLabel('A word to whoever asked').inputValue(), 'Not today.', 'nothing takes the focus away')
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('Not today.').waitFor()
    await page.locator('.head').getByText('Declined').waitFor()
    const { jobs } = (await here.call('jobs.list', { type: 'update' })) as { jobs: unknown[] }
    assert.equal(jobs.length, 0)
  })

  test('approved, it is done exactly as it was shown, and can be followed', async () => {
    await ask('create_backup', { site_id: site, type: 'db' })
    await menu('Approvals').click()
    await page.locator('tbody tr a.name').first().click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('link', { name: 'What became of it' }).click()
    await page.getByText(/Backed up the database/).waitFor()
    await menu('Approvals').click()
    await page.getByRole('heading', { name: 'Nothing waits for a decision' }).waitFor()
  })

  test('of a report that is to be published stands there what the client would read: how it begins, and the notes', async () => {
    const { id: client_id } = await here.call('clients.create', { name: 'Fern' })
    const { id } = await here.call('reports.draft', { client_id, from: '2026-01-01', to: '2026-03-31' })
    await here.call('reports.annotate', { report_id: id, section: 'summary', note: 'All is well in the garden.' })
    await here.rest('POST', `/api/v1/reports/${id}/publish`, { token, body: {} })
    await menu('Approvals').click()
    await page.locator('tbody tr a.name').first().click()
    await page.getByText('All is well in the garden.').waitFor()
    await page.getByText(/^The report for Fern on/).waitFor()
    await page.getByText('How it begins').waitFor()
    assert.equal(await page.locator('main pre').count(), 0)
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.locator('.head').getByText('Declined').waitFor()
  })

  test('what an agent asks for, and what becomes of it, is told to a page that asks by itself for nothing again', async () => {
    const still = await page.context().newPage()
    await still.addInitScript('window.setInterval = () => 0')
    const listening = still.waitForResponse(/\/api\/v1\/events/)
    await still.goto(`${here.url}/approvals`)
    await listening
    await still.getByRole('heading', { name: 'Nothing waits for a decision' }).waitFor()
    const { json } = await here.rest('POST', `/api/v1/sites/${site}/backups`, { token, body: { type: 'files' } })
    await still.locator('tbody tr a.name').click()
    await still.getByRole('button', { name: 'Decline' }).waitFor()
    await here.rest('POST', `/api/v1/approvals/${(json as { approval_id?: string }).approval_id}/cancel`, { token, body: {} })
    await still.locator('.head').getByText('Taken back').waitFor()
    await still.close()
  })

  test('all agents are paused with one switch, and work again with another', async () => {
    await menu('Agents & API').click()
    await page.getByRole('button', { name: 'Pause all agents' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause them' }).click()
    await page.getByRole('button', { name: 'Let them work again' }).waitFor()
    assert.notEqual((await here.rest('GET', '/api/v1/sites', { token })).status, 200)
    await page.getByRole('button', { name: 'Let them work again' }).click()
    await page.getByRole('button', { name: 'Pause all agents' }).waitFor()
    assert.equal((await here.rest('GET', '/api/v1/sites', { token })).status, 200)
  })
})
