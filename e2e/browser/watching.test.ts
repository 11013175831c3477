// Needs a Chromium: apt-get install --no-install-recommends chromium
// What is found by looking again and again, and where it is told: the pages of a site, and the settings of notifications.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { fillSite } from '../../server/test/filled.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { signIn, startBrowser } from './browser.ts'

describe('what is watched, and who is told', () => {
  let here: TestWorld
  let browser: Browser
  let page: Page
  let site: string
  let hook: Server
  let answers = 200
  const received: string[] = []
  const troubles: string[] = []
  before(async () => {
    hook = createServer((request, response) => {
      received.push(String(request.headers['webhook-signature']))
      request.resume().on('end', () => response.writeHead(answers).end())
    }).listen(0, '127.0.0.1')
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off', SERVICE_UPTIME_CHECKS: 'off' })
    await aPerson(here, 'ann@example.com', 'owner')
    site = (await here.site()).id
    await fillSite(here, site, ['akismet', 'hello', 'woocommerce'])
    browser = await startBrowser()
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    context.setDefaultTimeout(30_000)
    page = await context.newPage()
    page.on('pageerror', ({ message }) => void troubles.push(message))
    page.on('console', (said) => said.type() === 'error' && !/40[0-9]/.test(said.text()) && void troubles.push(said.text()))
    await page.goto(here.url)
    await signIn(page)
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  })
  after(async () => {
    await browser?.close()
    await here?.close()
    hook.close()
  })
  const entries = () => page.locator('main .entries > li')

  test('PHP errors name the plugin, are ignored with a reason, resolved, and found again where they went', async () => {
    await page.goto(`${here.url}/sites/${site}/errors`)
    await page.getByText('plugin akismet').waitFor()
    assert.equal(await entries().count(), 3)
    await page.getByText('The way there').first().click()
    await page.getByText('12, 34').first().waitFor()
    await page.getByRole('button', { name: 'Ignore: akismet' }).click()
    await page.getByLabel('Why').fill('The host’s own')
    await page.getByRole('dialog').getByRole('button', { name: 'Ignore' }).click()
    await page.getByText('plugin akismet').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Resolve: hello' }).click()
    await page.getByText('plugin hello').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Which' }).click()
    await page.getByRole('option', { name: 'Ignored' }).click()
    await page.getByText('The host’s own').waitFor()
    await page.getByRole('button', { name: 'Open it again' }).click()
    await page.getByText('Nothing here').waitFor()
  })

  test('a broken link says where it stands and is ignored; a scan is begun', async () => {
    await page.goto(`${here.url}/sites/${site}/links`)
    await page.getByText('It stopped at the most pages it reads.').waitFor()
    assert.equal(await entries().count(), 3)
    await page.getByText('Stands on 3 pages').first().click()
    await page.getByText('and on 2 more').waitFor()
    await page
      .getByRole('button', { name: /^Ignore: / })
      .first()
      .click()
    await page.getByLabel('Why').fill('An example')
    await page.getByRole('dialog').getByRole('button', { name: 'Ignore' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await entries().nth(2).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Scan now' }).click()
    await page.getByText('The scan has begun.').waitFor()
  })

  test('performance tells its trend in a sentence, draws what was measured with the gap, and holds the same as a table', async () => {
    await page.goto(`${here.url}/sites/${site}/performance`)
    await page.getByText(/380 ms before, 980 ms now \(\+157\.9 %\)/).waitFor()
    const drawn = (await page.locator('.plot path').first().getAttribute('d')) ?? ''
    assert.equal(drawn.match(/M/g)?.length, 2, 'two lines: nobody measured in between')
    await page.getByText('As a table').first().click()
    assert.equal(await page.locator('.plot').first().locator('tbody tr').count(), 22)
    await page.goto(`${here.url}/sites/${site}/timetable`)
    await page.getByText('what comes next first').waitFor()
    assert.ok((await page.locator('main tbody tr').count()) >= 4)
    await page.goto(`${here.url}/sites/${site}/uptime`)
    await page.getByText('Nobody has looked yet.').waitFor()
    assert.equal(await page.locator('.strip i').count(), 90)
    assert.equal(await page.locator('.strip i.good, .strip i.bad, .strip i.warn').count(), 0, 'what nobody knows is grey')
  })

  test('a webhook is added and its secret shown once; its test says what came of it; a rule sends there; removed, all of it is gone', async () => {
    await page.goto(`${here.url}/settings/notifications`)
    await page.getByRole('button', { name: 'Add a channel' }).click()
    await page.getByLabel('Name').fill('Our robot')
    await page.getByRole('radio', { name: 'Webhook' }).click()
    await page.getByLabel(/^Address \(URL\)/).fill(`http://127.0.0.1:${(hook.address() as AddressInfo).port}/secret-path`)
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.getByText('Shown only now').waitFor()
    assert.match((await page.getByRole('region', { name: 'The secret' }).textContent()) ?? '', /^whsec_/)
    await page.getByRole('button', { name: 'I have it' }).click()
    const test = page.getByRole('button', { name: 'Send a test message to Our robot' })
    await test.click()
    await page.getByText('The test message was taken').waitFor()
    assert.match(received[0] ?? '', /^v1,/)
    answers = 500
    await test.click()
    await page.getByText('The test failed').waitFor()
    await page.reload()
    await page.getByText('Our robot').first().waitFor()
    assert.ok(!(await page.content()).includes('secret-path') && !(await page.content()).includes('whsec_'), 'neither is shown again')
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByRole('combobox', { name: 'To', exact: true }).click()
    await page.getByRole('option', { name: 'Our robot' }).click()
    await page.getByRole('switch', { name: 'Quiet hours' }).click({ force: true })
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.getByText('The rule holds from now on.').waitFor()
    await page.getByText('Everything to Our robot').waitFor()
    await page.getByRole('button', { name: 'Try again: message to akismet' }).first().click()
    await page.getByText('It is tried again.').waitFor()
    await page.getByRole('button', { name: 'Remove Our robot' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Everything to Our robot').waitFor({ state: 'detached' })
  })

  test('how many backups are kept is set, and a backup is deleted beside it', async () => {
    await page.goto(`${here.url}/settings/backups`)
    await page.getByText('Not said yet').waitFor()
    await page.getByLabel('Daily ones').fill('7')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(/^Saved\./).waitFor()
    assert.equal((await here.call('schedules.get_default', {})).keep_daily, 7)
    await here.job(String((await here.call('backups.create', { site_id: site, type: 'db' })).job_id))
    await page.goto(`${here.url}/sites/${site}/backups`)
    const more = page.getByRole('button', { name: /^More about/ })
    await more.first().waitFor()
    const before = await more.count()
    await more.first().click()
    await page.getByRole('menuitem', { name: 'Delete …' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await more.nth(before - 1).waitFor({ state: 'detached' })
    assert.deepEqual(troubles, [])
  })
})
