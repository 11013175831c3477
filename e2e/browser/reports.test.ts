// Needs a Chromium: apt-get install --no-install-recommends chromium
// What people do with clients and reports on the dashboard, in a real browser: with a mail server that speaks SMTP, and a program that prints.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { deliverMails } from '../../server/src/reports/mails.ts'
import { aChromium } from '../../server/test/fake-chromium.ts'
import { aYear } from '../../server/test/fake-year.ts'
import { type MailServer, partsOf, startMailServer } from '../../server/test/mail-server.ts'
import { aPerson } from '../../server/test/person.ts'
import { until } from '../../server/test/until.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { signIn, startBrowser } from './browser.ts'

/** A PNG of one pixel. */
const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')

describe('clients and reports on the dashboard', () => {
  let here: TestWorld
  let browser: Browser
  let page: Page
  let smtp: MailServer
  let published = ''
  const printer = aChromium('prints')
  const troubles: string[] = []
  before(async () => {
    smtp = await startMailServer()
    const mail = { SERVICE_SMTP_URL: smtp.url, SERVICE_MAIL_FROM: 'fleet@example.com' }
    const settings = { ...mail, SERVICE_SECURITY_CHECKS: 'off', SERVICE_CHROMIUM: printer.program }
    here = await aWorld(settings, undefined, { withoutDuties: ['report schedule', 'report mails'] })
    here.clock.add(Date.parse('2027-01-15T00:00:00Z') - here.world.now().getTime())
    await aPerson(here, 'ann@example.com', 'owner')
    await here.call('clients.create', { name: 'Garden Ltd', time_zone: 'Pacific/Auckland' })
    await aYear(here, { client: 'Garden Ltd', sites: 2, from: '2026-03-01T00:00:00Z', days: 31 })
    browser = await startBrowser()
    page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
    page.setDefaultTimeout(60_000)
    page.on('pageerror', ({ message }) => void troubles.push(message))
    await page.goto(here.url)
    await signIn(page)
    await page.getByRole('link', { name: 'Activity' }).first().waitFor()
  })
  after(async () => {
    await browser?.close()
    await here?.close()
    await smtp?.stop()
    printer.stop()
  })

  const dialog = (): Locator => page.getByRole('dialog')
  const said = (words: string | RegExp) => page.getByRole('status').getByText(words).waitFor()
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
  const openClient = async () => {
    await page.goto(`${here.url}/clients`)
    await page.getByRole('link', { name: 'Garden Ltd' }).click()
    await heading('Garden Ltd')
  }
  const openReport = async (id: string) => {
    await page.goto(`${here.url}/reports/${id}`)
    await heading(/^Garden Ltd: /)
  }
  /** The mail server took them all, or gave them up. */
  const delivered = (status: string) =>
    until(async () => {
      await deliverMails(here.world)
      const { mails } = (await here.call('reports.get', { report_id: published })) as unknown as { mails: { status: string }[] }
      return mails[0]?.status === status
    })

  test('whose reports these are is said once, and a domain that is none is refused at its field', async () => {
    await page.goto(`${here.url}/reports`)
    await page.getByText('Draft one for a client, or have one come each month').waitFor()
    await page.getByLabel('From', { exact: true }).fill('Fern Agency')
    await page.getByLabel('Links begin with').fill('http://reports.example.com/x')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Must be like https://reports.example.com').waitFor()
    await page.getByLabel('Links begin with').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await said('Saved. What was published stays as it is.')
    assert.equal((await here.call('reports.settings')).sender, 'Fern Agency')
  })

  test('a client is given a logo, recipients and a day of the month; to nobody nothing can be sent, which is said', async () => {
    await openClient()
    await page.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pixel })
    await page.getByRole('combobox', { name: 'Each month' }).click()
    await page.getByRole('option', { name: 'Drafted, then published and sent' }).click()
    await page.getByText('Nobody gets these reports yet').waitFor()
    await page.getByText('In the client’s time zone.').waitFor()
    await page.getByRole('combobox', { name: 'Reports go to' }).fill('bo@example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Nobody gets these reports yet').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await said('Saved.')
    await page.getByText(/The next draft comes/).waitFor()
    await page.getByRole('img', { name: 'The logo' }).waitFor()
    const client = await here.call('clients.get', { client_id: 'Garden Ltd' })
    assert.deepEqual([client.recipients, (client.schedule as { mode: string }).mode], [['bo@example.com'], 'send'])
  })

  test('a draft is begun, a section of it hidden, its figures made anew, its mail looked at and tried, and thrown away', async () => {
    await openClient()
    await page.getByRole('button', { name: 'Draft a report' }).click()
    await dialog().getByLabel('Month').fill('2026-03')
    await dialog().getByRole('button', { name: 'Draft it' }).click()
    await heading('Garden Ltd: March 2026')
    const backups = page.getByRole('checkbox', { name: 'Show Backups' })
    await backups.click()
    await until(async () => !(await backups.isChecked()) && (await backups.isEnabled()))
    await page.getByRole('button', { name: 'Make the figures anew' }).click()
    await said('The figures are those of now.')
    assert.equal(await backups.isChecked(), false)
    const look = page.getByRole('link', { name: 'Look at it' })
    const { sites } = (await here.call('sites.list', { client: 'Garden Ltd' })) as unknown as { sites: { id: string }[] }
    await here.call('sites.set', { site_id: sites[0]?.id, client: 'Somebody else' })
    await page.getByText('Something in this draft is no longer for this client.').waitFor()
    await look.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Make the figures anew' }).click()
    await look.waitFor()
    await here.call('sites.set', { site_id: sites[0]?.id, client: 'Garden Ltd' })
    await here.call('clients.remove', { client_id: 'Somebody else' })
    await page.getByRole('button', { name: 'Look at the mail' }).click()
    await dialog().getByText('bo@example.com').waitFor()
    await dialog().getByText('Fern Agency').first().waitFor()
    await dialog().getByRole('button', { name: 'Send it to me' }).click()
    await said('Sent to ann@example.com.')
    assert.deepEqual(
      smtp.mails.map(({ to }) => to),
      [['ann@example.com']],
    )
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Discard' }).click()
    await dialog().getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Draft one for a client, or have one come each month').waitFor()
  })

  test('what is published shows its digest, and its PDF, or why there is none', async () => {
    const { id } = await here.call('reports.draft', { client_id: 'Garden Ltd', month: '2026-03' })
    published = String(id)
    await openReport(published)
    const printing = fs.readFileSync(printer.program)
    fs.writeFileSync(printer.program, '#!/bin/sh\nexit 3\n')
    await page.getByRole('link', { name: 'PDF' }).click()
    await said('The PDF is being made.')
    await said(/The browser could not print the page .* can be printed from any browser/)
    fs.writeFileSync(printer.program, printing)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog().getByRole('button', { name: 'Publish' }).click()
    const { digest } = await until(async () => {
      const report = await here.call('reports.get', { report_id: id })
      return report.status === 'published' ? report : undefined
    })
    await page.getByText(String(digest)).waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'PDF' }).click()])
    assert.equal(file.suggestedFilename(), 'Garden-Ltd-2026-03-01-2026-03-31.pdf')
    assert.match(fs.readFileSync(await file.path(), 'latin1'), /^%PDF-1\.4\n<!doctype html>/)
  })

  test('a mail that bounced says so, and is sent again to that address alone', async () => {
    await openReport(published)
    smtp.mails.length = 0
    smtp.refuse = '550 no such user'
    await page.getByRole('button', { name: 'Send by mail' }).click()
    await dialog().getByRole('button', { name: 'Send', exact: true }).click()
    await said('On its way to bo@example.com.')
    await delivered('bounced')
    await page.getByText('The mail server answered with 550.').waitFor()
    smtp.refuse = null
    await page.getByRole('button', { name: 'Send again to bo@example.com' }).click()
    await delivered('sent')
    await page.getByRole('button', { name: 'Send again to bo@example.com' }).waitFor({ state: 'detached' })
    assert.deepEqual(
      smtp.mails.map(({ to }) => to),
      [['bo@example.com']],
    )
  })

  test('a correction is begun, published and mailed as one; the version before leads to it and is sent by nobody', async () => {
    await openReport(published)
    await page.getByRole('button', { name: 'Correct it' }).click()
    await dialog().getByLabel('What is otherwise').fill('Two outages were announced')
    await dialog().getByRole('button', { name: 'Begin a new version' }).click()
    await page.getByText('Version 2.').waitFor()
    await page.getByRole('button', { name: 'Look at the mail' }).click()
    await dialog().getByText('Version 2, which corrects the one before: Two outages were announced').waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    const second = page.url().slice(-32)
    await openReport(published)
    await page.getByText(/A correction is at work: version 2/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Correct it' }).count(), 0)
    await page.getByRole('link', { name: 'version 2' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog().getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'Correct it' }).waitFor()
    assert.ok(page.url().endsWith(second))
    await openReport(published)
    await page.getByText('Version 2 corrects this one. Links lead there.').waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Correct it|Send by mail)$/ }).count(), 0)
  })

  test('a client is removed with what was published only after its number was told, and its links lead nowhere', async () => {
    const [mail = assert.fail()] = smtp.mails
    const link = /\/r\/[\w-]{43}/.exec(partsOf(mail)[0]?.text ?? '')?.[0]
    assert.equal((await fetch(here.url + link)).status, 200)
    await openClient()
    await page.getByRole('button', { name: 'Remove this client' }).click()
    await dialog().getByText('All of its 2 reports go with it, what was published too').waitFor()
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('Add one here, or name one in the settings of a site.').waitFor()
    assert.equal((await fetch(here.url + link)).status, 404)
    assert.deepEqual(troubles, [])
  })
})
