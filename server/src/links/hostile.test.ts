import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { grown } from '../../test/grown.ts'
import { type Behaviour, behaviours } from '../../test/hostile-behaviours.ts'
import { createGuardedFetch } from '../platform/guarded-fetch.ts'
import { type Asker, get, look } from './ask.ts'
import { extract, extractCss } from './extract.ts'
import { isThere } from './fragments.ts'
import { Hosts, usualManners } from './hosts.ts'
import { refreshUrl, srcsetUrls } from './references.ts'
import { parseRobots, parseSitemap } from './robots.ts'

const { signal } = new AbortController()

describe('a hostile server', () => {
  let behaviour: Behaviour
  let url: string
  let asker: Asker
  const guarded = createGuardedFetch({ allowPrivate: true })
  const server = createServer((request, response) => behaviour(request, response)).on('clientError', (_, socket) => socket.destroy())
  before(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const none = { atOnce: 4, pauseMs: 0 }
    const hosts = new Hosts({ ...usualManners, own: none, others: none }, new URL(url).host, signal)
    asker = { fetch: guarded.fetch, hosts, timeoutMs: 250, signal, mayAsk: () => true }
  })
  after(async () => {
    await guarded.close()
    server.closeAllConnections()
    server.close()
  })

  for (const [what, how] of Object.entries(behaviours))
    test(`${what} ends with a verdict`, async () => {
      behaviour = how
      const [asked, read] = [await look(asker, url), await get(asker, url)]
      for (const { verdict } of [asked, read]) assert.ok(['ok', 'dead', 'blocked'].includes(verdict.is))
      await extract(read.body, url)
    })

  test('asking again and again for what never ends takes less than 64 MiB', async () => {
    const more = await grown(35, async () => {
      for (const what of ['a page without end', 'a header without end']) {
        behaviour = behaviours[what] ?? assert.fail(what)
        await get(asker, url)
      }
    })
    assert.ok(more < 64, `${more} MiB`)
  })
})

/** What a page may be made of to keep a reader busy; each must be read in a moment. */
const heavy: Record<string, string> = {
  'formatting that is opened and never closed': Array.from({ length: 40_000 }, (_, n) => `<b a${n}=1>`).join('') + '<p>'.repeat(20_000),
  'elements a hundred thousand deep': '<div>'.repeat(300_000),
  'one attribute without end': `<a href="${'x'.repeat(2_000_000)}">`,
  'attributes without end': `<a ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(' ')}>`,
  'comments that never end': '<!--'.repeat(400_000),
  'noscript in noscript': '<noscript>'.repeat(100_000),
  'a srcset of commas': `<img srcset="${','.repeat(1_000_000)}">`,
  'a srcset of parentheses': `<img srcset="a ${'('.repeat(1_000_000)}">`,
  'a style of half comments': `<style>${'/*'.repeat(500_000)}</style>`,
  'a style of half addresses': `<style>${'url('.repeat(400_000)}</style>`,
  'a style of quotes': `<style>${'url("'.repeat(300_000)}</style>`,
  'anchors in anchors': '<a href="/x">y'.repeat(100_000),
  'a refresh of spaces': `<meta http-equiv=refresh content="0;${' '.repeat(1_000_000)}">`,
  'entities that are none': '&amp'.repeat(400_000),
}

for (const [what, html] of Object.entries(heavy))
  test(`${what}: read within a second of the processor`, async () => {
    const before = process.cpuUsage()
    const { links } = await extract(html, 'http://a.example/')
    const { user, system } = process.cpuUsage(before)
    assert.ok((user + system) / 1e6 < 4, `${(user + system) / 1e6} s`)
    assert.ok(links.length <= 5000)
  })

test('a robots.txt, a sitemap and a style sheet that are made to be slow are read at once', () => {
  const before = process.cpuUsage()
  const robots = parseRobots(`User-agent: *\n${`Disallow: /${'*a'.repeat(200)}$\n`.repeat(2000)}`)
  for (let n = 0; n < 20; n++) robots.allows(`/${'a'.repeat(2000)}b`)
  parseSitemap('<loc>'.repeat(400_000))
  extractCss(`${'url('.repeat(200_000)}${'@import "'.repeat(100_000)}`, 'http://a.example/')
  const { user } = process.cpuUsage(before)
  assert.ok(user / 1e6 < 4, `${user / 1e6} s`)
})

test('nothing that somebody may write makes the readers throw', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
      await extract(`<p>${text}<a href="${text}"><img srcset="${text}" style="${text}"><base href="${text}">`, 'http://a.example/')
      for (const read of [srcsetUrls, refreshUrl, parseRobots, parseSitemap]) read(text)
      isThere(text, new Set([text]))
    }),
  )
})

test('robots.txt: the longest rule decides, ours before everybody’s, wildcards and ends', () => {
  const said =
    'User-agent: a\nUser-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.pdf$\nCrawl-delay: 3\n\nUser-agent: other\nDisallow: /\nSitemap: https://a.example/s.xml'
  const { allows, sitemaps, delayS } = parseRobots(said)
  assert.deepEqual(['/', '/a', '/a/b/c', '/x.pdf', '/x.pdf?y', '/b'].map(allows), [true, false, true, false, true, true])
  assert.deepEqual([sitemaps, delayS], [['https://a.example/s.xml'], 3])
  assert.equal(parseRobots(`${said}\nUser-agent: ServiceLinks\nDisallow:`).allows('/a'), true)
})
