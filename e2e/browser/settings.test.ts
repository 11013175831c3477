// Needs a Chromium: apt-get install --no-install-recommends chromium
// What an agency decides once and looks up later: policies, rules and windows, weaknesses, the activity, the audit log, codes, a forgotten password.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { remedies } from '../../server/src/connector/remedies.ts'
import { compareWithFeed } from '../../server/src/security/feed.ts'
import { refreshFeed } from '../../server/src/vulnerabilities/refresh.ts'
import { codeOf } from '../../server/test/authenticator.ts'
import { withApp } from '../../server/test/factors.ts'
import { wordfenceFeed, wordfenceRecord } from '../../server/test/fake-feed.ts'
import { type RunningFakeSite, startFakeSite } from '../../server/test/fake-site.ts'
import { PASSED } from '../../server/test/fake-trouble.ts'
import { type MailServer, startMailServer } from '../../server/test/mail-server.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { until } from '../house.ts'
import { signIn, startBrowser } from './browser.ts'

describe('what is decided once, and looked up later', () => {
  let here: TestWorld
  let mail: MailServer
  let folder: string
  let browser: Browser
  let page: Page
  let secret: string
  let site: { id: string; fake: RunningFakeSite }
  const moved: RunningFakeSite[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-settings-'))
    await writeFile(join(folder, 'feed.json'), wordfenceFeed(wordfenceRecord('one')))
    mail = await startMailServer()
    const given = {
      SERVICE_SECURITY_CHECKS: 'off',
      SERVICE_VULNERABILITY_FEED: join(folder, 'feed.json'),
      SERVICE_SMTP_URL: mail.url,
    }
    here = await aWorld(given, undefined, { withoutDuties: ['compare with the feed'] })
    browser = await startBrowser()
    const { email, secret: key } = await withApp(here)
    secret = key
    await aPerson(here, 'ben@example.com', 'member')
    site = await here.site(undefined, 'Fake Garden')
    const other = await here.site(undefined, 'Fake Orchard')
    for (const item of other.fake.state.items) if (item.slug === 'garden') Object.assign(item, { version: '1.1.0', update: null })
    await here.call('inventory.get', { site_id: other.id, refresh: true })
    page = await aPage()
    await page.goto(here.url)
    await signIn(page, email)
    await page.locator('input[name=code]').fill(codeNow())
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  })
  after(async () => {
    await browser?.close()
    for (const fake of moved) await fake.stop()
    await here?.close()
    await mail?.stop()
    await rm(folder, { recursive: true })
  })

  /** Half past five hours east of Greenwich, all year. */
  const aPage = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, timezoneId: 'Asia/Kolkata' })
    context.setDefaultTimeout(120_000)
    return context.newPage()
  }
  const codeNow = () => codeOf(secret, here.world.now())
  const menu = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
  /** Finds the site by a word of its name, by keyboard: what is chosen from hides where a long page scrolls. */
  const choose = async (within: Page | ReturnType<Page['locator']>) => {
    const field = within.getByRole('combobox', { name: 'Site', exact: true })
    await field.fill('garden')
    await page.getByRole('option', { name: /^Fake Orchard/ }).waitFor({ state: 'detached' })
    await page.getByRole('option', { name: /^Fake Garden/ }).waitFor({ state: 'attached' })
    await field.press('ArrowDown')
    await field.press('Enter')
    await page.waitForFunction((input) => (input as { value: string }).value.startsWith('Fake Garden ('), await field.elementHandle())
  }

  test('a forgotten password is mailed a link, which opens the dashboard once another is chosen', async () => {
    const theirs = await aPage()
    await theirs.goto(here.url)
    await theirs.getByRole('button', { name: 'Forgotten the password?' }).click()
    await theirs.getByLabel('Your e-mail address').fill('ben@example.com')
    await theirs.getByRole('button', { name: 'Mail me a link' }).click()
    const link = await until('The mail', async () => /\S+\/recover#\S+/.exec(mail.mails[0]?.text.replaceAll('=\n', '') ?? '')?.[0])
    await theirs.goto(link.replace(/^https?:\/\/[^/]+/, here.url))
    await theirs.locator('input[name=password]').fill('another horse battery')
    await theirs.getByRole('button', { name: 'Set the password and sign in' }).click()
    await theirs.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    await theirs.context().close()
  })

  test('agents are asked more by anybody who manages, and less only after a second factor', async () => {
    here.clock.add(11 * 60_000)
    await page.goto(`${here.url}/settings/policies`)
    await page.getByLabel('Backups and their checks', { exact: true }).selectOption('Refused')
    await page.getByText('Saved as version 2.').waitFor()
    const patches = page.getByLabel('Updates of plugins, themes and translations: patch')
    await patches.selectOption('Done at once')
    const proving = page.getByRole('dialog', { name: 'Show that it is you' })
    await proving.locator('input[name=code]').fill(codeNow())
    await proving.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Saved as version 3.').waitFor()
    await page
      .locator('tr', { hasText: 'asks less' })
      .getByText(/A person decides|As usual/)
      .waitFor()
    await page.getByLabel('Where').selectOption('One site')
    await choose(page)
    await page.getByLabel('What', { exact: true }).selectOption('Site Tweaks')
    await page.getByRole('main').getByLabel('What becomes of it', { exact: true }).selectOption('Refused')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await page.getByText('Saved as version 4.').waitFor()
    await page.getByRole('button', { name: 'Forget: Site Tweaks, Fake Garden' }).click()
    await page.getByText('Saved as version 5.').waitFor()
  })

  test('a rule for a site that was looked for leaves a plugin out, by name', async () => {
    await page.goto(`${here.url}/updates/rules`)
    await page.getByLabel('Slug').fill('garden')
    await page.getByLabel('Where').selectOption('One site')
    await choose(page)
    await page.getByLabel('Let through').selectOption('Never')
    await page.getByRole('button', { name: 'Set the rule' }).click()
    const rule = page.locator('tr', { hasText: 'Fake Garden' })
    await rule.waitFor()
    await page.goto(`${here.url}/sites/${site.id}/updates`)
    await page.getByRole('button', { name: 'Update everything …' }).click()
    await page.getByRole('dialog').locator('li', { hasText: '1.0.0 → 1.1.0' }).getByText('left out').waitFor()
    await page.goto(`${here.url}/updates/rules`)
    await rule.getByRole('button', { name: /^Remove/ }).click()
    await page.getByText('The rule is removed.').waitFor()
  })

  test('whoever chooses an hour is told what it is where they are, and so are those who read it', async () => {
    await page.getByText('07:30 AM your time').waitFor()
    await page.getByLabel('At (UTC)').fill('20:00')
    await page.getByText('01:30 AM your time').waitFor()
    await page.getByRole('button', { name: 'Add the window' }).click()
    await page.getByText('Daily at 20:00 UTC (01:30 AM your time)').waitFor()
    await page.getByRole('button', { name: 'Remove the window at 20:00' }).click()
    await page.getByText('Nothing begins at that hour any more.').waitFor()
    await page.getByLabel('On', { exact: true }).selectOption('Saturdays')
    await page.getByText('Sundays at 01:30 AM your time').waitFor()
    await page.getByRole('button', { name: 'Add the window' }).click()
    await page.getByText('Saturdays at 20:00 UTC (Sundays at 01:30 AM your time)').waitFor()
    await page.getByRole('button', { name: 'Remove the window at 20:00' }).click()
    await page.getByText('Saturdays at 20:00 UTC').waitFor({ state: 'detached' })
  })

  test('from a weakness to the sites that have it, and an update of only those', async () => {
    await refreshFeed(here.world)
    await compareWithFeed(here.world)
    const still = await page.context().newPage()
    await still.addInitScript('window.setInterval = () => 0')
    const listening = still.waitForResponse(/\/api\/v1\/events/)
    await still.goto(`${here.url}/weaknesses`)
    await listening
    await still.locator('main').getByRole('link', { name: 'Garden', exact: true }).waitFor()
    const another = wordfenceRecord('two', { title: 'Garden <= 1.0.5 - Told while somebody looks' })
    await writeFile(join(folder, 'feed.json'), wordfenceFeed(wordfenceRecord('one'), another))
    await refreshFeed(here.world, { force: true })
    await compareWithFeed(here.world)
    await still.getByText('Told while somebody looks').waitFor()
    await still.close()
    await here.job(String((await here.call('security.check', { site_id: site.id })).job_id))
    await menu('Weaknesses').click()
    await page.locator('main').getByRole('link', { name: 'Garden', exact: true }).click()
    await page.getByText('Vulnerable (1)').waitFor()
    await page.locator('tr', { hasText: 'Fake Garden' }).getByText('fixed in 1.0.6').waitFor()
    assert.equal(await page.locator('tr', { hasText: 'Fake Orchard' }).count(), 0)
    await page.getByRole('button', { name: 'Update on 1 site …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Update Garden on 1 site?' })
    await dialog.getByText('1.0.0 → 1.1.0').waitFor()
    await dialog.getByRole('button', { name: 'Update 1 site' }).click()
    await page.getByRole('heading', { name: 'Update of 1 site', level: 1 }).waitFor()
    await page.locator('main .card').getByText('Completed').waitFor()
    await page
      .locator('tbody tr', { hasText: 'Fake Garden' })
      .getByText(/garden 1\.0\.0 → 1\.1\.0/)
      .waitFor()
    assert.equal(await page.locator('tbody tr').count(), 1)
  })

  test('what was done elsewhere is logged from the activity of all sites, and found again by a word of its notes', async () => {
    await menu('Activity').click()
    await page.getByRole('button', { name: 'Log what was done elsewhere …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Log maintenance' })
    await choose(dialog)
    await dialog.getByLabel('What was done').fill('Replaced the contact form')
    await dialog.getByRole('combobox', { name: 'Kind of work' }).click()
    await page.getByRole('option', { name: 'Content' }).click()
    await dialog.getByLabel('Notes').fill('The old one lost mails.')
    await dialog.getByLabel('Done by').fill('Cy')
    await dialog.getByLabel('Internal: not in client reports').check()
    await dialog.getByRole('button', { name: 'Record' }).click()
    await page.getByText('It is recorded.').waitFor()
    await here.call('activity.log', { site_id: site.id, summary: 'Something else' })
    await page.getByText('Something else').waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('lost mails')
    await page.keyboard.press('Enter')
    await page.getByText('Something else').waitFor({ state: 'detached' })
    const entry = page.locator('li.entry', { hasText: 'Replaced the contact form' })
    await entry.getByText(/Content · Cy, by .*done elsewhere, as told/).waitFor()
    await entry.getByText('Internal', { exact: true }).waitFor()
    assert.equal(await page.locator('main li.entry').count(), 1)
  })

  test('the activity is narrowed to the sites with a tag and to those of a client', async () => {
    await here.call('sites.set', { site_id: site.id, tags: ['shop'], client: 'Example Ltd' })
    const { sites } = (await here.call('sites.list', {})) as unknown as { sites: { id: string; name: string }[] }
    const orchard = sites.find(({ name }) => name === 'Fake Orchard')?.id
    await here.call('activity.log', { site_id: orchard, summary: 'Something in the orchard' })
    for (const [label, name] of [
      ['Tag', 'shop'],
      ['Client', 'Example Ltd'],
    ] as const) {
      await page.goto(`${here.url}/activity`)
      await page.getByText('Something in the orchard').waitFor()
      await page.getByRole('combobox', { name: label }).click()
      await page.getByRole('option', { name }).click()
      await page.getByText('Something in the orchard').waitFor({ state: 'detached' })
      await page.locator('li.entry', { hasText: 'Replaced the contact form' }).waitFor()
      assert.equal(new URL(page.url()).searchParams.get(label.toLowerCase()), name, 'the address keeps it')
    }
  })

  test('what agents wrote waits to be reviewed, until a person says that it stays internal', async () => {
    const { token } = await here.token('write', { approval_only: true })
    await here.rest('POST', `/api/v1/sites/${site.id}/activity`, { token, body: { summary: 'Looked after the images' } })
    await menu('Activity').click()
    await page.getByRole('combobox', { name: 'Reports' }).click()
    await page.getByRole('option', { name: 'Of agents, to be reviewed' }).click()
    await page.getByText('Replaced the contact form').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Keep it internal: Looked after the images' }).click()
    await page.getByText('Nothing meets these filters.').waitFor()
  })

  test('the audit log is narrowed, and given to take along as it is shown', async () => {
    await page.goto(`${here.url}/settings/audit`)
    await page.locator('tbody tr').first().waitFor()
    await page.getByLabel('Operation').fill('policies.set')
    await page.getByLabel('How it ended').selectOption('Done')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.waitForURL(/outcome=ok/)
    await page.locator('main tbody tr', { hasText: 'sites.list' }).first().waitFor({ state: 'detached' })
    const coming = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    const file = join(folder, 'audit.csv')
    await (await coming).saveAs(file)
    const [, ...lines] = (await readFile(file, 'utf8')).trim().split('\r\n')
    assert.deepEqual([lines.length, lines.every((line) => line.includes('policies.set'))], [4, true])
    await page.goto(`${here.url}/settings/audit`)
    await page.locator('main tbody tr', { hasText: 'updates.add_window' }).first().waitFor()
    await page.getByLabel('Site', { exact: true }).fill(site.id)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.waitForURL(/site_id=site_/)
    await page.locator('main tbody tr', { hasText: 'updates.add_window' }).first().waitFor({ state: 'detached' })
    const sites = await page.locator('main tbody td[data-label=Site]').allTextContents()
    assert.deepEqual([...new Set(sites)], ['Fake Garden'])
  })

  test('a code that has ended is renewed with one button, and why a site cannot be reached is told while it is paired', async () => {
    const theirs = await page.context().newPage()
    await theirs.clock.install({ time: here.world.now() })
    await theirs.goto(here.url)
    await theirs.getByRole('button', { name: 'Add a site' }).first().click()
    const dialog = theirs.getByRole('dialog', { name: 'Add a site' })
    const code = async () => ((await dialog.getByLabel('Code', { exact: true }).textContent()) ?? '').trim()
    await dialog.getByText('The code works once').waitFor()
    await dialog.getByText(/^A site on another machine cannot open http:.* the operator sets SERVICE_BASE_URL/).waitFor()
    const ended = await code()
    here.clock.add(45 * 60_000)
    await theirs.clock.fastForward('45:00')
    await dialog.getByText('This code has ended.').waitFor()
    await dialog.getByRole('button', { name: 'Make a new code' }).click()
    await dialog.getByText('The code works once').waitFor()
    const renewed = await code()
    assert.notEqual(renewed, ended)
    await theirs.clock.resume()
    const fake = await startFakeSite({})
    moved.push(fake)
    fake.misbehave('basic_auth')
    await fake.enrol(here.url, renewed)
    await dialog.getByText('Pairing').waitFor()
    await dialog.getByText(/asks for a password/).waitFor()
    await dialog.getByText(remedies.login_wall).waitFor()
    await theirs.close()
  })

  test('why a site is refused is named where its code was made, with what to do, and a site that pairs again is told though it keeps its id', async () => {
    await page.goto(here.url)
    const add = async () => {
      await page.getByRole('button', { name: 'Add a site' }).first().click()
      return page.getByRole('dialog', { name: 'Add a site' })
    }
    const codeIn = async (dialog: Awaited<ReturnType<typeof add>>) =>
      ((await dialog.getByLabel('Code', { exact: true }).textContent()) ?? '').trim()
    const dialog = await add()
    await dialog.getByText('Waiting for the site').waitFor()
    await assert.rejects(site.fake.enrol(here.url, await codeIn(dialog)), /409 conflict/)
    await dialog.getByText('A site was refused').waitFor()
    await dialog.getByText('This address is a site of the workspace already.').waitFor()
    await dialog.getByText(site.fake.url).waitFor()
    await dialog.getByRole('link', { name: 'Settings of Fake Garden' }).click()
    await page.waitForURL(`${here.url}/sites/${site.id}/settings`)
    await page.goto(here.url)
    const again = await add()
    await again.getByText('Waiting for the site').waitFor()
    // It never answered, so this is the same site once more.
    await moved[0]?.enrol(here.url, await codeIn(again))
    await again.getByText('Pairing').waitFor()
    await again.getByRole('button', { name: 'Open the site' }).click()
    await page.waitForURL(/\/sites\/site_/)
    await page.locator('main').getByText(remedies.login_wall).waitFor()
  })

  test('a site behind a password is given it in its settings and asked at once; what is kept there is never shown, and forgotten again', async () => {
    await page.getByRole('link', { name: 'Give the service the password' }).click()
    await page.waitForURL(/\/sites\/site_\w+\/settings$/)
    const site_id = /site_\w+/.exec(page.url())?.[0] ?? assert.fail('a page of the site')
    const kept = page.locator('section.card', { hasText: 'What lets the service through' })
    await kept.getByText('Nothing is kept.').waitFor()
    const [user = '', ...words] = PASSED.split(':')
    const password = words.join(':')
    await kept.getByLabel('User name').fill(user)
    await kept.locator('input[name=password]').fill(password)
    await kept.getByRole('button', { name: 'Keep it, and ask the site' }).click()
    await page.getByText(/^The site answers, in [\d,]+ ms\.$/).waitFor()
    await kept.getByText(`Kept: user ${user}. What you give here takes its place.`).waitFor()
    assert.equal(await kept.locator('input[name=password]').inputValue(), '')
    const { status } = await here.call('sites.get', { site_id })
    assert.equal(status, 'connected')
    await page.reload()
    await kept.getByText(`Kept: user ${user}.`).waitFor()
    assert.ok(!(await page.content()).includes(password), 'it is nowhere any more')
    await kept.getByRole('button', { name: 'Forget it' }).click()
    await kept.getByText('Nothing is kept.').waitFor()
    assert.deepEqual(await here.call('pairing.get_access', { site_id }), { id: site_id, user: null, header: null })
    await page.getByRole('navigation', { name: 'This site' }).getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Ask the site now' }).click()
    await page.getByRole('heading', { name: 'What stands in the way' }).waitFor()
    moved[0]?.misbehave()
    await page.getByRole('button', { name: 'Ask the site now' }).click()
    await page.getByRole('heading', { name: 'What stands in the way' }).waitFor({ state: 'detached' })
  })

  test('days that are chosen are those of the viewer', async () => {
    const dayMs = 86_400_000
    const today = here.world.now().getTime()
    const day = (back: number) => new Date(today - back * dayMs).toISOString().slice(0, 10)
    // 1:00 of the day after, where the viewer is.
    for (const back of [5, 4, 3])
      await here.call('activity.log', {
        ...{ site_id: site.id, summary: `Looked after it at night ${back}` },
        performed_at: `${day(back)}T19:30:00Z`,
      })
    await page.goto(`${here.url}/activity`)
    await page.getByText('Looked after it at night 3').waitFor()
    await page.getByLabel('From', { exact: true }).fill(day(3))
    await page.getByLabel('Until', { exact: true }).fill(day(3))
    await page.getByText('Looked after it at night 3').waitFor({ state: 'detached' })
    await page.getByText('Looked after it at night 5').waitFor({ state: 'detached' })
    await page.getByText('Looked after it at night 4').waitFor()
    await page.goto(`${here.url}/settings/audit?since=${day(0)}&until=${day(0)}`)
    const { searchParams } = new URL((await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')) ?? '', here.url)
    assert.deepEqual([searchParams.get('since'), searchParams.get('until')], [`${day(1)}T18:30:00.000Z`, `${day(0)}T18:30:00.000Z`])
  })

  test('a site that has moved is paired anew from its settings, and keeps its id and history', async () => {
    const fake = await startFakeSite({})
    moved.push(fake)
    fake.state.name = 'Fake Garden'
    await page.goto(`${here.url}/sites/${site.id}/settings`)
    await page.getByLabel('Moved to').fill(`${fake.url}/`)
    await page.getByRole('button', { name: 'Make a code' }).click()
    await fake.enrol(here.url, ((await page.getByLabel('Code', { exact: true }).textContent()) ?? '').trim())
    await page.getByRole('link', { name: new URL(fake.url).host }).waitFor()
    await page.getByRole('navigation', { name: 'This site' }).getByRole('link', { name: 'Activity' }).click()
    await page.getByText('Replaced the contact form').waitFor()
  })

  test('the service takes a new key for a site, which answers as before', async () => {
    await page.goto(`${here.url}/sites/${site.id}/settings`)
    await page.getByRole('button', { name: 'Use a new key' }).click()
    await page.getByText(/^The service uses the key k\d+ with this site from now on\.$/).waitFor()
    assert.equal((await here.call('sites.ping', { site_id: site.id })).ok, true)
  })
})
