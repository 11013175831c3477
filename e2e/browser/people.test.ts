// Needs a Chromium: apt-get install --no-install-recommends chromium
// What owners do with people, tokens and rules, in a real browser; and what a page says when the service does not answer.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { codeNow, withApp } from '../../server/test/factors.ts'
import { copySites } from '../../server/test/filled.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { drawn, signIn, startBrowser } from './browser.ts'

describe('people of a workspace', () => {
  let here: TestWorld
  let browser: Browser
  let page: Page
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    browser = await startBrowser()
    await aPerson(here, 'ann@example.com', 'owner')
    await aPerson(here, 'ben@example.com', 'member')
    const { id } = await here.site()
    const [fern, moss] = [
      { client: 'Fern', tags: ['shop'] },
      { client: null, tags: ['blog'] },
    ]
    await copySites(here, id, 3, (n) => ({ name: `Site ${n}`, ...(n === 0 ? fern : moss) }))
    page = await enter('ann@example.com')
  })
  after(async () => {
    await browser?.close()
    await here?.close()
  })
  const enter = async (email: string) => {
    const entered = await (await browser.newContext({ viewport: { width: 1280, height: 860 }, bypassCSP: true })).newPage()
    entered.setDefaultTimeout(60_000)
    await entered.goto(here.url)
    await signIn(entered, email)
    await entered.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    return entered
  }
  const signedOut = async (one: Page) => {
    await one.goto(here.url)
    await one.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  const open = async (path: string, on = page) => {
    await on.goto(here.url + path)
    await drawn(on)
  }

  test('a session elsewhere is ended, alone or with all others, and a new password ends them too', async () => {
    const [first, second] = [await enter('ann@example.com'), await enter('ann@example.com')]
    await open('/account')
    await page
      .getByRole('button', { name: /^End the session of / })
      .first()
      .click()
    await page.getByText('That session is ended.').waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await page.getByText('1 other session ended.').waitFor()
    await signedOut(first)
    await signedOut(second)
    const third = await enter('ann@example.com')
    await page.getByLabel('Current password').fill('correct horse battery')
    await page.locator('input[name=next]').fill('short')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.locator('.mantine-InputWrapper-error, [class*=InputWrapper-error]').first().waitFor()
    await page.locator('input[name=next]').fill('another horse battery')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('The password is changed.').waitFor()
    await signedOut(third)
    await third.getByLabel('E-mail address').fill('ann@example.com')
    await third.locator('input[name=password]').fill('another horse battery')
    await third.getByRole('button', { name: 'Sign in', exact: true }).click()
    await third.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    await third.context().close()
  })

  test('who becomes a viewer may change nothing from the next click on, and of a client sees its sites alone', async () => {
    const ben = await enter('ben@example.com')
    await ben.getByLabel('Choose all here').waitFor()
    await open('/members')
    await page.getByRole('combobox', { name: 'Role of ben@example.com' }).click()
    await page.getByRole('option', { name: 'Viewer' }).click()
    await page.getByText('ben@example.com is now viewer').waitFor()
    await open('/', ben)
    await ben.getByRole('link', { name: 'Site 1' }).waitFor()
    assert.equal(await ben.getByLabel('Choose all here').count(), 0)
    await page.getByRole('combobox', { name: 'Sites that ben@example.com sees' }).click()
    await page.getByRole('option', { name: 'Fern' }).click()
    await page.getByText(/ben@example.com is now viewer, and sees/).waitFor()
    await open('/', ben)
    await ben.getByRole('link', { name: 'Site 0' }).waitFor()
    assert.equal(await ben.locator('main tbody tr').count(), 1)
    await ben.getByRole('list', { name: 'What needs attention' }).waitFor()
    assert.equal(await ben.getByText('Waiting for approval').count(), 0)
    assert.deepEqual(
      await ben.getByRole('navigation', { name: 'Main' }).locator('a[aria-current], a[href^="/"]:not([href="/docs"])').allTextContents(),
      ['Sites'],
    )
    await open('/sites/site_00000000000000000000000001', ben)
    await ben.getByText('There is no such site').waitFor()
    await ben.context().close()
  })

  test('a client’s person is invited, joins by the link, and sees the sites of that client alone', async () => {
    await open('/members')
    await page.getByRole('button', { name: 'Invite a person' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('E-mail address').fill('flo@example.com')
    await form.getByRole('radio', { name: 'Viewer' }).click()
    await form.getByRole('combobox', { name: 'Sites they see' }).click()
    await page.getByRole('option', { name: 'Fern' }).click()
    await form.getByRole('button', { name: 'Make the link' }).click()
    const link = ((await page.getByLabel('Link of the invitation', { exact: true }).textContent()) ?? '').trim()
    await page.getByRole('button', { name: 'Done' }).click()
    const flo = await (await browser.newContext()).newPage()
    await flo.goto(link.replace(/^https?:\/\/[^/]+/, here.url))
    await flo.locator('input[name=password]').fill('a password of mine')
    await flo.getByRole('button', { name: 'Join' }).click()
    await flo.getByRole('link', { name: 'Site 0' }).waitFor()
    assert.equal(await flo.locator('main tbody tr').count(), 1)
    await open('/sites/site_00000000000000000000000001', flo)
    await flo.getByText('There is no such site').waitFor()
    await flo.context().close()
  })

  test('an invitation is withdrawn, and its link lets nobody in', async () => {
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await page.getByRole('dialog').getByLabel('E-mail address').fill('cy@example.com')
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = ((await page.getByLabel('Link of the invitation', { exact: true }).textContent()) ?? '').trim()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Withdraw the invitation of cy@example.com' }).click()
    await page.getByText('The invitation of cy@example.com is withdrawn.').waitFor()
    const cy = await (await browser.newContext()).newPage()
    await cy.goto(link.replace(/^https?:\/\/[^/]+/, here.url))
    await cy
      .getByRole('heading', { name: /does not|no longer|not valid|ended/i })
      .or(cy.getByRole('alert'))
      .first()
      .waitFor()
    assert.equal(await cy.getByRole('button', { name: 'Join' }).count(), 0)
    await cy.context().close()
  })

  test('the workspace gets another name, at once in its menu', async () => {
    await open('/settings')
    await page.locator('input[name=name]').fill('Ann’s gardens')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText('The workspace is renamed.').waitFor()
    await page.getByRole('banner').getByText('Ann’s gardens').waitFor()
  })

  test('a token that reads, of sites with a tag, for a week: it sees these alone and changes nothing', async () => {
    await open('/agents')
    await page.getByRole('button', { name: 'Create a token' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create a token' })
    await form.getByLabel('Name').fill('Reader')
    await form.getByRole('radio', { name: 'Sites with a tag' }).click()
    await form.getByRole('combobox', { name: 'Tag, now or later' }).click()
    await page.getByRole('option', { name: 'shop' }).click()
    await form.getByRole('combobox', { name: 'Ends after' }).click()
    await page.getByRole('option', { name: '7 days' }).click()
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    const made = page.getByRole('dialog', { name: '“Reader” is made' })
    const token = /svc_[0-9A-Za-z]{38}/.exec((await made.textContent()) ?? '')?.[0] ?? ''
    await made.getByRole('button', { name: 'I have it' }).click()
    const row = page.locator('tr', { hasText: 'Reader' })
    await row.getByText('Only tagged shop').waitFor()
    const seen = (await here.rest('GET', '/api/v1/sites', { token })).json as unknown as { name: string }[]
    assert.deepEqual(
      seen.map(({ name }) => name),
      ['Site 0'],
    )
    assert.equal((await here.rest('POST', '/api/v1/backups', { token, body: { every_site: true, type: 'db' } })).status, 403)
    await page.getByRole('button', { name: 'What it did: Reader' }).click()
    await page
      .getByRole('dialog')
      .getByText(/sites\.list|list_sites|GET \/sites/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
  })

  test('a token works until a day that was chosen is over', async () => {
    await open('/agents')
    await page.getByRole('button', { name: 'Create a token' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create a token' })
    await form.getByLabel('Name').fill('Until a day')
    await form.getByRole('combobox', { name: 'Ends after' }).click()
    await page.getByRole('option', { name: 'A day of your choice' }).click()
    await form.getByLabel('Last day').fill('2098-05-20')
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('dialog', { name: '“Until a day” is made' }).getByRole('button', { name: 'I have it' }).click()
    const { tokens } = (await here.call('tokens.list', {})) as unknown as { tokens: { name: string; expires_at: string }[] }
    const ends = await page.evaluate<string>('new Date(2098, 4, 21).toISOString()')
    assert.equal(new Date(tokens.find(({ name }) => name === 'Until a day')?.expires_at ?? 0).toISOString(), ends)
  })

  test('a rule with days to wait and a limit to the jump is set, named and taken back', async () => {
    await open('/updates/rules')
    await page.getByLabel('Let through').selectOption('patch')
    await page.getByLabel('Days to wait').fill('3')
    await page.getByRole('button', { name: 'Set the rule' }).click()
    const row = page.locator('main tr', { hasText: /3 days/ })
    await row.waitFor()
    const { rules } = (await here.call('updates.rules')) as unknown as { rules: { allow: string; delay_days: number }[] }
    assert.deepEqual(
      rules.map(({ allow, delay_days }) => [allow, delay_days]),
      [['patch', 3]],
    )
    await row.getByRole('button', { name: /^Remove/ }).click()
    await page.getByText('The rule is removed.').waitFor()
  })

  test('new recovery codes are shown once, and the older ones open nothing any more', async () => {
    const { email, secret, codes } = await withApp(here)
    const theirs = await (await browser.newContext()).newPage()
    const goOn = async (on: Page | Locator, code = '') => {
      await on.locator('input[name=code]').fill(code)
      await on.getByRole('button', { name: 'Go on' }).click()
    }
    const begin = async () => {
      await theirs.goto(here.url)
      await signIn(theirs, email)
    }
    const inside = () => theirs.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    await begin()
    await goOn(theirs, codeNow(here, secret))
    await inside()
    here.clock.add(11 * 60_000)
    await open('/account', theirs)
    await theirs.getByRole('button', { name: 'Make new codes' }).click()
    await goOn(theirs.getByRole('dialog', { name: 'Show that it is you' }), codeNow(here, secret))
    const shown = theirs.getByRole('dialog', { name: 'Keep these recovery codes' })
    const newer = ((await shown.getByLabel('Recovery codes', { exact: true }).textContent()) ?? '').trim().split(/\s+/)
    await shown.getByRole('button', { name: 'I have kept them' }).click()
    await theirs.getByText('10 codes left').waitFor()
    await theirs.context().clearCookies()
    await begin()
    await goOn(theirs, codes[0])
    await theirs.getByText('The code is wrong, too old, or was used before.').waitFor()
    await goOn(theirs, newer[0])
    await inside()
    await theirs.context().close()
  })

  test('what the service does not answer is said, with a button to ask again', async () => {
    let broken = true
    // The stream of changes would make the page ask by itself.
    await page.route('**/api/v1/events', (route) => route.abort())
    await page.route(/\/api\/v1\/(?:approvals\?|policies\/versions\?|invitations)/, (route) => (broken ? route.abort() : route.continue()))
    await page.route('**/api/v1/fleet?*', (route) => (broken ? route.abort() : route.continue()))
    await page.goto(here.url)
    const alert = page.getByRole('alert', { name: 'This did not work' })
    await alert.getByText('The service could not be reached.').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('alert').getByText('The service could not be reached.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.unroute('**/api/v1/fleet?*')
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Site 0' }).waitFor()
    const waiting = page.locator('a.tile', { hasText: 'Waiting for approval' })
    await waiting.getByText('–', { exact: true }).waitFor()
    assert.doesNotMatch((await waiting.getAttribute('class')) ?? '', /good|warn/, 'what nobody knows is grey')
    await page.goto(`${here.url}/members`)
    await alert.getByText('The service could not be reached.').waitFor()
    await page.goto(`${here.url}/settings/policies`)
    await alert.getByText('The service could not be reached.').waitFor()
    assert.equal(await page.getByText('Nobody has set anything yet.').count(), 0)
    broken = false
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('As usual → A person decides').waitFor()
  })
})
