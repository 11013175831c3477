// Needs a Chromium: apt-get install --no-install-recommends chromium
// What is found by looking again and again, and where it is told: the pages of a site, and the settings of notifications.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { fillSite } from '../../server/test/filled.ts'
import { type MailServer, startMailServer } from '../../server/test/mail-server.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { signIn, startBrowser, troublesOf } from './browser.ts'

describe('what is watched, and who is told', () => {
  let here: TestWorld
  let browser: Browser
  let page: Page
  let site: string
  let hook: Server
  let mail: MailServer
  let answers = 200
  const received: string[] = []
  const bodies: string[] = []
  let troubles: string[]
  before(async () => {
    hook = createServer((request, response) => {
      received.push(String(request.headers['webhook-signature']))
      void text(request).then((body) => {
        bodies.push(body)
        response.writeHead(answers).end()
      })
    }).listen(0, '127.0.0.1')
    mail = await startMailServer()
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off', SERVICE_UPTIME_CHECKS: 'off', SERVICE_SMTP_URL: mail.url })
    await aPerson(here, 'ann@example.com', 'owner')
    site = (await here.site()).id
    await fillSite(here, site, ['akismet', 'hello', 'woocommerce'])
    browser = await startBrowser()
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    context.setDefaultTimeout(30_000)
    page = await context.newPage()
    troubles = troublesOf(page)
    await page.goto(here.url)
    await signIn(page)
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  })
  after(async () => {
    await browser?.close()
    await here?.close()
    hook.close()
    await mail?.stop()
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
    await page.getByText('No day was watched yet.').waitFor()
    assert.equal(await page.locator('.strip i').count(), 90)
    assert.equal(await page.locator('.strip i.good, .strip i.bad, .strip i.warn').count(), 0, 'what nobody knows is grey')
  })

  test('uptime tells what was seen: a bar for each day, what happened, why and for how long', async () => {
    await sql`INSERT INTO uptime_hours (workspace_id, site_id, location, hour, checks, ups, excluded, ms_sum, ms_histogram)
      SELECT ${here.workspaceId}, ${site}, 'here', date_trunc('hour', now()) - h * interval '1 hour', 60, CASE WHEN h = 30 THEN 20 ELSE 60 END, 0,
        CASE WHEN h = 3 THEN 60 * 900 ELSE 60 * 200 END, '{}' FROM generate_series(1, 47) h`.execute(here.world.db)
    await sql`INSERT INTO uptime_incidents (workspace_id, id, site_id, location, kind, cause, message, started_at, ended_at)
      VALUES (${here.workspaceId}, 'incident_still', ${site}, 'here', 'down', 'dns', 'It has no address.', now() - interval '10 minutes', NULL)`.execute(
      here.world.db,
    )
    await page.goto(`${here.url}/sites/${site}/uptime`)
    await page.getByText(/^[23] of 90 days were watched; the worst was .* with 9\d\.\d+ %\.$/).waitFor()
    assert.equal(await page.locator('.strip i').count(), 90)
    assert.equal(await page.locator('.strip i.bad').count(), 1)
    assert.ok((await page.locator('.strip i.good').count()) >= 1)
    await page
      .getByText(/^Between 200 and 900 ms; slowest /)
      .first()
      .waitFor()
    const [still, over] = [entries().filter({ hasText: 'Going on' }), entries().filter({ hasText: 'akismet' })]
    assert.match((await still.textContent()) ?? '', /Its name is not in DNS\. It has no address\..*1\d min so far/)
    assert.match((await over.textContent()) ?? '', /Over.*It answered with an error\. akismet \(HTTP 503\).*30 min/)
  })

  test('maintenance is announced in the time of the viewer, and ended before its time', async () => {
    await page.goto(`${here.url}/sites/${site}/uptime`)
    const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Maintenance', exact: true }) })
    await card.getByText('None is announced.').waitFor()
    const inTwoHours = await page.evaluate<string>(`(() => {
      const at = new Date(Date.now() + 7_200_000)
      at.setMinutes(at.getMinutes() - at.getTimezoneOffset())
      return at.toISOString().slice(0, 16)
    })()`)
    await card.getByLabel('Why').fill('The host moves')
    await card.getByLabel('Until').fill(inTwoHours)
    await card.getByRole('button', { name: 'Announce it' }).click()
    await card.getByRole('listitem').filter({ hasText: 'The host moves' }).waitFor()
    const announced = async () => {
      const { windows } = (await here.call('uptime.get', { site_id: site })) as { windows: { reason: string; ends_at: string }[] }
      return windows.map(({ reason, ends_at }) => [reason, ends_at])
    }
    const ends = await page.evaluate<string>(`new Date('${inTwoHours}').toISOString()`)
    assert.deepEqual(await announced(), [['The host moves', ends]])
    await card.getByRole('button', { name: 'End it: The host moves' }).click()
    await card.getByText('None is announced.').waitFor()
    assert.deepEqual(await announced(), [])
  })

  test('maintenance of all sites is announced and ended in the settings, beside what is announced of single ones', async () => {
    await here.call('uptime.maintain', {
      site_id: site,
      reason: 'A new theme',
      ends_at: '2099-01-01T00:00:00Z',
      starts_at: '2098-12-31T00:00:00Z',
    })
    await page.goto(`${here.url}/settings`)
    const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Maintenance of all sites', exact: true }) })
    await card.getByRole('listitem').filter({ hasText: 'A new theme' }).getByRole('link').waitFor()
    await card.getByLabel('Why').fill('The network moves')
    await card.getByLabel('From').fill('2098-12-30T10:00')
    await card.getByLabel('Until').fill('2098-12-30T12:00')
    await card.getByRole('button', { name: 'Announce it' }).click()
    await card.getByRole('listitem').filter({ hasText: 'The network moves' }).getByText('of all sites').waitFor()
    await page.goto(`${here.url}/sites/${site}/uptime`)
    await page.getByRole('listitem').filter({ hasText: 'The network moves' }).getByText('of all sites').waitFor()
    await page.goto(`${here.url}/settings`)
    for (const reason of ['The network moves', 'A new theme']) {
      await card.getByRole('button', { name: `End it: ${reason}` }).click()
      await card.getByRole('listitem').filter({ hasText: reason }).waitFor({ state: 'detached' })
    }
    assert.deepEqual((await here.call('uptime.get_default', {})).windows, [])
  })

  test('how a site is watched is set on the page of its uptime, and how all are in the settings; paused, nobody says that it is up', async () => {
    await sql`INSERT INTO uptime_states (workspace_id, site_id, location, up, app_up, connector_silent, since)
      VALUES (${here.workspaceId}, ${site}, 'here', true, true, false, now()) ON CONFLICT (workspace_id, site_id, location)
      DO UPDATE SET up = true, app_up = true, connector_silent = false, unproven_since = NULL`.execute(here.world.db)
    await page.goto(`${here.url}/sites/${site}/uptime`)
    const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'How it is watched', exact: true }) })
    const save = async (within: typeof card) => {
      const saved = page.waitForResponse(
        (response) => response.request().method() === 'POST' && response.url().endsWith('/uptime/settings'),
      )
      await within.getByRole('button', { name: 'Save', exact: true }).click()
      assert.equal((await saved).status(), 200)
    }
    await card.getByLabel('Page that is asked for').fill('/shop/')
    await card.getByLabel('Words that stand there').fill('Opening hours')
    await card.getByLabel('Look whether it answers').uncheck()
    await save(card)
    const { enabled, path, text_wanted, own } = await here.call('uptime.get', { site_id: site })
    assert.deepEqual([enabled, path, text_wanted], [false, '/shop/', 'Opening hours'])
    assert.deepEqual([...(own as string[])].sort(), ['enabled', 'path', 'text_wanted'], 'the rest is as all sites have it')
    await page.getByRole('navigation', { name: 'This site' }).getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Nobody has looked yet whether its pages answer, or its watching is paused.').waitFor()
    await page.goto(`${here.url}/settings`)
    const all = page.locator('section.card', { has: page.getByRole('heading', { name: 'How sites are watched', exact: true }) })
    await all.getByLabel('Seconds between two looks').fill('120')
    await save(all)
    assert.equal((await here.call('uptime.get_default', {})).interval_s, 120)
    await page.goto(`${here.url}/sites/${site}/uptime`)
    await card.getByLabel('Page that is asked for').fill('')
    await save(card)
    assert.equal((await here.call('uptime.get', { site_id: site })).path, '/', 'as all sites have it')
  })

  test('a finding is ignored with a reason, and counts again', async () => {
    await page.goto(`${here.url}/sites/${site}/security`)
    await page.getByRole('button', { name: 'Ignore: akismet' }).click()
    await page.getByLabel('Why').fill('Patched by the host')
    await page.getByRole('dialog').getByRole('button', { name: 'Ignore' }).click()
    await page.getByRole('button', { name: 'Ignore: akismet' }).waitFor({ state: 'detached' })
    await page.getByLabel('Which findings').getByText('Ignored').click()
    await page.getByText('Patched by the host').waitFor()
    await page.getByRole('button', { name: 'Count it again' }).click()
    await page.getByText('It counts again.').waitFor()
    await page.getByText('Patched by the host').waitFor({ state: 'detached' })
    await page.getByLabel('Which findings').getByText('Open').click()
    await page.getByRole('button', { name: 'Ignore: akismet' }).waitFor()
  })

  test('mail and Slack are channels too, each told by its test what is sent there', async () => {
    await page.goto(`${here.url}/settings/notifications`)
    const add = async (name: string, how: string, field: RegExp, where: string) => {
      await page.getByRole('button', { name: 'Add a channel' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByRole('radio', { name: how }).click()
      await dialog.getByLabel(field).fill(where)
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: `Send a test message to ${name}` }).click()
      await entries().filter({ hasText: name }).getByText('The test message was taken').waitFor()
    }
    await add('Our mail', 'E-mail', /^Addresses/, 'ops@example.com')
    assert.deepEqual(mail.mails.at(-1)?.to, ['ops@example.com'])
    await add('Our Slack', 'Slack', /^Address \(URL\)/, `http://127.0.0.1:${(hook.address() as AddressInfo).port}/secret-path`)
    assert.match(JSON.parse(bodies.at(-1) ?? '{}').text, /test/i)
    received.length = 0
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

  test('a site gets a schedule of its own, and a backup of it is read back', async () => {
    await here.job(String((await here.call('backups.create', { site_id: site, type: 'db' })).job_id))
    await page.goto(`${here.url}/sites/${site}/settings`)
    await page.getByLabel('Back up every day').check()
    await page.getByLabel(/^At \(UTC\)/).fill('03:30')
    await page.getByRole('combobox', { name: 'What' }).click()
    await page.getByRole('option', { name: 'Database only' }).click()
    await page.getByRole('button', { name: 'Save the schedule' }).click()
    await page.getByText('The schedule is saved.').waitFor()
    const { enabled, at, type, inherited } = await here.call('schedules.get', { site_id: site })
    assert.deepEqual([enabled, at, type, inherited], [true, '03:30', 'db', false])
    await page.getByRole('navigation', { name: 'This site' }).getByRole('link', { name: 'Backups' }).click()
    await page.getByText(/^Backed up daily at 03:30 UTC.*, the database\.$/).waitFor()
    const row = page.locator('main tbody tr').first()
    await row.getByRole('button', { name: /^More about/ }).click()
    await page.getByRole('menuitem', { name: 'Verify' }).click()
    await page.getByText('The backup is read back and checked.').waitFor()
    await row.locator('td[data-label=Verified] time').waitFor()
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
