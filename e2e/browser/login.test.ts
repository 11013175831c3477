// Needs a Chromium: apt-get install --no-install-recommends chromium
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Guest, startGuest } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { startBrowser } from './browser.ts'

let house: House
let guest: Guest
let site: Site
let browser: Browser

before(async () => {
  browser = await startBrowser()
  house = await openHouse()
  guest = await startGuest(house)
  await fetch(guest.site.url)
  site = await until('A connected site', async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ status }) => status === 'connected'),
  )
})
after(async () => {
  await browser?.close()
  await guest?.stop()
  await house?.close()
})

test('a login URL opened in a browser lands in the admin as the administrator, and is refused the second time', async () => {
  const { url } = await house.ask<{ url: string }>('POST', `/sites/${site.id}/actions`, { action: 'login' })
  const page = await (await browser.newContext()).newPage()
  await page.goto(url)
  await page.waitForURL(`${guest.site.url}/wp-admin/`, { waitUntil: 'domcontentloaded' })
  assert.match(await page.locator('#wp-admin-bar-my-account').innerText(), /Howdy, admin/)
  await page.goto(`${guest.site.url}/wp-admin/plugins.php`)
  assert.equal(await page.locator('tr.active[data-slug="harbour-notices"]:not(.plugin-update-tr)').count(), 1)

  const stranger = await (await browser.newContext()).newPage()
  assert.equal((await stranger.goto(url))?.status(), 403)
  assert.match(await stranger.locator('body').innerText(), /has been used/)
  await stranger.goto(`${guest.site.url}/wp-admin/`)
  assert.match(stranger.url(), /wp-login\.php/)
})

test('without scripts a button does the same', async () => {
  const { url } = await house.ask<{ url: string }>('POST', `/sites/${site.id}/actions`, { action: 'login' })
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await page.goto(url)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(`${guest.site.url}/wp-admin/`, { waitUntil: 'domcontentloaded' })
})
