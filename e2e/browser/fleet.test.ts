// Needs a Chromium: apt-get install --no-install-recommends chromium
// The list of sites with a thousand of them, and what is done with many: what is asked, what is drawn, what comes of each.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { copySites } from '../../server/test/filled.ts'
import { aPerson } from '../../server/test/person.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { signIn, startBrowser } from './browser.ts'

describe('a thousand sites', () => {
  let here: TestWorld
  let browser: Browser
  let page: Page
  let paired: string
  const asked: string[] = []
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off', SERVICE_UPTIME_CHECKS: 'off' })
    await aPerson(here, 'ann@example.com', 'owner')
    // Not one of those that are searched for: its address is a number that nobody chose.
    paired = (await here.site(here.workspaceId, 'Fake Orchard')).id
    await copySites(here, paired, 1000, (n) => ({
      ...{
        name: `Garden ${n}`,
        url: `https://g${n}.example`,
        home: `https://g${n}.example`,
        status: n === 700 ? 'unreachable' : 'connected',
      },
      ...{ tags: [`team-${n % 7}`], client: n % 2 ? 'Example Ltd' : null, inventory: null, inventory_at: null, synced_at: null },
    }))
    browser = await startBrowser()
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, bypassCSP: true })
    context.setDefaultTimeout(60_000)
    page = await context.newPage()
    page.on('request', (request) => request.url().includes('/api/v1/') && void asked.push(new URL(request.url()).pathname.slice(7)))
    await enter(page)
  })
  after(async () => {
    await browser?.close()
    await here?.close()
  })
  const enter = async (to: Page) => {
    await to.goto(here.url)
    await signIn(to)
    await to.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
  }
  const rows = () => page.locator('main tbody tr')
  const fleets = () => asked.filter((path) => path === '/fleet').length

  test('a page of a hundred is asked for and drawn, those first that somebody must look at; the next page follows', async (t) => {
    asked.length = 0
    await page.goto(here.url)
    await page.getByText('1,001 sites', { exact: true }).first().waitFor()
    await rows().nth(99).waitFor()
    const shown = await page.evaluate<number>('performance.now()')
    t.diagnostic(`the rows stood ${Math.round(shown)} ms after the page was asked for`)
    assert.equal(await rows().count(), 100)
    assert.match((await rows().first().textContent()) ?? '', /Garden 700/)
    assert.ok(!asked.includes('/sites'), 'nobody asks for all of them')
    assert.ok(fleets() <= 2, `once, and once more when the stream begins: ${fleets()}`)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('101 to 200 of 1,001').waitFor()
    assert.equal(await rows().count(), 100)
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText('1 to 100 of 1,001').waitFor()
    await rows().first().getByText('Garden 700').waitFor()
  })

  test('a letter typed draws no row anew and asks nothing; a word is one question', async (t) => {
    const before = fleets()
    const question = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    await page.route(/\/api\/v1\/fleet\b/, async (route) => {
      question.resolve()
      await answer.promise
      await route.continue()
    })
    // All letters in one task of the page, so that it cannot ask between two of them, however slow the machine is.
    await page.evaluate(`(() => {
      globalThis.drawn = 0
      globalThis.rows = new MutationObserver((all) => { drawn += all.length })
      rows.observe(document.querySelector('main tbody'), { subtree: true, childList: true, characterData: true, attributes: true })
      const field = document.querySelector('main input[type=search]')
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
      for (let length = 1; length <= 9; length++) {
        set.call(field, 'garden 77'.slice(0, length))
        field.dispatchEvent(new Event('input', { bubbles: true }))
      }
    })()`)
    // When it asks, typing is over; what it draws from then on is the answer.
    await question.promise
    const drawn = await page.evaluate('rows.disconnect(), drawn')
    answer.resolve()
    await page.unrouteAll({ behavior: 'wait' })
    assert.equal(drawn, 0, 'typing draws no row')
    await page.getByText('19 sites of 1,001').waitFor()
    assert.equal(fleets() - before, 1, 'one question for nine letters')
    await page.waitForFunction('document.querySelectorAll("main tbody tr").length === 19')
    assert.equal(new URL(page.url()).searchParams.get('q'), 'garden 77', 'the address keeps it')
    // What a key costs, whatever else the machine is doing: the script and the layout of one letter, by the browser's own account.
    const trace = await page.context().newCDPSession(page)
    await trace.send('Performance.enable')
    const spent = async () => {
      const { metrics } = await trace.send('Performance.getMetrics')
      const of = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0
      return { script: of('ScriptDuration'), layout: of('LayoutDuration') + of('RecalcStyleDuration') }
    }
    await page.getByRole('searchbox', { name: 'Search' }).fill('')
    await page.getByText('1,001 sites', { exact: true }).first().waitFor()
    await page.evaluate(`globalThis.longest = 0
      addEventListener('keydown', () => { const begun = performance.now(); requestAnimationFrame(() => setTimeout(() => { longest = Math.max(longest, performance.now() - begun) })) }, true)`)
    const begun = await spent()
    for (const letter of 'garden 77') await page.keyboard.press(letter === ' ' ? 'Space' : letter)
    const ended = await spent()
    t.diagnostic(`the longest a key took to the next frame: ${Math.round(await page.evaluate<number>('longest'))} ms`)
    const each = (of: keyof typeof begun) => (((ended[of] - begun[of]) / 9) * 1000).toFixed(1)
    t.diagnostic(`a key: ${each('script')} ms of script, ${each('layout')} ms of style and layout`)
    await page.getByText('19 sites of 1,001').waitFor()
  })

  test('columns are chosen, and a view is kept by its name and found again with them', async () => {
    const errors = page.getByRole('columnheader', { name: 'PHP errors' })
    const showErrors = async (on: boolean) => {
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('checkbox', { name: 'PHP errors' }).setChecked(on)
      await page.getByRole('button', { name: 'Done' }).click()
      await errors.waitFor({ state: on ? 'visible' : 'detached' })
    }
    await showErrors(true)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view …' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Seventy-sevens')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goto(here.url)
    await errors.waitFor()
    await showErrors(false)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Seventy-sevens', exact: true }).click()
    await rows().nth(18).waitFor()
    await page.waitForFunction('document.querySelectorAll("main tbody tr").length === 19')
    await errors.waitFor()
  })

  test('what this browser kept before is taken over once, and is there on another device', async () => {
    const key = `svc-fleet-views-${here.workspaceId}`
    const old = [
      { name: 'From before', query: 'tag=team-3' },
      { name: 'Seventy-sevens', query: 'q=something+else' },
      { name: 'No filter', query: 'cursor=x' },
    ]
    await page.evaluate(([name, text]) => localStorage.setItem(String(name), String(text)), [key, JSON.stringify(old)])
    await page.reload()
    await page.waitForFunction((name) => localStorage.getItem(name) === '[]', key)
    const phone = await (await browser.newContext({ viewport: { width: 390, height: 800 }, bypassCSP: true })).newPage()
    phone.setDefaultTimeout(60_000)
    await enter(phone)
    await phone.getByRole('button', { name: 'Views' }).click()
    await phone.getByRole('menuitem', { name: 'From before', exact: true }).waitFor()
    assert.equal(await phone.getByRole('menuitem', { name: 'No filter', exact: true }).count(), 0)
    await phone.getByRole('menuitem', { name: 'Seventy-sevens', exact: true }).click()
    await phone.getByText('19 sites of 1,001').waitFor()
    await phone.getByRole('button', { name: 'Views' }).click()
    await phone.getByRole('menuitem', { name: 'Forget “From before”' }).click()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'From before', exact: true }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await phone.context().close()
  })

  test('a phone lays out the rows that are near, and draws no field twice; what is chosen from a list narrows the sites, also by what none has any more', async () => {
    const phone = await (await browser.newContext({ viewport: { width: 390, height: 800 }, bypassCSP: true })).newPage()
    phone.setDefaultTimeout(60_000)
    await enter(phone)
    const drawn = phone.locator('main tbody tr')
    await drawn.nth(99).waitFor({ state: 'attached' })
    assert.equal(await phone.evaluate("getComputedStyle(document.querySelectorAll('main tbody tr')[50]).contentVisibility"), 'auto')
    assert.equal(await phone.locator('style').count(), 0, 'the style of the page has all that was worked out before')
    const search = await phone.getByRole('searchbox', { name: 'Search' }).getAttribute('id')
    assert.doesNotMatch(String(search), /^mantine-/, 'a field keeps the id that it is drawn with')
    await phone.goto(`${here.url}/?tag=gone`)
    await phone.getByText('No site is like that').waitFor()
    const tag = phone.getByRole('combobox', { name: 'Tag' })
    assert.equal(await tag.inputValue(), 'gone')
    await tag.selectOption('team-3')
    await phone.getByText('143 sites of 1,001').waitFor()
    await phone.getByRole('combobox', { name: 'Order' }).selectOption('Name')
    await phone.getByRole('combobox', { name: 'Client' }).selectOption('Example Ltd')
    await phone.getByText('72 sites of 1,001').waitFor()
    assert.equal(new URL(phone.url()).search, '?tag=team-3&order=name&client=Example+Ltd')
    await tag.selectOption('Any')
    await phone.getByText('500 sites of 1,001').waitFor()
    await phone.context().close()
  })

  test('a browser that thinks it is offline asks all the same: the service may be on this machine', async () => {
    await page.goto(here.url)
    await page.getByText('1,001 sites', { exact: true }).first().waitFor()
    await page.evaluate('dispatchEvent(new Event("offline"))')
    await page.getByRole('searchbox', { name: 'Search' }).fill('garden 77')
    await page.getByText('19 sites of 1,001').waitFor()
    await page.evaluate('dispatchEvent(new Event("online"))')
  })

  test('many are chosen across pages and backed up: each ends on its own, and the rollout tells how', async () => {
    await page.goto(`${here.url}/?q=garden+99`)
    await page.waitForFunction('document.querySelectorAll("main tbody tr").length === 19')
    await page.getByLabel('Choose all here').check()
    await page.goto(`${here.url}/?tag=team-3`)
    await page.getByText('143 sites of').waitFor()
    await page.getByLabel('Choose all here').check()
    await page.getByRole('button', { name: 'Choose all 143' }).click()
    await page.getByText('143 sites chosen').waitFor()
    await page.getByRole('button', { name: 'Choose none' }).click()
    await page.goto(here.url)
    await page.getByLabel('Choose Garden 700').check()
    await page.getByText('1 site chosen').waitFor()
    await page.getByLabel('Choose Garden 0', { exact: true }).check()
    // What is chosen is told where it moves no row from under a pointer that goes on choosing.
    const top = () => page.evaluate('document.querySelector("main tbody").getBoundingClientRect().top + scrollY')
    const whileChosen = await top()
    await page.getByRole('button', { name: 'Choose none' }).click()
    await page.getByRole('region', { name: 'The chosen sites' }).waitFor({ state: 'detached' })
    assert.equal(await top(), whileChosen)
    await page.getByLabel('Choose Garden 700').check()
    await page.getByLabel('Choose Garden 0', { exact: true }).check()
    await page.getByRole('button', { name: 'Back up' }).click()
    await page.getByRole('menuitem', { name: 'Database only' }).click()
    await page.getByRole('heading', { name: 'Backup of 2 sites' }).waitFor()
    assert.equal(await rows().count(), 2)
  })

  const menuWhileScrolled = `(() => {
    const top = () => document.querySelector('[role=menu]').getBoundingClientRect().top
    const [from, before] = [scrollY, top()]
    scrollBy({ top: 120, behavior: 'instant' })
    return { scrolled: scrollY - from, moved: top() - before }
  })()`

  test('a look at many: what one refuses keeps none of the others from it', async () => {
    await page.goto(`${here.url}/?order=name`)
    await page.getByLabel('Choose Fake Orchard').check()
    await page
      .getByLabel(/^Choose Garden/)
      .first()
      .check()
    await page.getByRole('button', { name: 'Look' }).click()
    await page.getByRole('menuitem', { name: 'Measure them' }).waitFor()
    // Else a press that begins on one thing to do ends on another, or on none.
    assert.deepEqual(await page.evaluate(menuWhileScrolled), { scrolled: 120, moved: 0 }, 'its menu stands still')
    await page.getByRole('menuitem', { name: 'Measure them' }).click()
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByText(/^2 begun\./).waitFor()
  })

  test('what changes is told as it happens: the page asks anew by itself, and only then', async () => {
    await page.goto(`${here.url}/sites/${paired}`)
    await page.getByRole('heading', { name: 'Fake Orchard', level: 1 }).waitFor()
    const stream = page.waitForResponse((response) => response.url().endsWith('/api/v1/events'))
    await page.reload()
    await stream
    await here.call('sites.set', { site_id: paired, notes: 'Changed elsewhere, a moment ago' })
    await page.getByText('Changed elsewhere, a moment ago').waitFor()
    asked.length = 0
    // Another site is no business of this page.
    await here.call('sites.set', { site_id: 'site_00000000000000000000000001', notes: 'x' })
    await here.call('sites.set', { site_id: paired, notes: 'And once more' })
    await page.getByText('And once more').waitFor()
    assert.deepEqual(
      asked.filter((path) => path.startsWith('/sites/') && path !== `/sites/${paired}`),
      [],
    )
    assert.equal(asked.filter((path) => path === `/sites/${paired}`).length, 1)
  })

  test('the palette opens by keys, finds a site among all, and goes there', async () => {
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'A site, a page or an action' })
    await field.fill('garden 512')
    await page.getByRole('option', { name: /Garden 512/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Garden 512', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('notif')
    await page.getByRole('option', { name: /Notifications/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor()
  })
})
