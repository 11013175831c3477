// Needs a Chromium: apt-get install --no-install-recommends chromium
// What people do with their sites day by day: more than fits on one page, what a colleague changes meanwhile, a login, a finding's way out.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page, Request } from 'playwright-core'
import { finding } from '../../server/src/security/checks.ts'
import { recordFindings } from '../../server/src/security/record.ts'
import { anOffer, aPlugin } from '../../server/test/fake-items.ts'
import type { RunningFakeSite } from '../../server/test/fake-site.ts'
import { putFile } from '../../server/test/fake-state.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { picture, signIn, startBrowser } from './browser.ts'

describe('sites, day by day', () => {
  let here: TestWorld
  let browser: Browser
  let page: Page
  let site: { id: string; fake: RunningFakeSite }
  const troubles: string[] = []
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    await aPerson(here, 'ann@example.com', 'owner')
    site = await here.site(undefined, 'Fake Garden')
    const plugins = Array.from({ length: 60 }, (_, n) => aPlugin(`tool-${n + 10}`, n < 55 ? { update: anOffer('1.1') } : {}))
    site.fake.state.items = plugins
    await here.call('inventory.get', { site_id: site.id, refresh: true })
    browser = await startBrowser()
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    context.setDefaultTimeout(30_000)
    page = await context.newPage()
    page.on('pageerror', ({ message }) => void troubles.push(message))
    await page.goto(here.url)
    await signIn(page)
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  })
  after(async () => {
    await browser?.close()
    await here?.close()
  })
  const open = (path: string) => page.goto(here.url + path)

  test('every plugin of the fleet is listed by pages, and found by a word of its name wherever it stands', async () => {
    await open('/updates')
    const names = page.locator('main table').first().locator('tbody a.name')
    await page.getByRole('button', { name: 'Show more of 55' }).click()
    await names.nth(54).waitFor()
    assert.equal(await names.count(), 55)
    await page.getByText('Everything installed').click()
    await page.getByRole('button', { name: 'Show more of 60' }).waitFor()
    await page.getByLabel('Search plugins and themes').fill('TOOL-69')
    await names.nth(1).waitFor({ state: 'detached' })
    assert.deepEqual(await names.allInnerTexts(), ['tool-69'])
    await page.getByLabel('Search plugins and themes').fill('nothing such')
    await page.getByRole('heading', { name: 'Nothing is called that' }).waitFor()
  })

  test('rollouts are listed to the first of them', async () => {
    for (let n = 0; n < 21; n++) await here.call('rollouts.start', { site_ids: [site.id], plugins: ['nothing-such'] })
    await open('/updates')
    const rollouts = page.locator('main table').last().locator('tbody tr')
    await page.getByRole('button', { name: 'Show more of 21 rollouts' }).click()
    await rollouts.nth(20).waitFor()
  })

  test('a site whose administrator is gone asks for another’s login, and the way in stays on the page as long as it works', async () => {
    site.fake.state.users = []
    await open(`/sites/${site.id}`)
    await page.getByRole('button', { name: 'Log in to wp-admin' }).click()
    const dialog = page.getByRole('dialog', { name: 'Log in to wp-admin' })
    await dialog.getByText('The administrator who paired this site is not one any more.').waitFor()
    site.fake.state.users = ['anna']
    await dialog.getByRole('textbox').fill('ben')
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click()
    await dialog.getByText('No administrator of this site has that login').waitFor()
    await dialog.getByRole('textbox').fill('anna')
    const opening = page.context().waitForEvent('page')
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click()
    await (await opening).close()
    await dialog.waitFor({ state: 'detached' })
    const link = page.getByRole('link', { name: 'Open wp-admin' })
    assert.equal(new URL(String(await link.getAttribute('href'))).origin, site.fake.url)
  })

  test('a toast says which field is wrong, and why', async () => {
    await page.route('**/security/check', (route) =>
      route.fulfill({
        status: 422,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          ...{ code: 'invalid_payload', detail: 'Some fields are not valid.' },
          errors: [{ path: 'site_id', message: 'It is being moved.' }],
        }),
      }),
    )
    await open(`/sites/${site.id}/security`)
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Some fields are not valid. Site id: It is being moved.').waitFor()
    await page.unroute('**/security/check')
  })

  test('all findings are shown, by pages, and lead to the tweak or the update that ends them', async () => {
    const look = { workspaceId: here.workspaceId, siteId: site.id, source: 'outside' as const, at: here.world.now() }
    const component = { type: 'plugin' as const, slug: 'tool-10', name: 'tool-10', version: '1.0' }
    const update = { type: 'plugin' as const, slug: 'tool-10', version: '1.1' }
    await recordFindings(here.world.db, look, [
      finding('file_editor', { evidence: [] }),
      finding('plugin_outdated', { evidence: [], component, fix: { update } }),
      ...Array.from({ length: 58 }, (_, n) => finding('readme_exposed', { key: `readme ${n}`, evidence: [] })),
    ])
    await open(`/sites/${site.id}/security`)
    await page.getByRole('button', { name: 'Show more of 60 findings' }).click()
    await page.locator('main .entries > li').nth(59).waitFor()
    await page.getByRole('button', { name: /^Fix: .*wp-admin/ }).click()
    const tweak = page.getByRole('dialog', { name: 'Apply “File editor off”?' })
    await tweak.getByRole('button', { name: 'Cancel' }).click()
    await tweak.waitFor({ state: 'detached' })
    await page
      .locator('main .entries > li', { hasText: 'tool-10' })
      .getByRole('button', { name: /^Fix: / })
      .click()
    await page.getByRole('dialog', { name: 'Update one item?' }).getByText('1.0 → 1.1').waitFor()
  })

  test('who saves notes leaves the tags that a colleague has set meanwhile', async () => {
    await open(`/sites/${site.id}/settings`)
    await page.getByRole('textbox', { name: 'Notes' }).fill('Mind the cache.')
    await here.call('sites.set', { site_id: site.id, tags: ['shop'], client: 'Fern' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    const told = async () => {
      const { tags, client, notes } = await here.call('sites.get', { site_id: site.id })
      return { tags, client, notes }
    }
    assert.deepEqual(await told(), { tags: ['shop'], client: 'Fern', notes: 'Mind the cache.' })
    await page.getByRole('textbox', { name: 'Notes' }).fill('Mind the cache and the queue.')
    const saved = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await saved
    assert.deepEqual(await told(), { tags: ['shop'], client: 'Fern', notes: 'Mind the cache and the queue.' })
  })

  const asksNames = (request: Request) => new URL(request.url()).pathname === '/api/v1/sites'
  test('a site that was added a moment ago has its name; for one that is gone nobody asks again and again', async () => {
    const { job_id } = await here.call('backups.create', { site_id: site.id, type: 'db' })
    await here.job(String(job_id))
    await open('/jobs')
    await page.getByRole('cell', { name: 'Fake Garden' }).first().waitFor()
    const asked = page.waitForRequest(asksNames)
    const fresh = await here.site(undefined, 'Fresh Garden')
    await asked
    await here.call('backups.create', { site_id: fresh.id, type: 'db' })
    await page.getByRole('cell', { name: 'Fresh Garden' }).first().waitFor()

    // Where nothing is told as it happens, what a page meets is enough.
    await page.route('**/api/v1/events', (route) => route.abort())
    await open('/jobs')
    await page.getByRole('cell', { name: 'Fresh Garden' }).first().waitFor()
    const late = await here.site(undefined, 'Late Garden')
    await here.call('backups.create', { site_id: late.id, type: 'db' })
    await page.getByRole('cell', { name: 'Late Garden' }).first().waitFor()

    await page.route('**/api/v1/jobs?*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replaceAll(late.id, `site_${'0'.repeat(26)}`) })
    })
    let questions = 0
    page.on('request', (request) => {
      if (asksNames(request)) questions++
    })
    await open('/jobs')
    await page.getByText('a site that is gone').first().waitFor()
    for (let n = 0; n < 2; n++) await page.waitForResponse(/\/api\/v1\/jobs\?/)
    assert.equal(questions, 2, 'all names once, and once more for the one that is missing')
    await page.unroute('**/api/v1/jobs?*')
    await page.unroute('**/api/v1/events')
  })

  test('a backup that is not whole says so, names what it lacks and what it holds from elsewhere, and the restore tells what stays', async () => {
    const garden = await here.site(undefined, 'Lacking Garden')
    const { state } = garden.fake
    const link = (target: string) => ({ bytes: Buffer.alloc(0), mode: 0o777, mtime: 0, ctime: 0, inode: 7, target })
    state.roots = [
      { id: 'abspath', path: '/srv/www', at: '' },
      { id: 'uploads', path: '/srv/shared', only: ['media'], at: 'wp-content/uploads', writable: true },
    ]
    for (const path of state.files.keys()) if (path.startsWith('wp-content/uploads/')) state.files.delete(path)
    state.files.set('wp-content/uploads', link('../../shared/media'))
    putFile(state, 'uploads:media/a.jpg', 'a picture')
    for (let n = 10; n < 22; n++) {
      state.files.set(`wp-content/<b>logs</b>-${n}`, link('/var/log'))
      state.outside.set(`wp-content/<b>logs</b>-${n}`, 'it is a folder of the system')
    }
    state.excluded.set('shop', 'another WordPress')
    for (const type of ['full', 'db']) await here.job(String((await here.call('backups.create', { site_id: garden.id, type })).job_id))

    await open(`/sites/${garden.id}/backups`)
    const lacking = page.locator('tbody tr', { hasText: 'Completed, not whole' })
    const names = (words: string) => lacking.locator('details', { hasText: words })
    await lacking.waitFor()
    for (const [words, name] of [
      ['Lacks what is behind 12 places that lead out of the site', 'wp-content/<b>logs</b>-19 (it is a folder of the system)'],
      ['Leaves out another WordPress in a folder of the site', 'shop'],
      ['Holds 1 place outside of WordPress’s own folders', '/srv/shared/media (uploads)'],
    ] as const) {
      await names(words).locator('summary').click()
      await names(words).getByText(name, { exact: true }).waitFor()
    }
    await names('Lacks').getByText('and 2 more', { exact: true }).waitFor()
    assert.equal(await page.locator('tbody tr').filter({ hasNotText: 'Completed, not whole' }).locator('details').count(), 0)
    await picture(page, 'backup-not-whole-1280')
    await page.setViewportSize({ width: 390, height: 860 })
    await picture(page, 'backup-not-whole-390')
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, 'it fits a phone')
    await page.setViewportSize({ width: 1280, height: 860 })

    await lacking.getByRole('button', { name: /More about/ }).click()
    await page.getByRole('menuitem', { name: 'Restore …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore this backup?' })
    await dialog.getByText(/^Not in the backup is what these lead to; it stays: wp-content\/<b>logs<\/b>-10/).waitFor()
    await picture(page, 'restore-not-whole-1280')
  })

  test('the palette knows every part of a site, and what can be done', async () => {
    await open(`/sites/${site.id}`)
    await page.getByRole('button', { name: 'Log in to wp-admin' }).waitFor()
    const field = page.getByRole('combobox', { name: 'A site, a page or an action' })
    const choose = async (words: string, name: RegExp) => {
      await page.keyboard.press('Control+k')
      await field.fill(words)
      await page.getByRole('option', { name }).first().click()
    }
    for (const [words, part] of [
      ['jobs site', 'jobs'],
      ['timetable', 'timetable'],
      ['back up', 'backups'],
      ['update site', 'updates'],
    ] as const) {
      await choose(words, /of this site$/)
      await page.waitForURL(`**/sites/${site.id}/${part}`)
    }
    await choose('add a site', /Action$/)
    await page.getByRole('dialog', { name: 'Add a site' }).getByText('Waiting for the site').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await choose('pause', /Action$/)
    await page.getByRole('dialog', { name: 'Pause all agents?' }).getByRole('button', { name: 'Pause them' }).click()
    await page.getByText('All agents are paused.').waitFor()
    assert.notEqual((await here.call('agents.get', {})).paused_at, null)
  })

  test('nothing went wrong in the page meanwhile', () => assert.deepEqual(troubles, []))
})
