// The bars of the dashboard with a thousand sites: until the list can be used, and until a letter typed is seen; beside the same with a hundred. Usage: npm run bench:dashboard
// A page with nothing kept is the first visit, one with the scripts kept every later one. Run it on an idle machine.
import type { Browser, Page } from 'playwright-core'
import { signIn, startBrowser } from '../e2e/browser/browser.ts'
import { median } from '../server/test/cpu.ts'
import { copySites } from '../server/test/filled.ts'
import { aPerson } from '../server/test/person.ts'
import { aWorld, type TestWorld } from '../server/test/world.ts'
import { table, verdict } from './report.ts'

const bars = { interactive: 1000, key: 50 } as const
const visits = 5
const words = 'garden 77'

/**
 * Notes in ms since the page was asked for when the first row stood and the page had a moment for a key, and when the hundredth did,
 * which are drawn bit by bit; and how long each key took until it was painted (Event Timing, in steps of 8 ms).
 */
const notes = `
  const noted = { first: 1, all: 100 }
  addEventListener('DOMContentLoaded', () => {
    const seen = new MutationObserver(() => {
      const rows = document.querySelectorAll('main tbody tr').length
      for (const name of Object.keys(noted).filter((each) => noted[each] <= rows)) {
        delete noted[name]
        requestAnimationFrame(() => setTimeout(() => { window[name + 'At'] = performance.now() }))
      }
      if (!('all' in noted)) seen.disconnect()
    })
    seen.observe(document, { subtree: true, childList: true })
  })
  window.keys = []
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') window.keys.push(duration)
  }).observe({ type: 'event', durationThreshold: 16 })`

interface Figures {
  /** With nothing kept of the scripts. */
  first: number
  later: number
  /** Of a later visit. */
  all: number
  /** The slowest of them. */
  key: number
  /** From the last letter until the rows that were asked for stand. */
  found: number
}

async function measure(browser: Browser, here: TestWorld): Promise<Figures> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, bypassCSP: true })
  await context.addInitScript({ content: notes })
  const page = await context.newPage()
  await page.goto(here.url)
  await signIn(page)
  await noted(page, 'all')
  const kept = await context.storageState()
  const [first, later, whole]: [number[], number[], number[]] = [[], [], []]
  for (let visit = 0; visit < visits; visit++) {
    const empty = await browser.newContext({ viewport: { width: 1280, height: 860 }, bypassCSP: true, storageState: kept })
    await empty.addInitScript({ content: notes })
    const fresh = await empty.newPage()
    for (const times of [first, later]) {
      await fresh.goto(here.url)
      times.push(await noted(fresh, 'first'))
    }
    whole.push(await noted(fresh, 'all'))
    await empty.close()
  }
  const field = page.getByRole('searchbox').first()
  await field.focus()
  for (const letter of words) await page.keyboard.press(letter === ' ' ? 'Space' : letter)
  const typed = performance.now()
  await page.locator('main tbody tr', { hasNotText: /77/ }).first().waitFor({ state: 'detached' })
  const found = performance.now() - typed
  // A key that was painted within 16 ms is not told of.
  const key = await page.evaluate<number>('new Promise((told) => setTimeout(() => told(Math.max(0, ...window.keys)), 200))')
  await context.close()
  return { first: median(first), later: median(later), all: median(whole), key, found }
}

async function noted(page: Page, what: 'first' | 'all'): Promise<number> {
  const at = await page.waitForFunction(`window.${what}At`)
  return (await at.jsonValue()) as number
}

async function withSites(browser: Browser, many: number): Promise<Figures> {
  const here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off' })
  try {
    await aPerson(here, 'ann@example.com', 'owner')
    const { id } = await here.site()
    await copySites(here, id, many - 1, (n) => ({ name: `Garden ${n}`, url: `https://g${n}.example`, home: `https://g${n}.example` }))
    return await measure(browser, here)
  } finally {
    await here.close()
  }
}

const browser = await startBrowser()
try {
  const hundred = await withSites(browser, 100)
  const thousand = await withSites(browser, 1000)
  const ms = (value: number) => `${Math.round(value)} ms`
  const rows = (
    [
      ['first visit: until there are rows and keys are heard', 'first', bars.interactive],
      ['later visit', 'later', bars.interactive],
      ['later visit: until a hundred rows stand', 'all', undefined],
      ['a letter in the search field, the slowest', 'key', bars.key],
      ['from the last letter until its rows stand', 'found', undefined],
    ] as const
  ).map(([what, figure, bar]) => {
    const [ours, few] = [thousand[figure], hundred[figure]]
    const told = bar === undefined ? ['', ''] : [ms(bar), verdict(ours <= bar)]
    return [what, ms(few), ms(ours), few > 0 ? `${(ours / few).toFixed(2)}×` : '', ...told]
  })
  process.stdout.write(
    table(`The list of sites in a browser; visits: the median of ${visits}`, ['', '100 sites', '1,000 sites', 'ratio', 'bar', ''], rows),
  )
  process.exitCode = Math.max(thousand.first, thousand.later) <= bars.interactive && thousand.key <= bars.key ? 0 : 1
} finally {
  await browser.close()
}
