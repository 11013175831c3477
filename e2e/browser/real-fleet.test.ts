// Needs a Chromium and, as e2e/native does, Debian as root.
// What an agency does with its sites, on two real WordPress sites: weak versions, waves, what is watched, the way back, a client's report.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { SAMPLE_THEME, writeSamplePlugin, writeSampleTheme } from '../../demo/mirror-packages.ts'
import { run } from '../../demo/npm.ts'
import { SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { wordfenceFeed, wordfenceRecord } from '../../server/test/fake-feed.ts'
import { type MailServer, partsOf, startMailServer } from '../../server/test/mail-server.ts'
import { hostedAgent } from '../agent.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, until } from '../house.ts'
import { type Fleet, type NativeSite, startFleet } from '../native/fleet.ts'
import { goTo, makeToken, openApproval, picture, signIn, startBrowser, troublesOf } from './browser.ts'

const E2E = join(import.meta.dirname, '..')
const weak = {
  ...{ name: 'Harbour Notices', slug: 'harbour-notices', patched_versions: ['1.0.5'] },
  affected_versions: { '* - 1.0.4': { from_version: '*', from_inclusive: true, to_version: '1.0.4', to_inclusive: true } },
}
const FEED = wordfenceFeed(wordfenceRecord('harbour', { title: 'Harbour Notices <= 1.0.4 - SQL Injection' }, weak))

describe('two sites, from their codes to their client’s report', () => {
  let dir: string
  let house: House
  let smtp: MailServer
  let mirror: Mirror
  let fleet: Fleet
  let browser: Browser
  let page: Page
  const troubles: string[][] = []
  const ids: string[] = []

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-real-fleet-'))
    await writeFile(join(dir, 'feed.json'), FEED)
    smtp = await startMailServer()
    mirror = await startMirror()
    mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0' }, themes: { [SAMPLE_THEME]: '1.1.0' } })
    const settings = {
      ...{ SERVICE_VULNERABILITY_FEED: join(dir, 'feed.json'), SERVICE_UPTIME_CHECKS: 'on' },
      ...{ SERVICE_SMTP_URL: smtp.url, SERVICE_MAIL_FROM: 'Fleet <fleet@example.com>' },
    }
    const starting = [openHouse(settings).then(moveIn), aFleet(), openBrowser()]
    await Promise.allSettled(starting)
    await Promise.all(starting)
    page = await aPage()
  })
  after(async () => {
    await browser?.close()
    await house?.close()
    await fleet?.stop()
    await mirror?.stop()
    await smtp?.stop()
    await rm(dir, { recursive: true, force: true })
  })

  // What follows would only wait for what cannot come any more.
  afterEach(async (t) => {
    if ('passed' in t && !t.passed) await browser.close()
  })

  async function moveIn(it: House): Promise<void> {
    house = it
    await house.ask('POST', '/uptime/settings', { interval_s: 30, recovery_s: 0 })
  }

  async function openBrowser(): Promise<void> {
    browser = await startBrowser()
  }

  /** Of the second site the plugin is new enough not to be weak, and old enough to be updated. */
  async function aFleet(): Promise<void> {
    const plugins = [CONNECTOR, await writeSamplePlugin(dir)]
    const parts = ['../demo/mu-wporg-mirror.php', 'native/watching/harbour-strangers.php', 'native/errors/harbour-faults.php']
    const muPlugins = parts.map((name) => join(E2E, name))
    const spec = { wp: '7.1.1', db: 'sqlite' } as const
    fleet = await startFleet([spec, spec], { plugins, muPlugins, constants: { WPORG_MIRROR: mirror.url } })
    for (const { content } of fleet.sites) {
      const theme = await writeSampleTheme(join(content, 'themes'))
      await run('chown', ['-R', 'www-data:', theme])
    }
    await run('sed', ['-i', 's/1\\.0\\.0/1.0.5/', join(native(1).content, 'plugins', SAMPLE_PLUGIN)])
  }

  /** In a window of its own, because a page that is hidden behind another one follows nothing; `as`: whoever is signed in there. */
  async function aPage(as?: Page): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      ...(as && { storageState: await as.context().storageState() }),
    })
    context.setDefaultTimeout(300_000)
    const opened = await context.newPage()
    troubles.push(troublesOf(opened))
    return opened
  }

  const native = (n: number): NativeSite => fleet.sites[n] ?? assert.fail(`no site ${n}`)
  const version = (n: number, kind: 'plugin' | 'theme', name: string) => native(n).wpCli([kind, 'get', name, '--field=version'])
  const open = (on: Page, n: number, part: string) => on.goto(`${house.url}/sites/${ids[n]}/${part}`)

  test('each is paired by a code that the page shows, with the command beside it', async () => {
    await page.goto(house.url)
    await signIn(page, house.owner.email, house.owner.password)
    for (const n of [0, 1]) {
      await page.getByRole('button', { name: 'Add a site' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Add a site' })
      const command = (await dialog.getByLabel('Command for WP-CLI', { exact: true }).textContent()) ?? ''
      await native(n).wpCli(command.trim().split(' ').slice(1))
      await dialog.getByText('Connected').waitFor()
      await dialog.getByRole('button', { name: 'Open the site' }).click()
      await page.getByRole('heading', { name: `Native ${n + 1}`, level: 1 }).waitFor()
      ids.push(new URL(page.url()).pathname.split('/').at(-1) ?? '')
      await picture(page, `overview-${n}`)
      await goTo(page, 'Sites')
    }
    await page.getByText('2 sites', { exact: true }).first().waitFor()
    await picture(page, 'sites')
  })

  test('which updates a site is offered is not known before it was asked', async () => {
    for (const n of [0, 1]) {
      await open(page, n, 'updates')
      await page.getByRole('heading', { name: 'Not known yet' }).waitFor()
      await page.getByRole('button', { name: 'Look again' }).click()
      await page
        .getByRole('row', { name: /Harbour Notices/ })
        .getByText('1.1.0')
        .waitFor()
      await picture(page, `updates-${n}`)
    }
  })

  describe('both are looked after', { concurrency: 2 }, () => {
    describe('the first is looked at', { concurrency: 1 }, () => {
      let here: Page
      const entry = (words: string) => here.locator('li.entry', { hasText: words })
      before(async () => {
        here = await aPage(page)
      })

      test('a broken link is told with the page it stands on, until a scan after it was mended', async () => {
        const { wpCli, url } = native(0)
        const content = `--post_content=<a href="${url}/sunken/">The wreck</a>`
        const post = await wpCli([
          'post',
          'create',
          '--post_type=page',
          '--post_status=publish',
          '--post_title=Chart',
          content,
          '--porcelain',
        ])
        await open(here, 0, 'links')
        await here.getByRole('button', { name: 'Scan now' }).click()
        await entry(`${url}/sunken/`).getByText('Broken', { exact: true }).waitFor()
        await entry(`${url}/sunken/`).getByText('Stands on 1 page').click()
        await entry(`${url}/sunken/`).getByText('The wreck').waitFor()
        await here.getByText('1 broken, 0 suspect').waitFor()
        await picture(here, 'links')
        await wpCli(['post', 'update', post, '--post_content=The wreck'])
        await here.getByRole('button', { name: 'Scan now' }).click()
        await here.getByRole('heading', { name: 'No link is known to be broken' }).waitFor()
      })

      test('how fast it is, is measured when it is asked for, and drawn', async () => {
        await open(here, 0, 'performance')
        await here.getByRole('heading', { name: 'Not known yet' }).waitFor()
        await here.getByRole('button', { name: 'Measure now' }).click()
        await here.getByRole('heading', { name: 'The last sample' }).waitFor()
        await here.getByRole('button', { name: 'Measure now' }).click()
        await here.getByRole('img', { name: /^Time to the first byte: 2 samples/ }).waitFor()
        const times = await here.locator('.plot').first().locator('text:not([text-anchor=end])').allTextContents()
        assert.equal(new Set(times).size, times.length, 'no time is said twice')
        assert.match((await here.locator('.plot path').first().getAttribute('d')) ?? '', /^M[\d. ]+L[\d. ]+$/)
        await picture(here, 'performance')
      })

      test('PHP errors name their plugin; one is ignored with a reason, another resolved and open again', async () => {
        const meet = (fault: string) => fetch(`${native(0).url}/?fault=${fault}`)
        await meet('warning')
        assert.equal((await meet('call')).status, 500)
        await open(here, 0, 'errors')
        const ask = here.getByRole('button', { name: 'Ask the site now' })
        await ask.click()
        const [fatal, warning] = [entry('harbour_no_such_function'), entry('$harbour_undefined')]
        await fatal.getByText('harbour-faults').first().waitFor()
        await picture(here, 'errors')
        await warning.getByRole('button', { name: 'Ignore: ' }).click()
        await here.getByLabel('Why').fill('Known to its maker')
        await here.getByRole('dialog').getByRole('button', { name: 'Ignore' }).click()
        await warning.waitFor({ state: 'detached' })
        await fatal.getByRole('button', { name: 'Resolve: ' }).click()
        await here.getByRole('heading', { name: 'No error is open' }).waitFor()
        await here.getByRole('combobox', { name: 'Which' }).click()
        await here.getByRole('option', { name: 'Resolved' }).click()
        await fatal.getByText(/^Resolved by /).waitFor()
        await fatal.getByRole('button', { name: 'Open it again' }).click()
        await here.getByRole('heading', { name: 'Nothing here' }).waitFor()
      })

      test('a finding is fixed where it is told, and open again when the fix is taken back', async () => {
        await open(here, 0, 'security')
        await here.getByRole('button', { name: 'Check now' }).click()
        await here.getByRole('button', { name: 'Fix: XML-RPC answers' }).click()
        await here.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
        await entry('An old door by which').waitFor({ state: 'detached' })
        await picture(here, 'security')
        await here.locator('summary', { hasText: /in effect/ }).click()
        await here.getByRole('button', { name: 'Take back: XML-RPC off' }).click()
        await here.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
        await here.getByRole('button', { name: 'Fix: XML-RPC answers' }).waitFor()
      })
    })

    // Before anything of ours has changed it: for a minute after that, what fails is not held against a site.
    describe('the second goes wrong', { concurrency: 1 }, () => {
      let here: Page
      const tagline = () => native(1).wpCli(['option', 'get', 'blogdescription'])
      before(async () => {
        here = await aPage(page)
      })

      test('a site that dies is an incident, which ends when it is mended', async () => {
        const wreck = join(native(1).content, 'mu-plugins/wreck.php')
        const now = here.locator('main .card').first()
        await open(here, 1, 'uptime')
        await now.getByText('Up', { exact: true }).waitFor()
        await writeFile(wreck, '<?php wreck();')
        const incident = here.locator('li.entry', { hasText: 'there has been a critical error' })
        await incident.getByText('Going on').waitFor()
        await now.getByText('Down', { exact: true }).waitFor()
        await picture(here, 'uptime-down')
        await rm(wreck)
        await incident.getByText('Over').waitFor()
        await now.getByText('Up', { exact: true }).waitFor()
        assert.equal(await here.locator('.strip i').count(), 90)
        await picture(here, 'uptime')
      })

      test('a restore tells its plan, waits for the name, brings back what was, and is undone', async () => {
        const before = await tagline()
        await open(here, 1, 'backups')
        const backups = here.locator('tbody tr').filter({ hasText: /Database/ })
        const known = await backups.count()
        await here.getByRole('button', { name: 'Back up now' }).click()
        await here.getByRole('menuitem', { name: 'Database only' }).click()
        await backups.nth(known).getByText('Completed', { exact: true }).waitFor()
        await native(1).wpCli(['option', 'update', 'blogdescription', 'Hacked'])
        await picture(here, 'backups')
        await here
          .getByRole('button', { name: /More about/ })
          .first()
          .click()
        await here.getByRole('menuitem', { name: 'Restore …' }).click()
        const dialog = here.getByRole('dialog', { name: 'Restore this backup?' })
        await dialog.getByText(/^Tables: /).waitFor()
        await picture(here, 'restore-plan')
        assert.equal(await dialog.getByRole('button', { name: 'Restore' }).isDisabled(), true)
        await dialog.getByRole('textbox').fill(new URL(native(1).url).host)
        await dialog.getByRole('button', { name: 'Restore' }).click()
        await here.getByRole('button', { name: 'Undo the restore …' }).click()
        assert.equal(await tagline(), before)
        await picture(here, 'restored')
        await here.getByRole('dialog', { name: 'Undo this restore?' }).getByRole('button', { name: 'Undo restore' }).click()
        await here.getByText(/^It was undone/).waitFor()
        assert.equal(await tagline(), 'Hacked')
        await picture(here, 'undone')
      })
    })
  })

  test('a known weakness leads to the site that has it, which is updated, and only it', async () => {
    await goTo(page, 'Weaknesses')
    const row = page.getByRole('row', { name: /Harbour Notices/ })
    await row.getByText('Harbour Notices <= 1.0.4 - SQL Injection').waitFor()
    await picture(page, 'weaknesses')
    await row.getByRole('link', { name: 'Harbour Notices' }).click()
    await page.getByText('Vulnerable (1)').waitFor()
    await page.getByText('All (2)').waitFor()
    await page
      .getByRole('row', { name: /Native 1/ })
      .getByText('fixed in 1.0.5')
      .waitFor()
    assert.equal(await page.locator('tbody tr').count(), 1)
    await picture(page, 'thing')
    await page.getByRole('button', { name: 'Update on 1 site' }).click()
    const dialog = page.getByRole('dialog', { name: 'Update Harbour Notices on 1 site?' })
    await dialog.getByText('1.0.0 → 1.1.0').waitFor()
    await picture(page, 'thing-update')
    await dialog.getByRole('button', { name: 'Update 1 site' }).click()
    await page
      .locator('main .card')
      .first()
      .getByText(/^(Done|Completed)$/)
      .waitFor()
    await picture(page, 'thing-updated')
    assert.deepEqual(await Promise.all([0, 1].map((n) => version(n, 'plugin', 'harbour-notices'))), ['1.1.0', '1.0.5'])
    await goTo(page, 'Weaknesses')
    await page.getByRole('heading', { name: 'None is known' }).waitFor()
  })

  test('an agent’s update goes in waves, each when a person has let it', async () => {
    const agent = hostedAgent(house.url, await makeToken(page, 'Claude on my desk'))
    const asked = { site_ids: ids, themes: [SAMPLE_THEME], first_wave: 1, wave_size: 1, why: 'The theme is old.' }
    const { content } = await agent.call('update_site', asked)
    const versions = () => Promise.all([0, 1].map((n) => version(n, 'theme', SAMPLE_THEME)))
    await openApproval(page, content[0]?.text ?? '')
    await page.getByText('2 sites, in 2 waves:').waitFor()
    await picture(page, 'approval')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('link', { name: 'What became of it' }).click()
    await page.getByText('Wave 2 waits for approval.').waitFor()
    await picture(page, 'rollout-waits')
    assert.deepEqual(await versions(), ['1.1.0', '1.0.0'])
    await page.getByRole('link', { name: 'Look at it and decide' }).click()
    await page.getByText(/^Wave 2 of 2/).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('link', { name: 'What became of it' }).click()
    await page.locator('main .card').getByText('Completed', { exact: true }).waitFor()
    await picture(page, 'rollout')
    assert.deepEqual(await versions(), ['1.1.0', '1.1.0'])
  })

  test('their client gets a report by mail, and reads it by the link in it', async () => {
    await page.goto(`${house.url}/clients`)
    await page.getByRole('button', { name: 'Add a client' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Harbour & Sons')
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.getByRole('heading', { level: 1, name: 'Harbour & Sons' }).waitFor()
    await page.getByRole('combobox', { name: 'Reports go to' }).fill('bo@example.com')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    const client = page.url()
    for (const n of [0, 1]) {
      await open(page, n, 'settings')
      await page.getByLabel('Client', { exact: true }).fill('Harbour & Sons')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved.', { exact: true }).waitFor()
    }
    await page.goto(client)
    await picture(page, 'client')
    await page.getByRole('button', { name: 'Draft a report' }).first().click()
    await page.getByRole('dialog').getByLabel('Month').fill(new Date().toISOString().slice(0, 7))
    await page.getByRole('dialog').getByRole('button', { name: 'Draft it' }).click()
    await page.getByRole('heading', { level: 1, name: /^Harbour & Sons: / }).waitFor()
    await page.getByRole('link', { name: 'Look at it' }).waitFor()
    await picture(page, 'report-draft')
    const opening = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Look at it' }).click()
    const preview = await opening
    await preview.getByText('Harbour Notices').first().waitFor()
    await picture(preview, 'report-preview')
    await preview.close()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'Send by mail' }).click()
    await page.getByRole('dialog').getByText('bo@example.com').waitFor()
    await picture(page, 'report-mail')
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
    await page
      .getByRole('row', { name: /bo@example\.com/ })
      .getByText('Sent', { exact: true })
      .waitFor()
    const mail = await until('The mail', async () => smtp.mails.find(({ to }) => to.includes('bo@example.com')))
    const link = /https?:\/\/\S+\/r\/[\w-]{43}/.exec(partsOf(mail)[0]?.text ?? '')?.[0] ?? ''
    const stranger = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
    assert.equal((await stranger.goto(link))?.status(), 200)
    await stranger.getByText('Native 2').first().waitFor()
    await picture(stranger, 'report-stranger')
  })

  test('nothing went wrong in the pages meanwhile', () => assert.deepEqual(troubles.flat(), []))
})
