// Needs a Chromium: apt-get install --no-install-recommends chromium
// A whole month of a client, in each language and on each paper, printed by a real browser.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { languages } from '../../server/src/kernel/languages.ts'
import { printPdf } from '../../server/src/platform/print-pdf.ts'
import { plainText } from '../../server/src/reports/plain.ts'
import { aYear } from '../../server/test/fake-year.ts'
import { hostileWords } from '../../server/test/hostile-words.ts'
import { pageWith } from '../../server/test/worded-report.ts'
import { aWorld, type TestWorld } from '../../server/test/world.ts'
import { startBrowser } from './browser.ts'

/** Points of a sheet, and how wide what is printed on it is in CSS pixels, without the margins. */
const sheets = { a4: { points: [595, 842], width: 680 }, letter: { points: [612, 792], width: 702 } }

describe('a report on paper', () => {
  let here: TestWorld
  let browser: Browser
  let token: string
  before(async () => {
    here = await aWorld()
    browser = await startBrowser()
    here.clock.add(Date.parse('2027-01-15T00:00:00Z') - here.world.now().getTime())
    const words = (what: string, n: number) =>
      n % 3 === 1 ? (hostileWords[n % hostileWords.length] ?? '').replaceAll('\0', '').slice(0, 150) : `${what} ${n}`
    for (const [client, said] of [
      ['Plain', undefined],
      ['Hostile', words],
    ] as const) {
      await here.call('clients.create', { name: client })
      await aYear(here, { client, sites: 4, from: '2026-03-01T00:00:00Z', days: 31, ...(said && { words: said }) })
    }
    token = (await here.token('read')).token
  })
  after(async () => {
    await browser?.close()
    await here?.close()
  })

  /** Nothing in it is wider than the paper, asks for anything, or says anything to the console. */
  async function fits(text: string, width: number): Promise<void> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled: true })
    const page = await context.newPage()
    const reported: string[] = []
    page.on('console', (said) => void reported.push(said.text()))
    page.on('request', (request) => /^(about|data):/.test(request.url()) || void reported.push(request.url()))
    await page.emulateMedia({ media: 'print' })
    await page.setContent(text)
    const over = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML.slice(0, 100))`,
    )
    assert.deepEqual(over, [])
    assert.deepEqual(reported, [])
    await context.close()
  }

  // As long as what is kept of a name.
  const words = hostileWords.map((word) => plainText(word, 100))

  test('every hostile word in every field: nothing is wider than the paper, asks for anything or runs, in any language', async () => {
    for (const language of languages)
      for (const [paper, { width }] of Object.entries(sheets)) await fits(pageWith(words, language, paper), width)
  })

  test('every hostile word in every field is printed, with no script and no link that is not https', async () => {
    const page = Buffer.from(pageWith(words, 'en'))
    const pdf = (await printPdf({ program: '/usr/bin/chromium', sandbox: 'on' }, page)).toString('latin1')
    assert.doesNotMatch(pdf, /\/JavaScript|\/Launch|\/OpenAction\s*<</)
    for (const [, address = ''] of pdf.matchAll(/\/URI\s*\(([^)]*)\)/g)) assert.match(address, /^https:\/\//)
  })

  // Each two of them meet; `npm run prove:reports` tries all together.
  for (const [c, client] of ['Plain', 'Hostile'].entries())
    for (const [l, language] of languages.entries())
      for (const [p, [paper, { points, width }]] of Object.entries(sheets).entries())
        if (process.env.REPORTS === 'whole' || (c + l + p) % 2 === 0)
          test(`${client}, ${language}, ${paper}: tagged, with its fonts, on that paper, and nothing is wider than it`, async () => {
            await here.call('clients.set', { client_id: client, language, paper })
            const { id } = await here.call('reports.draft', { client_id: client, month: '2026-03' })
            const { text } = await here.rest('GET', `/api/v1/reports/${id}/html`, { token })
            const pdf = (await printPdf({ program: '/usr/bin/chromium', sandbox: 'on' }, Buffer.from(text))).toString('latin1')
            assert.match(pdf, /\/MarkInfo\s*<<[^>]*\/Marked true/)
            assert.match(pdf, /\/StructTreeRoot/)
            assert.match(pdf, /\/Outlines/)
            assert.doesNotMatch(pdf, /\/JavaScript|\/Launch|\/OpenAction\s*<</)
            const fonts = [...pdf.matchAll(/\/Type\s*\/FontDescriptor[\s\S]*?endobj/g)].map(([descriptor]) => descriptor)
            assert.ok(fonts.length > 0)
            for (const font of fonts) assert.match(font, /\/FontFile[23]?\b/, 'it is embedded')
            const [, wide = '', high = ''] = /\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf) ?? []
            assert.deepEqual([Math.round(Number(wide)), Math.round(Number(high))], points)
            await fits(text, width)
          })
})
