// Needs a Chromium: apt-get install --no-install-recommends chromium
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { operations } from '../../server/src/capabilities.ts'
import { anOffer, aPlugin } from '../../server/test/fake-items.ts'
import type { RunningFakeSite } from '../../server/test/fake-site.ts'
import { copySites } from '../../server/test/filled.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { signIn, startBrowser } from './browser.ts'

const there = operations.some(({ name }) => name === 'approvals.list')

describe('approvals in the dashboard', { skip: !there && 'this service does not queue what agents ask for' }, () => {
  let here: TestWorld
  let browser: Browser
  let page: Page
  let agent: { token: string; id: string }
  let token: string
  let site: string
  let fake: RunningFakeSite
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    browser = await startBrowser()
    await aPerson(here, 'ann@example.com', 'owner')
    const paired = await here.site()
    site = paired.id
    fake = paired.fake
    agent = await here.token('write', { approval_only: true })
    token = agent.token
    page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage()
    page.setDefaultTimeout(60_000)
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
  const asAgent = (name: string, input: object) => {
    const scopes = new Set(['read', 'write'] as const)
    return here.call(name, input, { caller: here.caller({ type: 'token', id: agent.id, name: 'test', scopes, approvalOnly: true }) })
  }
  /** What was asked for last, by its address: for a moment the list shows what waited when it was looked at before. */
  const openNewest = async () => {
    const { approvals } = (await here.call('approvals.list', { status: 'pending', limit: 1 })) as { approvals: { id: string }[] }
    await menu('Approvals').click()
    await page.locator(`tbody a.name[href="/approvals/${approvals[0]?.id}"]`).click()
  }
  const decline = async () => {
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.locator('.head').getByText('Declined').waitFor()
  }
  const menu = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })

  test('what an agent asked for is shown with its versions; declined, nothing is done', async () => {
    const asked = await ask('update_site', { site_id: site, plugins: ['garden'], why: 'The garden is old.' })
    assert.match(asked.text, /awaiting_approval.*Do not try another way/)
    await openNewest()
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
    await page.locator('h1:focus', { hasText: 'Update sites' }).waitFor()
    await page.getByRole('heading', { name: 'What it is about' }).waitFor()
    assert.equal((await page.getByText('If you approve').count()) + (await page.getByText('Ends', { exact: true }).count()), 0)
    const { jobs } = (await here.call('jobs.list', { type: 'update' })) as { jobs: unknown[] }
    assert.equal(jobs.length, 0)
  })

  test('approved, it is done exactly as it was shown, and can be followed', async () => {
    await ask('create_backup', { site_id: site, type: 'db' })
    await openNewest()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('link', { name: 'What became of it' }).click()
    await page.getByText(/Backed up the database/).waitFor()
    await menu('Approvals').click()
    await page.getByRole('heading', { name: 'Nothing waits for a decision' }).waitFor()
  })

  test('whoever has decided goes on to what waits longest, without the list', async () => {
    for (const [type, why] of [
      ['db', 'The first.'],
      ['files', 'The second.'],
      ['full', 'The third.'],
    ])
      await ask('create_backup', { site_id: site, type, why })
    await openNewest()
    for (const [why, left] of [
      ['The third.', '2 more wait for a decision.'],
      ['The first.', '1 more waits for a decision.'],
    ] as const) {
      await page.getByText(`The agent’s reason, unverified:${why}`).waitFor()
      await decline()
      await page.getByText(left).waitFor()
      await page.getByRole('link', { name: /^Next: / }).click()
    }
    await page.getByText('The agent’s reason, unverified:The second.').waitFor()
    await decline()
    assert.equal(await page.getByRole('link', { name: /^Next/ }).count(), 0)
  })

  test('of a report that is to be published stands there what the client would read: how it begins, and the notes', async () => {
    const { id: client_id } = await here.call('clients.create', { name: 'Fern' })
    const { id } = await here.call('reports.draft', { client_id, from: '2026-01-01', to: '2026-03-31' })
    await here.call('reports.annotate', { report_id: id, section: 'summary', note: 'All is well in the garden.' })
    await here.rest('POST', `/api/v1/reports/${id}/publish`, { token, body: {} })
    await openNewest()
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

  test('of a restore stands there which backup it is of, and by name what goes', async () => {
    const { job_id, backup_id } = await here.call('backups.create', { site_id: site, type: 'db' })
    await here.job(String(job_id))
    const kept = [...fake.state.tables]
    const [first = assert.fail('no table')] = kept
    for (const n of [1, 2, 3, 4, 5, 6]) fake.state.tables.push({ ...first, name: `wp_orders_${n}` })
    await asAgent('restores.create', { site_id: site, backup_id })
    await openNewest()
    await page.getByText(/^From the backup of .*, just now \(db\): backup_/).waitFor()
    await page.getByText(String(backup_id)).first().waitFor()
    const removed = page.locator('li', { hasText: 'Tables that are removed' })
    assert.match((await removed.textContent()) ?? '', /wp_orders_1, wp_orders_2, wp_orders_3, wp_orders_4, wp_orders_5Show all 6$/)
    await removed.getByRole('button', { name: 'Show all 6' }).click()
    await removed.getByText(/wp_orders_6/).waitFor()
    await decline()
    fake.state.tables = kept
  })

  test('of many sites and many changes each is shown', async () => {
    const copies = await copySites(here, site, 40, (n) => ({ name: `Copy ${n}` }))
    await asAgent('backups.create', { site_ids: [site, ...copies], type: 'db' })
    await page.reload()
    await openNewest()
    const sites = page.locator('main p a[href^="/sites/"]')
    await page.getByRole('button', { name: 'Show all 41' }).click()
    await page.getByRole('link', { name: 'Copy 39' }).waitFor()
    assert.equal(await sites.count(), 41)
    await page.getByRole('button', { name: 'Show fewer' }).click()
    await page.getByRole('link', { name: 'Copy 39' }).waitFor({ state: 'detached' })
    await decline()
    const fixes = `apr_${'1'.padStart(26, '0')}`
    const side_effects: string[] = []
    const plan = Array.from({ length: 230 }, (_, n) => ({
      ...{ site_id: copies[n % 40], tweak_id: `tweak_${n}`, state: 'off', will: 'apply', reason: null, site_said: null, side_effects },
    }))
    await sql`INSERT INTO approvals (workspace_id, id, status, operation, title, face, requested_by, request_id, reason, sealed_input, input_digest, shown_input,
        plan, plan_digest, bound, site_ids, created_at, expires_at)
      VALUES (${here.workspaceId}, ${fixes}, 'pending', 'tweaks.apply', 'Apply security fixes', 'mcp', '{"type":"token","id":"token","name":"test"}', 'r', '', '',
        'd', '{}', ${JSON.stringify({ plan })}, 'd', '{}', ${copies}, now(), now() + interval '24 hours')`.execute(here.world.db)
    await page.goto(`${here.url}/approvals/${fixes}`)
    await page.getByText('Tweak 229').waitFor()
    assert.equal(await page.getByRole('region', { name: 'What is switched on or taken back' }).locator('ul > li').count(), 230)
  })

  test('each wave of an agent’s update waits for a person, who lets all go, or stops it', async () => {
    await here.call('schedules.set_default', { pre_update: 'none' })
    const sites = [await here.site(), await here.site(), await here.site()]
    const begin = async () => {
      for (const { id, fake } of sites) {
        Object.assign(fake.state, { items: [aPlugin('hedge', { version: '1.0.0', update: anOffer('1.0.1') })], updateMs: 0 })
        await here.call('inventory.get', { site_id: id, refresh: true })
      }
      const { approval_id } = await asAgent('rollouts.start', { site_ids: sites.map(({ id }) => id), first_wave: 1, wave_size: 1 })
      await page.goto(`${here.url}/approvals/${approval_id}`)
      await page.getByText('3 sites, in 3 waves:').waitFor()
      assert.equal(await page.getByLabel('Allow all waves').isChecked(), false)
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('link', { name: 'What became of it' }).click()
      await page.getByText('Wave 2 waits for approval.').waitFor()
    }
    await begin()
    await page.getByRole('link', { name: 'Look at it and decide' }).click()
    await page.getByText('Wave 2 of 3, and what comes behind it: 2 sites.').waitFor()
    await page.getByLabel('Allow all waves').check()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('All were let go').waitFor()
    await page.getByRole('link', { name: 'What became of it' }).click()
    await page.locator('main .card').getByText('Completed').waitFor()
    await begin()
    await page.getByRole('button', { name: 'Stop it' }).click()
    await page.getByText('No further site is begun; those at work are finished.').waitFor()
    await page.locator('main .card').getByText('Canceled', { exact: true }).waitFor()
    assert.equal(await page.locator('tbody').getByText('Not started').count(), 2)
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

  test('what became void, and what nobody decided in time, say so and are decided no more', async () => {
    const other = await here.token('write', { approval_only: true })
    const askedBy = async (secret: string) => {
      const { json } = await here.rest('POST', `/api/v1/sites/${site}/backups`, { token: secret, body: { type: 'files' } })
      return (json as { approval_id?: string }).approval_id
    }
    const [late, gone] = [await askedBy(token), await askedBy(other.token)]
    await here.call('tokens.revoke', { token_id: other.id })
    here.clock.add(25 * 3_600_000)
    for (const [id, state, why] of [
      [gone, 'Void', 'The token that asked for it was revoked.'],
      [late, 'Expired', 'Nobody decided in time.'],
    ]) {
      await page.goto(`${here.url}/approvals/${id}`)
      await page.locator('.head').getByText(`${state}`, { exact: true }).waitFor()
      await page.getByText(`${why}`).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0)
    }
  })
})
