// The pictures of README.md, made anew: npm run pictures. Needs a Chromium: apt-get install --no-install-recommends chromium
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { copySites } from '../../server/test/filled.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { drawn, signIn, startBrowser } from './browser.ts'

const into = join(import.meta.dirname, '../../docs/pictures')
const trades = ['Bakery', 'Bookshop', 'Dental practice', 'Film club', 'Garden centre', 'Joinery', 'Law office', 'Music school', 'Theatre']
const towns = ['Ashford', 'Brigg', 'Corby', 'Dover']

/** A fleet of 37, of which some need somebody; an agent asks for an update. */
async function fill(here: TestWorld): Promise<string> {
  await aPerson(here, 'ann@example.com', 'owner')
  await here.call('workspaces.rename', { name: 'Ann’s sites' })
  const { id: site } = await here.site()
  const seen = new Date(here.world.now().getTime() - 40_000)
  await copySites(here, site, trades.length * towns.length, (n) => {
    const [trade, town] = [trades[n % trades.length] ?? '', towns[n % towns.length] ?? '']
    const host = `${trade.toLowerCase().replaceAll(' ', '-')}-${town.toLowerCase()}.example`
    return {
      ...{ name: `${trade} ${town}`, url: `https://${host}`, home: `https://${host}`, client: n % 3 ? `${town} Ltd` : null },
      ...{ tags: n % 4 ? ['care plan'] : ['care plan', 'shop'], status: n === 5 ? 'unreachable' : 'connected', last_seen_at: seen },
    }
  })
  await sql`INSERT INTO uptime_states (workspace_id, site_id, location, up, app_up, connector_silent, since)
    SELECT workspace_id, id, '', status = 'connected', status = 'connected', status <> 'connected', now() - interval '9 days' FROM sites`.execute(
    here.world.db,
  )
  await here.call('backups.create', { site_id: site, type: 'full' }).then(({ job_id }) => here.job(String(job_id)))
  const { token } = await here.call('tokens.create', { name: 'Claude on Ann’s desk', scope: 'write', approval_only: true })
  const asks = (name: string, args: object) =>
    here.rest('POST', '/api/mcp', {
      token: String(token),
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    })
  await asks('update_site', { site_id: site, plugins: ['garden'], why: 'The new version mends the opening hours in the footer.' })
  return site
}

async function take(page: Page, name: string): Promise<void> {
  await drawn(page)
  const cdp = await page.context().newCDPSession(page)
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: 72 })
  writeFileSync(join(into, `${name}.webp`), Buffer.from(data, 'base64'))
}

async function enter(here: TestWorld, browser: Browser, colorScheme: 'light' | 'dark', width: number): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' })).newPage()
  await page.goto(here.url)
  await signIn(page)
  await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  return page
}

const here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off', SERVICE_UPTIME_CHECKS: 'off' })
const browser = await startBrowser()
try {
  mkdirSync(into, { recursive: true })
  const site = await fill(here)
  const desk = await enter(here, browser, 'light', 1280)
  await desk.getByRole('combobox', { name: 'Tag' }).waitFor()
  await take(desk, 'sites')
  await desk.goto(`${here.url}/approvals`)
  await desk.locator('tbody tr a.name').first().click()
  await desk.getByText('1.0.0 → 1.1.0').waitFor()
  await take(desk, 'approval')
  const phone = await enter(here, browser, 'dark', 390)
  await phone.goto(`${here.url}/sites/${site}`)
  await phone.getByRole('heading', { name: 'Fake Garden', level: 1 }).waitFor()
  await take(phone, 'site-on-a-phone')
} finally {
  await browser.close()
  await here.close()
}
