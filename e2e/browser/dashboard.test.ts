// Needs a Chromium: apt-get install --no-install-recommends chromium
// The dashboard in a real browser against the real service and its database; the sites are fake, but speak the real protocol.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { offerRecovery } from '../../server/src/members/sign-in.ts'
import { offerSetup } from '../../server/src/workspaces/setup.ts'
import { type RunningFakeSite, startFakeSite } from '../../server/test/fake-site.ts'
import { goodPassword } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { startBrowser, troublesOf } from './browser.ts'

describe('the dashboard, as a new person meets it', () => {
  let here: TestWorld
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let fake: RunningFakeSite | undefined
  let restored = ''
  let troubles: string[]
  const path = () => new URL(page.url()).pathname

  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    browser = await startBrowser()
    context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    context.setDefaultTimeout(60_000)
    page = await context.newPage()
    troubles = troublesOf(page)
  })
  after(async () => {
    await browser?.close()
    await fake?.stop()
    await here?.close()
  })
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')

  test('on a fresh service the sign-in tells how the first owner is made; the link makes them and opens the dashboard signed in', async () => {
    await page.goto(here.url)
    await page.getByRole('heading', { name: 'Nobody owns this service yet' }).waitFor()
    await page.goto(`${here.url}/setup?key=${await offerSetup(here.world)}`)
    await page.getByLabel('Your e-mail address').fill('ann@example.com')
    await page.getByLabel('A password').fill(goodPassword)
    await page.getByLabel('Name of your workspace').fill('Ann’s sites')
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByRole('link', { name: 'Open the dashboard' }).click()
    await page.getByRole('heading', { name: 'No site yet' }).waitFor()
    assert.equal(await page.evaluate<string>('document.cookie'), '', 'no script reads a cookie')
  })

  test('a site is added with the code that is shown, and the dialog sees it arrive', async () => {
    await page.getByRole('button', { name: 'Add a site' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a site' })
    await dialog.getByText('Waiting for the site').waitFor()
    await dialog.getByRole('button', { name: 'Copy: Code' }).click()
    fake = await startFakeSite({})
    fake.state.name = 'Harbour & <b>Sons</b>'
    await fake.enrol(here.url, await copied())
    await dialog.getByText('Connected').waitFor()
    await dialog.getByRole('button', { name: 'Open the site' }).click()
    await page.getByRole('heading', { name: 'Harbour & <b>Sons</b>', level: 1 }).waitFor()
    assert.match(path(), /^\/sites\/site_/)
  })

  test('a backup is started, followed to its end without loading anew, and stands in the list', async () => {
    await page.getByRole('navigation', { name: 'This site' }).getByRole('link', { name: 'Backups' }).click()
    await page.getByRole('heading', { name: 'No backup yet' }).waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByRole('menuitem', { name: 'Full: files and database' }).click()
    await page.locator('table').getByText('Completed').waitFor()
    await page.getByRole('link', { name: 'Jobs', exact: true }).first().click()
    await page.getByRole('link', { name: 'Backup' }).first().click()
    await page.getByText(/Backed up files and database/).waitFor()
  })

  test('an update tells its plan, is followed, and afterwards nothing waits', async () => {
    await page.getByRole('link', { name: 'Harbour & <b>Sons</b>' }).first().click()
    await page.getByRole('navigation', { name: 'This site' }).getByRole('link', { name: 'Updates' }).click()
    await page.getByRole('checkbox', { name: 'Update Wordpress' }).uncheck()
    await page.getByRole('button', { name: 'Update 1 of 2' }).click()
    const dialog = page.getByRole('dialog', { name: 'Update one item?' })
    await dialog.getByText('1.0.0 → 1.1.0').waitFor()
    await dialog.getByRole('button', { name: 'Update', exact: true }).click()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Jobs' }).click()
    await page.locator('tr', { hasText: 'Update' }).getByText('Done').waitFor({ timeout: 90_000 })
  })

  test('one plugin is updated on every site that has it, and the rollout is followed', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Updates' }).click()
    await page.getByRole('button', { name: 'Update Wordpress on 1 site' }).click()
    const dialog = page.getByRole('dialog', { name: 'Update Wordpress everywhere?' })
    await dialog.getByText('6.8.1 → 6.8.2').waitFor()
    await dialog.getByRole('button', { name: 'Update 1 site' }).click()
    await page.getByRole('heading', { name: 'Update of 1 site', level: 1 }).waitFor()
    await page.locator('main .card').getByText('Completed').waitFor({ timeout: 90_000 })
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sites' }).click()
    await page.getByText('Up to date').waitFor()
  })

  test('a restore tells its plan, asks for the name of the site, and is done', async () => {
    await page.getByRole('link', { name: 'Harbour & <b>Sons</b>' }).first().click()
    await page.getByRole('navigation', { name: 'This site' }).getByRole('link', { name: 'Backups' }).click()
    await page
      .getByRole('button', { name: /More about/ })
      .first()
      .click()
    await page.route('**/restore', (route) => route.fulfill({ status: 409, json: { detail: 'The site is busy.' } }), { times: 1 })
    await page.getByRole('menuitem', { name: 'Restore …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore this backup?' })
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText(/^From the backup of .*: backup_/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.locator(':focus', { hasText: 'More' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Restore …' }).click()
    await dialog.getByText(/^From the backup of .*: backup_/).waitFor()
    await dialog.getByText(/^Tables: /).waitFor()
    const restore = dialog.getByRole('button', { name: 'Restore' })
    assert.equal(await restore.isDisabled(), true)
    await dialog.getByRole('textbox').fill(new URL(fake?.url ?? '').host)
    await restore.click()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Jobs' }).click()
    await page.locator('tr', { hasText: 'Restore' }).getByText('Done').waitFor({ timeout: 60_000 })
  })

  test('a restore is undone from its job, which then says so and offers it no more', async () => {
    await page.locator('tr', { hasText: 'Restore' }).getByRole('button', { name: 'Undo the restore …' }).waitFor()
    await page.getByRole('link', { name: 'Restore', exact: true }).click()
    await page.getByRole('heading', { name: 'Restore', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Undo the restore …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Undo this restore?' })
    await dialog.getByText(/becomes what it was before the restore/).waitFor()
    await dialog.locator(':focus', { hasText: 'Cancel' }).waitFor()
    await dialog.getByRole('button', { name: 'Undo restore' }).click()
    await page.getByText(/^It was undone/).waitFor({ timeout: 60_000 })
    assert.equal(await page.getByRole('button', { name: 'Undo the restore …' }).count(), 0)
    await page.getByRole('link', { name: 'Harbour & <b>Sons</b>' }).click()
    await page.getByRole('navigation', { name: 'This site' }).getByRole('link', { name: 'Backups' }).click()
    await page.getByText(/^It was undone/).waitFor()
  })

  test('an update is undone from its job: the files come back from the backup before it, as the plan says', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Jobs' }).click()
    await page.getByRole('link', { name: 'Update', exact: true }).last().click()
    await page.locator('main tr', { hasText: '1.0.0 → 1.1.0' }).getByText('Updated').waitFor()
    await page.getByRole('button', { name: 'Undo the update …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Undo this update?' })
    await dialog.getByText(/^Files: /).waitFor()
    await dialog.getByText(/The database stays as it is now/).waitFor()
    await dialog.getByRole('button', { name: 'Undo update' }).click()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Jobs' }).click()
    const restores = page.locator('tr', { hasText: /^Restore/ })
    await restores.nth(1).waitFor()
    await restores.first().getByText('Done', { exact: true }).waitFor({ timeout: 60_000 })
    await page.getByRole('link', { name: 'Restore', exact: true }).first().click()
    await page.getByRole('button', { name: 'Undo the restore …' }).waitFor()
    restored = path()
  })

  test('a token is made, shown once with what to paste, used by a tool server’s client, and revoked', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents & API' }).click()
    await page.getByRole('button', { name: 'Create a token' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create a token' })
    await form.getByLabel('Name').fill('Claude on my desk')
    await form.getByRole('radio', { name: 'Read and write' }).click()
    assert.equal(await form.getByRole('checkbox', { name: 'Approval only' }).isChecked(), true, 'careful unless it is said otherwise')
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    const made = page.getByRole('dialog', { name: '“Claude on my desk” is made' })
    await made.getByRole('button', { name: 'Copy: The token' }).click()
    const token = await copied()
    assert.match(token, /^svc_[0-9A-Za-z]{38}$/)
    for (const name of ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'Codex', 'curl', 'svc']) {
      await made.getByRole('tab', { name, exact: true }).click()
      await made.getByRole('button', { name: `Copy: Configuration for ${name}` }).click()
      const text = await copied()
      assert.ok(text.includes(here.url) || text.includes('fleet'), name)
      if (name !== 'VS Code') assert.ok(text.includes(token), name)
    }
    await page.keyboard.press('Escape')
    assert.equal(await made.isVisible(), true, 'what is shown only now is not closed by a key')
    await made.getByRole('button', { name: 'I have it' }).click()
    await page.locator(':focus', { hasText: 'Create a token' }).waitFor()
    assert.ok(!(await page.content()).includes(token), 'it is nowhere any more')
    const ask = (name: string, args: object) =>
      here.rest('POST', '/api/mcp', { token, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } } })
    assert.ok((await ask('list_sites', {})).text.includes('Harbour'))
    const [{ id }] = (await here.rest('GET', '/api/v1/sites', { token })).json as unknown as [{ id: string }]
    assert.equal((await ask('log_activity', { site_id: id, summary: 'Looked after the images' })).status, 200)
    await page.getByRole('button', { name: 'Revoke Claude on my desk' }).click()
    const asked = page.getByRole('dialog', { name: 'Revoke “Claude on my desk”?' })
    await asked.locator(':focus', { hasText: 'Cancel' }).waitFor()
    await asked.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('is revoked').waitFor()
    assert.equal((await here.rest('GET', '/api/v1/sites', { token })).status, 401)
  })

  test('the agent’s entry is internal until it is shown in reports', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
    const entry = page.locator('li.entry', { hasText: 'Looked after the images' })
    await entry.getByText('Internal').waitFor()
    await entry.getByRole('switch').click()
    await page.getByText('Client reports show it.').waitFor()
    await entry.getByText('Internal').waitFor({ state: 'detached' })
    assert.equal(await entry.getByRole('switch').isChecked(), true)
  })

  test('an invited viewer joins by the link, sees the sites, and is offered nothing that would change them', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await page.getByLabel('E-mail address').fill('vic@example.com')
    await page.getByRole('radio', { name: 'Viewer' }).click()
    await page.getByRole('button', { name: 'Make the link' }).click()
    await page.getByRole('button', { name: 'Copy: Link of the invitation' }).click()
    const link = (await copied()).replace(/^https?:\/\/[^/]+/, here.url)
    const theirs = await (await browser.newContext()).newPage()
    await theirs.goto(link)
    await theirs.getByRole('heading', { name: 'Join Ann’s sites' }).waitFor()
    await theirs.locator('input[name=password]').fill('a password of mine')
    await theirs.getByRole('button', { name: 'Join' }).click()
    await theirs.getByRole('link', { name: 'Harbour & <b>Sons</b>' }).click()
    await theirs.getByRole('heading', { name: 'Harbour & <b>Sons</b>', level: 1 }).waitFor()
    assert.deepEqual(await theirs.getByRole('button', { name: /Add a site|Log in to wp-admin|Back up now/ }).count(), 0)
    assert.equal(await theirs.getByRole('link', { name: 'Agents & API' }).count(), 0)
    await theirs.goto(here.url + restored)
    await theirs.locator('main').getByText('Done', { exact: true }).waitFor()
    assert.equal(await theirs.getByRole('button', { name: /Undo/ }).count(), 0)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Remove vic@example.com' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('vic@example.com is no member any more.').waitFor()
    await theirs.reload()
    await theirs.getByRole('heading', { name: 'You are in no workspace' }).waitFor()
  })

  test('signing out leaves nothing behind, a wrong password is told in words, the right one comes in again', async () => {
    await page.getByRole('button', { name: 'You: ann@example.com' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.ok(!(await page.content()).includes('Harbour'))
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.locator('input[name=password]').fill('not the right one')
    await page.keyboard.press('Enter')
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await page.locator('input[name=password]').fill(goodPassword)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sites' }).waitFor()
  })

  test('the operator’s link leads to a new password, in a narrow window too, where the menu opens and closes', async () => {
    const { secret } = await offerRecovery(here.world, 'ann@example.com')
    const narrow = await (await browser.newContext({ viewport: { width: 375, height: 800 } })).newPage()
    await narrow.goto(`${here.url}/recover#${secret}`)
    await narrow.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await narrow.locator('input[name=password]').fill('short')
    await narrow.getByRole('button', { name: 'Set the password and sign in' }).click()
    await narrow.getByText('At least 12 characters.').nth(1).waitFor()
    await narrow.locator('input[name=password]').fill('another horse battery')
    await narrow.getByRole('button', { name: 'Set the password and sign in' }).click()
    await narrow.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
    assert.equal(narrow.url(), `${here.url}/`, 'the secret stands in no address any more')
    await narrow.getByRole('button', { name: 'Open the menu' }).click()
    await narrow.getByRole('link', { name: 'Settings' }).click()
    await narrow.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await narrow.getByRole('button', { name: 'Open the menu' }).waitFor()
    assert.equal(await narrow.locator('nav[inert]').count(), 1, 'a menu that is shut is beyond the keyboard as well')
    await narrow.getByRole('link', { name: /where you are signed in/ }).click()
    await narrow.getByText('This one').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('nothing went wrong in the page meanwhile', () => assert.deepEqual(troubles, []))
})
