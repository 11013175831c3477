// Needs a Chromium and, as e2e/native does, Debian as root.
// The whole way of a person who begins with nothing: the service as it is started, a browser, and a WordPress on PHP-FPM and nginx.
import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { type Service, startService } from '../../demo/service.ts'
import { freePort } from '../../demo/start-site.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { goodPassword } from '../../server/test/person.ts'
import { stdioAgent } from '../agent.ts'
import { unpack } from '../archive.ts'
import { QUIET, until } from '../house.ts'
import { type Fleet, type NativeSite, startFleet } from '../native/fleet.ts'
import { visit } from '../visitor.ts'
import { goTo, makeToken, openApproval, openTab, startBrowser, troublesOf } from './browser.ts'

const E2E = join(import.meta.dirname, '..')
/** Every request to the site waits while this file is in its wp-content. */
const HOLD = "<?php while ( file_exists( WP_CONTENT_DIR . '/hold' ) ) { usleep( 100000 ); clearstatcache(); }"

describe('from the set-up link to a site that is removed again', () => {
  let dir: string
  let service: Service
  let mirror: Mirror
  let fleet: Fleet
  let wordpress: NativeSite
  let browser: Browser
  let page: Page
  let admin: Page
  let troubles: string[]

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-real-'))
    for (const name of ['data', 'harbour-faults']) await mkdir(join(dir, name), { mode: 0o755 })
    await copyFile(join(E2E, 'native/errors/harbour-faults.php'), join(dir, 'harbour-faults/harbour-faults.php'))
    await writeFile(join(dir, 'mu-hold.php'), HOLD)
    mirror = await startMirror()
    mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0' } })
    const plugins = [await writeSamplePlugin(dir), join(dir, 'harbour-faults')]
    const muPlugins = [join(E2E, '../demo/mu-wporg-mirror.php'), join(dir, 'mu-hold.php')]
    const starting = [
      startService(join(dir, 'data'), await freePort(), QUIET).then((it) => {
        service = it
      }),
      startFleet([{ wp: '7.1.1', db: 'sqlite' }], { plugins, muPlugins, constants: { WPORG_MIRROR: mirror.url } }).then((it) => {
        fleet = it
        wordpress = it.sites[0] as NativeSite
      }),
      startBrowser().then((it) => {
        browser = it
      }),
    ]
    await Promise.allSettled(starting)
    await Promise.all(starting)
    page = await aPage()
    troubles = troublesOf(page)
    admin = await aPage()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    await fleet?.stop()
    await mirror?.stop()
    await rm(dir, { recursive: true, force: true })
  })

  // What follows would only wait for what cannot come any more.
  afterEach(async (t) => {
    if ('passed' in t && !t.passed) await browser.close()
  })

  /** A browser of its own: its cookies are nobody else's. */
  const aPage = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
    context.setDefaultTimeout(300_000)
    return context.newPage()
  }
  const host = () => new URL(wordpress.url).host
  const held = () => join(wordpress.content, 'hold')
  /** Follows what goes on on this page of the site to the page of its job, and there to its end. */
  const toItsEnd = async (type: string) => {
    await page.locator('main section.card').getByRole('link', { name: type, exact: true }).click()
    await page.getByRole('heading', { name: type, level: 1 }).waitFor()
    await page
      .getByText('the whole workspace')
      .or(page.getByRole('link', { name: 'Native 1' }))
      .waitFor()
    await page.locator('main .card').first().getByText('Done', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Native 1' }).click()
  }

  test('the link that the service printed makes the owner, who is signed in', async () => {
    const link = await until(
      'The link',
      async () => /http\S+\/setup\?key=\S+/.exec(await readFile(join(dir, 'data/service.log'), 'utf8'))?.[0],
    )
    await page.goto(link)
    await page.getByLabel('Your e-mail address').fill('ann@example.com')
    await page.getByLabel('A password').fill(goodPassword)
    await page.getByLabel('Name of your workspace').fill('Ann’s sites')
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByRole('link', { name: 'Open the dashboard' }).click()
    await page.getByRole('heading', { name: 'No site yet' }).waitFor()
  })

  test('the plugin is downloaded, uploaded to WordPress, given address and code, and the dialog sees the site arrive', async () => {
    await page.getByRole('button', { name: 'Add a site' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a site' })
    const coming = page.waitForEvent('download')
    await dialog.getByRole('link', { name: 'the plugin' }).click()
    const zip = join(dir, 'svc-connector.zip')
    await (await coming).saveAs(zip)
    const said = async (label: string) => ((await dialog.getByLabel(label, { exact: true }).textContent()) ?? '').trim()
    const [address, code] = [await said('Address of this service'), await said('Code')]

    await admin.goto(`${wordpress.url}/wp-login.php`)
    // A moment after it is there the form puts the cursor into its first field, whatever is typed meanwhile (wp_attempt_focus of wp-login.php).
    await admin.locator('#user_login:focus').waitFor()
    await admin.locator('#user_login').fill(wordpress.adminUser)
    await admin.locator('#user_pass').fill(wordpress.adminPassword)
    await admin.locator('#wp-submit').click()
    await admin.locator('#wpadminbar').waitFor()
    await admin.goto(`${wordpress.url}/wp-admin/plugin-install.php?tab=upload`)
    await admin.locator('input[name=pluginzip]').setInputFiles(zip)
    await admin.locator('#install-plugin-submit').click()
    await admin.getByRole('link', { name: 'Activate Plugin' }).click()
    await admin.locator('#wpadminbar').waitFor()
    await admin.goto(`${wordpress.url}/wp-admin/options-general.php?page=svc-connector`)
    await admin.getByLabel('Service address').fill(address)
    await admin.getByLabel('Connection code').fill(code)
    await admin.getByRole('button', { name: 'Connect', exact: true }).click()
    await admin.getByText(/now known to the service/).waitFor()

    await dialog.getByText('Connected').waitFor()
    await dialog.getByRole('button', { name: 'Open the site' }).click()
    await page.getByRole('heading', { name: 'Native 1', level: 1 }).waitFor()
  })

  test('what is installed is shown, and a plugin is updated: plan, progress, result', async () => {
    await openTab(page, 'Updates')
    await page.locator('tr', { hasText: 'Harbour Faults' }).getByText('2.4.0').waitFor()
    await page.getByRole('button', { name: 'Update everything …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Update one item?' })
    await dialog.getByText('1.0.0 → 1.1.0').waitFor()
    await dialog.getByText('A backup is made first').waitFor()
    await dialog.getByRole('button', { name: 'Update', exact: true }).click()
    await toItsEnd('Update')
    await openTab(page, 'Updates')
    await page.getByText('Up to date').waitFor()
    assert.equal(await wordpress.wpCli(['plugin', 'get', 'harbour-notices', '--field=version']), '1.1.0')
  })

  test('a backup is begun, followed while the site is slow, and downloaded whole', async () => {
    await openTab(page, 'Backups')
    await page.locator('tbody tr').getByText('Completed', { exact: true }).waitFor()
    await writeFile(held(), '')
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByRole('menuitem', { name: 'Full: files and database' }).click()
    await page.locator('main section.card').getByRole('status').waitFor()
    await rm(held())
    await page.locator('tbody tr').getByText('Completed', { exact: true }).nth(1).waitFor()
    await page.locator('main section.card').getByRole('status').waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: /More about/ })
      .first()
      .click()
    const coming = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Download' }).click()
    const backup = await coming
    const archive = join(dir, backup.suggestedFilename())
    await backup.saveAs(archive)
    const { type, files, omissions } = await unpack(archive, join(dir, 'unpacked'))
    assert.deepEqual([type, (files?.files ?? 0) > 1000, omissions.filter(({ kind }) => kind !== 'excluded')], ['full', true, []])
  })

  test('a restore tells its plan, waits for the name, and the site is what it was', async () => {
    await wordpress.wpCli(['option', 'update', 'blogdescription', 'Hacked'])
    await writeFile(join(wordpress.content, 'uploads-planted.php'), '<?php // planted')
    await page
      .getByRole('button', { name: /More about/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Restore …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore this backup?' })
    await dialog.getByText(/^Files: /).waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Restore' }).isDisabled(), true)
    await dialog.getByRole('textbox').fill(host())
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await toItsEnd('Restore')
    assert.notEqual(await wordpress.wpCli(['option', 'get', 'blogdescription']), 'Hacked')
    await assert.rejects(stat(join(wordpress.content, 'uploads-planted.php')), { code: 'ENOENT' })
  })

  test('a finding is fixed by a tweak, and open again when that is taken back', async () => {
    await openTab(page, 'Security')
    await page.getByRole('button', { name: 'Check now' }).click()
    const finding = page.getByText('Code can be edited in wp-admin')
    await finding.waitFor()
    await page.locator('summary', { hasText: /in effect|protections/ }).click()
    await page.getByRole('button', { name: 'Apply: File editor off' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await finding.waitFor({ state: 'detached' })
    const editor = `${wordpress.url}/wp-admin/plugin-editor.php`
    assert.notEqual((await admin.goto(editor))?.status(), 200)
    await page.getByRole('button', { name: 'Take back: File editor off' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
    await finding.waitFor()
    assert.equal((await admin.goto(editor))?.status(), 200)
  })

  test('one click, and wp-admin is open in another tab, signed in', async () => {
    const opening = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Log in to wp-admin' }).click()
    const opened = await opening
    await opened.locator('#wp-admin-bar-my-account', { hasText: 'Howdy, admin' }).waitFor()
    assert.match(opened.url(), /\/wp-admin\/$/)
    await opened.close()
  })

  test('an error that a visitor met is told with the plugin it comes from', async () => {
    assert.equal((await visit(`${wordpress.url}/?fault=call`)).status, 500)
    await openTab(page, 'PHP errors')
    await page.getByRole('button', { name: 'Ask the site now' }).click()
    const met = page.locator('li.entry', { hasText: 'harbour_no_such_function' })
    await met.getByText('plugin harbour-faults 2.4.0').waitFor()
  })

  test('an agent that may only ask: what is approved is done as it was shown, what is declined is not, and its work is shown in reports', async () => {
    const agent = await stdioAgent(service.url, await makeToken(page, 'Claude on my desk'))
    const asks = async (tool: string, args: object) => {
      const { content, isError } = await agent.call(tool, args)
      assert.equal(isError, false, content[0]?.text)
      return content[0]?.text ?? ''
    }
    try {
      const { sites } = (await agent.call<{ sites: { id: string; name: string }[] }>('list_sites')).structuredContent
      const [{ id: site_id } = { id: '' }] = sites.filter(({ name }) => name === 'Native 1')
      const decide = async (button: string, told: string) => {
        await openApproval(page, told)
        await page.getByRole('button', { name: button }).click()
      }
      const editor = async () => (await admin.goto(`${wordpress.url}/wp-admin/plugin-editor.php`))?.status()
      const fix = { site_id, tweak_ids: ['file_editor_off'], why: 'Nobody edits code here.' }
      await decide('Decline', await asks('apply_security_fix', fix))
      await page.locator('.head').getByText('Declined').waitFor()
      assert.equal(await editor(), 200)
      await decide('Approve', await asks('apply_security_fix', { ...fix, why: 'It was agreed on the telephone.' }))
      await page.getByRole('link', { name: 'What became of it' }).click()
      await page.locator('main .card').first().getByText('Done', { exact: true }).waitFor()
      assert.notEqual(await editor(), 200)
      await asks('log_activity', { site_id, summary: 'Looked after the images' })
    } finally {
      await agent.close()
    }
    await goTo(page, 'Activity')
    const entry = page.locator('li.entry', { hasText: 'Looked after the images' })
    await entry.getByText('Internal').waitFor()
    await entry.getByRole('switch').click()
    await page.getByText('Client reports show it.').waitFor()
    await goTo(page, 'Sites')
    await page.getByRole('link', { name: 'Native 1' }).click()
  })

  test('a job is canceled while its site does not answer', async () => {
    await openTab(page, 'Backups')
    await writeFile(held(), '')
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByRole('menuitem', { name: 'Full: files and database' }).click()
    await page.locator('main section.card').getByRole('link', { name: 'Backup', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByText('The job is asked to stop').waitFor()
    await rm(held())
    await page.locator('main .card').first().getByText('Canceled', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Native 1' }).click()
  })

  test('whose site it is and what to know of it is said in its settings, and stands on its page', async () => {
    await openTab(page, 'Settings')
    await page.getByLabel('Client', { exact: true }).fill('Harbour & <b>Sons</b>')
    await page.getByLabel('Notes', { exact: true }).fill('Ask Jo before updates.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await openTab(page, 'Overview')
    await page.getByText('Ask Jo before updates.').waitFor()
  })

  test('removed, the site is gone here and knows no service any more', async () => {
    await openTab(page, 'Settings')
    await page.getByRole('button', { name: 'Remove the site …' }).click()
    const dialog = page.getByRole('dialog', { name: `Remove ${host()}?` })
    await dialog.getByRole('textbox').fill(host())
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText(`${host()} is removed.`, { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'No site yet' }).waitFor()
    await assert.rejects(wordpress.wpCli(['svc-connector', 'status']), /failed \(1\)/)
  })

  test('nothing went wrong in the page meanwhile', () => assert.deepEqual(troubles, []))
})
