import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FetchError } from '../platform/fetch-error.ts'
import { compared, firstWrong, type Meant, type PageSight, type Reached, remaining, SLOW_IN_TRIAL, sightOf } from './sight.ts'

const text = `<!doctype html><html><title>Garden</title><body>${'Flowers. '.repeat(40)}</body></html>`
const silent = { status: 0, text: '', silence: new FetchError('timeout', 'The site did not answer in time.') }
const seen = (page: Partial<Reached> = {}): PageSight => {
  const at = 'https://garden.example/'
  return sightOf('front', { status: 200, text, silence: null, circles: false, from: at, at, next: null, ...page })
}
const wrong = (now: PageSight, before: PageSight | null, meant?: Meant) =>
  firstWrong(compared([now], before && [before], meant))?.message ?? null

const fine = seen()
const broken = seen({ status: 500, text: 'There has been a critical error on this website.' })
const circling = seen({ status: 302, text: '', circles: true })
const blank = seen({ text: ' \n' })
const half = seen({ text: text.slice(0, 300) })
const another = seen({ text: '<html><title>Index of /</title><body>wp-admin wp-content</body></html>' })
const fatal = seen({ text: `${text}<b>Fatal error</b>:  Uncaught Error in x.php` })
const closed = seen({ status: 503, text: '<html><title>Coming soon</title><body>We are building.</body></html>' })
const blank500 = seen({ status: 500, text: '' })
const noRepair = seen({ text: '<div class="wp-die-message">One or more database tables are unavailable.</div></html>' })

test('what is worse than before is told in one sentence', () => {
  for (const [now, why] of [
    [fine, null],
    [seen(silent), 'does not answer in time'],
    [circling, 'redirects in a circle'],
    [broken, 'answers with 500'],
    [seen({ status: 403 }), 'answers with 403; before it was 200'],
    [fatal, 'shows an error of PHP or WordPress'],
    [noRepair, 'shows an error of PHP or WordPress'],
    [blank, 'is blank'],
    [half, 'ends in the middle'],
    [another, 'is another page than before'],
  ] as const)
    assert.equal(wrong(now, fine), why && `The front page ${why}.`)
})

test('a page whose contents are gone between a long menu and a long footer is broken', () => {
  const framed = (contents: string) => {
    const menu = 'Roses, tulips. '.repeat(100)
    return seen({ text: `<html><title>Garden</title><body><nav>${menu}</nav>${contents}<footer>${menu}</footer></body></html>` })
  }
  for (const [before, after] of [
    [`<main>${'Flowers. '.repeat(40)}</main>`, '<main><p>Flowers</p></main>'],
    [`<div>${'Flowers. '.repeat(40)}</div>`, '<div></div>'],
  ] as const) {
    assert.equal(wrong(framed(after), framed(before)), 'The front page has lost most of its words.')
    assert.equal(wrong(framed(before), framed(before)), null)
  }
})

test('a page that takes several times as long as before is broken, not one that was slow or is a little slower; a trial has no caches', () => {
  const took = (ms: number) => ({ ...fine, ms })
  for (const [now, before, ...slow] of [
    [2_100, 500, 'installed'],
    [2_100, 600],
    [1_900, 100],
    [4_100, 1_000, 'installed'],
    [4_100, 800, 'installed', 'tried'],
    [9_000, 3_000],
  ] as const)
    for (const [where, bar] of [['installed'], ['tried', SLOW_IN_TRIAL]] as const) {
      const [page] = compared([took(now)], [took(before)], 'as before', bar)
      const told = `takes ${(now / 1_000).toFixed(1)} s; before it was ${(before / 1_000).toFixed(1)} s`
      const expected = slow.some((each) => each === where) ? [told, true] : [null, false]
      assert.deepEqual([page?.problem, page?.outage], expected, `${now} after ${before}, ${where}`)
    }
  assert.equal(wrong(took(9_000), fine), null, 'of a page whose time is not known nothing can be told')
})

test('a page that leads to another one of the site is broken, not one that is the same by another address', () => {
  const led = (from: string, to: string, page = 'post') => {
    const [asked, at] = [from, to].map((path) => `https://garden.example${path}`) as [string, string]
    const sight = (end: string) => sightOf(page, { status: 200, text, silence: null, circles: false, from: asked, at: end, next: null })
    return firstWrong(compared([sight(at)], [sight(asked)]))?.message.replace(/^.* (leads .*)\.$/, '$1') ?? null
  }
  for (const [from, to] of [
    ['/hello/', '/'],
    ['/hello/', '/?welcome'],
    ['/hello/', '/shop/'],
    ['/?p=5', '/'],
    ['/?page_id=5&preview=1', '/?preview=1'],
    ['/', '/members/'],
    ['/blog/', '/blog/members/'],
  ] as const)
    assert.equal(
      led(from, to),
      `leads to ${to.startsWith('/?') || to === '/' ? 'the front page' : `“${to}”`}; before it did not`,
      `${from} ${to}`,
    )
  for (const [from, to] of [
    ['/hello', '/hello/'],
    ['/Hello/', '/hello.html'],
    ['/hello/', '/de/hello/'],
    ['/hello/', '/2026/11/hello/'],
    ['/hello/', '/?p=5'],
    ['/?p=5', '/hello/'],
    ['/?p=5', '/?p=5&lang=de'],
    ['/', '/de/'],
    ['/', '/?lang=de'],
    ['/', '/index.php'],
    ['/de-at/', '/'],
  ] as const)
    assert.equal(led(from, to), null, `${from} ${to}`)
  assert.equal(led('/?s=a', '/roses/', 'site search'), null, 'what a search leads to is its own business')
  const moving = (at: string) => seen({ at: `https://garden.example${at}` })
  assert.equal(wrong(moving('/roses/'), moving('/tulips/')), null, 'what led somewhere before may lead elsewhere')
  assert.equal(wrong(moving('/roses/'), fine, 'replaced'), null)
})

test('what was so before may stay so', () => {
  for (const each of [broken, circling, fatal, blank, half, seen(silent), seen({ status: 403 })]) assert.equal(wrong(each, each), null)
  assert.equal(wrong(broken, seen(silent)), null)
  assert.equal(wrong(seen(silent), broken), 'The front page does not answer in time.')
})

test('without a before, what is wrong by itself is told', () => {
  for (const each of [broken, circling, fatal, noRepair, seen(silent)]) assert.notEqual(wrong(each, null), null)
  for (const each of [fine, blank, half, another, seen({ status: 403 })]) assert.equal(wrong(each, null), null)
})

test('a site that replaced another need not look like it, and what nobody could see before may stay so', () => {
  for (const each of [half, another]) assert.equal(wrong(each, fine, 'replaced'), null)
  for (const each of [broken, blank, fatal, circling]) assert.notEqual(wrong(each, fine, 'replaced'), null)
  for (const before of [broken, closed, seen(silent)])
    for (const each of [fine, half, another]) assert.equal(wrong(each, before, 'replaced'), null)
  for (const [now, before] of [
    [closed, closed],
    [broken, broken],
    [closed, broken],
    [fatal, broken],
    [broken, seen(silent)],
    [seen(silent), seen(silent)],
  ] as const) {
    assert.equal(wrong(now, before, 'replaced'), null)
    assert.match(remaining([now], [before]).join(), /^The front page .*, as it was before the restore\.$/)
  }
  for (const each of [broken, fatal, noRepair, blank500, circling, seen(silent)]) assert.notEqual(wrong(each, closed, 'replaced'), null)
  assert.notEqual(wrong(seen(silent), broken, 'replaced'), null)
  for (const now of [fine, half]) assert.deepEqual(remaining([now], [closed]), [])
  assert.deepEqual(remaining([broken], [fine]), [])
  for (const each of [circling, fatal, blank]) assert.equal(wrong(each, each, 'replaced'), null, 'strangers were met so before')
})

test('what a restart looks like may come back by itself', () => {
  for (const each of [
    seen(silent),
    seen({ status: 502 }),
    seen({ status: 500, text: '<h1>Error establishing a database connection</h1>' }),
  ])
    assert.equal(each.outage, true)
  for (const each of [broken, blank, fatal]) assert.equal(each.outage, false)
})
