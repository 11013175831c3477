// Needs a Chromium: apt-get install --no-install-recommends chromium
// What a person signs in with, in a real browser: an authenticator app, recovery codes, and passkeys of the browser's own virtual device.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, CDPSession, Locator, Page } from 'playwright-core'
import { codeOf } from '../../server/test/authenticator.ts'
import { withApp } from '../../server/test/factors.ts'
import { alsoIn, aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { signIn, startBrowser } from './browser.ts'

describe('sign-in and security', () => {
  let here: TestWorld
  let browser: Browser
  let page: Page
  let cdp: CDPSession
  let at: string
  let secret = ''
  let codes: string[] = []
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
    at = here.url.replace('127.0.0.1', 'localhost')
    browser = await startBrowser()
    await aPerson(here, 'ann@example.com', 'owner')
    page = await aPage()
    cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
  })
  after(async () => {
    await browser?.close()
    await here?.close()
  })
  const aPage = async () => {
    const made = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage()
    made.setDefaultTimeout(60_000)
    return made
  }
  const aDevice = (isUserVerified: boolean) =>
    cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified, automaticPresenceSimulation: true },
      },
    })
  const enter = async (on: Page) => {
    await on.goto(at)
    await signIn(on)
  }
  const inside = (on: Page) => on.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  const signOut = async (on: Page) => {
    await on.getByRole('button', { name: /^You: / }).click()
    await on.getByRole('menuitem', { name: 'Sign out' }).click()
    await on.getByRole('heading', { name: 'Sign in' }).waitFor()
  }

  test('an authenticator app is set up by its key, and from then on the password alone opens nothing', async () => {
    await enter(page)
    await inside(page)
    await page.getByRole('button', { name: /^You: / }).click()
    await page.getByRole('menuitem', { name: 'Sign-in and security' }).click()
    await page.getByRole('button', { name: 'Set up an app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' })
    await dialog.getByRole('img', { name: /^QR code/ }).waitFor()
    secret = ((await dialog.getByLabel('Key for the app', { exact: true }).textContent()) ?? '').replaceAll(/\s/g, '')
    await dialog.locator('input[name=code]').fill('000000')
    await dialog.getByRole('button', { name: 'Use this app' }).click()
    await dialog.getByText('This is not the code the app shows now').waitFor()
    await dialog.locator('input[name=code]').fill(codeOf(secret, here.world.now()))
    await dialog.getByRole('button', { name: 'Use this app' }).click()
    const shown = page.getByRole('dialog', { name: 'Keep these recovery codes' })
    codes = ((await shown.getByLabel('Recovery codes', { exact: true }).textContent()) ?? '').trim().split(/\s+/)
    assert.equal(codes.length, 10)
    await shown.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByText('10 codes left').waitFor()
    assert.ok(!(await page.content()).includes(codes[0] ?? ''), 'shown once')
    await signOut(page)
    await enter(page)
    await page.getByRole('heading', { name: 'One more step' }).waitFor()
    here.clock.add(60_000)
    await page.locator('input[name=code]').fill(codeOf(secret, here.world.now()))
    await page.getByRole('button', { name: 'Go on' }).click()
    await inside(page)
  })

  test('a recovery code stands in for the app, once', async () => {
    const other = await aPage()
    for (const right of [true, false]) {
      await enter(other)
      await other.locator('input[name=code]').fill(codes[0] ?? '')
      await other.getByRole('button', { name: 'Go on' }).click()
      if (!right) {
        await other.getByText('The code is wrong, too old, or was used before.').waitFor()
        continue
      }
      await inside(other)
      await signOut(other)
    }
    await other.context().close()
  })

  test('a passkey is added after the app was asked for again, is named, signs in alone, and opens nothing once it is removed', async () => {
    const { authenticatorId } = await aDevice(true)
    await page.goto(`${at}/account`)
    here.clock.add(11 * 60_000)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const proving = page.getByRole('dialog', { name: 'Show that it is you' })
    await proving.locator('input[name=code]').fill(codeOf(secret, here.world.now()))
    await proving.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('The passkey is added.').waitFor()
    await page.getByRole('button', { name: 'Rename Chrome on Linux' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('My desk')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByText('My desk').waitFor()
    const kept = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    assert.deepEqual(
      kept.credentials.map(({ isResidentCredential, rpId }) => ({ isResidentCredential, rpId })),
      [{ isResidentCredential: true, rpId: 'localhost' }],
    )
    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await inside(page)
    await page.goto(`${at}/account`)
    await page.getByRole('button', { name: 'Remove My desk' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The passkey is removed.').waitFor()
    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey is not known here').waitFor()
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  })

  test('a device that does not know who holds it makes no passkey', async () => {
    const { authenticatorId } = await aDevice(false)
    await enter(page)
    here.clock.add(60_000)
    await page.locator('input[name=code]').fill(codeOf(secret, here.world.now()))
    await page.getByRole('button', { name: 'Go on' }).click()
    await inside(page)
    await page.goto(`${at}/account`)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('No passkey was used').waitFor()
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  })

  test('what was signed is taken once, for the page and by the person it was made for', async () => {
    const { authenticatorId } = await aDevice(true)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The passkey is added.').waitFor()
    const signed = await page.evaluate<object>(`(async () => {
      const options = await (await fetch('/session/passkey_options', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).json()
      return (await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })).toJSON()
    })()`)
    const send = async (sent: object, origin = at) => {
      const headers = { origin, 'content-type': 'application/json' }
      return (await fetch(`${at}/session/passkey`, { method: 'POST', headers, body: JSON.stringify({ response: sent }) })).status
    }
    const { response } = signed as { response: Record<string, string> }
    const signature = `${response.signature?.slice(0, -4)}AAAA`
    assert.equal(await send(signed, 'https://evil.example'), 403)
    assert.equal(await send(signed), 200)
    assert.equal(await send(signed), 401, 'once')
    assert.equal(await send({ ...signed, response: { ...response, signature } }), 401)
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  })

  test('at an IP address passkeys are refused in a sentence, and the page leads to where they work', async () => {
    const other = await aPage()
    await other.goto(here.url)
    assert.equal(await other.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0)
    await other.context().close()
    const numbered = await aWorld({ SERVICE_BASE_URL: 'https://192.0.2.7' })
    try {
      const headers = { origin: 'https://192.0.2.7' }
      const { status, text } = await numbered.rest('POST', '/session/passkey_options', { body: {}, headers })
      assert.deepEqual([status, /tied to a name/.test(text)], [409, true])
    } finally {
      await numbered.close()
    }
  })

  test('an owner makes a further workspace with keys alone, under a name that is free, and is in it where it asks for a first site', async () => {
    await aPerson(here, 'grows@example.com', 'owner')
    const other = await aPage()
    await other.goto(at)
    await signIn(other, 'grows@example.com')
    await inside(other)
    await other.getByRole('button', { name: 'Workspace: Test. Change' }).press('Enter')
    await other.getByRole('menuitem', { name: 'New workspace …' }).press('Enter')
    const dialog = other.getByRole('dialog', { name: 'New workspace' })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await name.fill('test')
    await name.press('Enter')
    await dialog.getByText('This name is taken. Choose another one.').waitFor()
    await name.fill('Grown')
    await name.press('Enter')
    await other.getByText('Grown is made, and you are its owner.').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await other.getByRole('button', { name: 'Workspace: Grown. Change' }).waitFor()
    await other.getByRole('heading', { name: 'No site yet' }).waitFor()
    await other.context().close()
  })

  test('a workspace is deleted by its name and a code, another one is left, and then the page says that there is none', async () => {
    const her = await withApp(here)
    await alsoIn(here, her.id, 'To go')
    const other = await aPage()
    const code = async (dialog: Page | Locator) => {
      here.clock.add(60_000)
      await dialog.locator('input[name=code]').fill(codeOf(her.secret, here.world.now()))
      await dialog.getByRole('button', { name: 'Go on' }).click()
    }
    await other.goto(at)
    await signIn(other, her.email)
    await code(other)
    await inside(other)
    await other.getByRole('button', { name: 'Workspace: Test. Change' }).click()
    await other.getByRole('menuitem', { name: /^To go/ }).click()
    await other.getByRole('button', { name: 'Workspace: To go. Change' }).waitFor()
    await other.goto(`${at}/settings/service`)
    await other.getByRole('button', { name: 'Delete the workspace …' }).click()
    const dialog = other.getByRole('dialog', { name: 'Delete To go?' })
    await dialog.getByText('0 sites with their history').waitFor()
    const goes = dialog.getByRole('button', { name: 'Delete for good' })
    await dialog.getByLabel('Type To go to confirm').fill('To stay')
    assert.equal(await goes.isDisabled(), true)
    await dialog.getByLabel('Type To go to confirm').fill('To go')
    here.clock.add(11 * 60_000)
    await goes.click()
    await code(other.getByRole('dialog', { name: 'Show that it is you' }))
    await other.getByText('To go is deleted.').waitFor()
    await inside(other)
    await other.getByText('Test', { exact: true }).waitFor()
    await other.goto(`${at}/account`)
    await other.getByRole('button', { name: 'Leave Test' }).click()
    await other.getByRole('dialog', { name: 'Leave Test?' }).getByRole('button', { name: 'Leave', exact: true }).click()
    await other.getByRole('heading', { name: 'You are in no workspace' }).waitFor()
    await other.getByText(`owner create --email "${her.email}" --workspace NAME`).waitFor()
    await other.context().close()
  })
})
