// Needs a Chromium: apt-get install --no-install-recommends chromium
// Pages as a browser shows them: what hides one, what only moves on it, and what a hostile one does to whoever looks.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { inTurn } from '../../server/src/platform/chromium.ts'
import { FetchError } from '../../server/src/platform/fetch-error.ts'
import { createGuardedFetch } from '../../server/src/platform/guarded-fetch.ts'
import { type Answer, NoPicture } from '../../server/src/platform/page-requests.ts'
import { type Photo, photograph } from '../../server/src/platform/photograph.ts'
import { beforeOf, compare } from '../../server/src/updates/likeness.ts'

const guarded = createGuardedFetch({ allowPrivate: true })
const words = 'Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore. '
const dots = (by: number) =>
  Array.from({ length: 40 }, (_, n) => `<circle cx="${(n * 53 * by) % 360}" cy="${(n * 31 * by) % 220}" r="${8 + (n % 20)}"/>`).join('')
const style = `body{margin:0;font:17px/1.6 sans-serif;color:#333}header{background:#046;color:#fff;padding:24px 40px}
  .cards{display:grid;grid-template-columns:repeat(3,1fr);gap:20px;max-width:1140px;margin:auto}main{max-width:700px;margin:20px auto}`
const shop = (css = '', more = '') => `<!doctype html><html><head><title>Harbour</title><style>${style}</style>
  <link rel="stylesheet" href="/look.css?${encodeURIComponent(css)}"></head><body><header><b>Harbour</b> Home Boats Tides</header>${more}
  <div class="cards">${[1, 2, 3].map((n) => `<div><svg width="360" height="220">${dots(n)}</svg><h2>Boat ${n}</h2><p>${words}</p></div>`).join('')}</div>
  <main>${[4, 5, 6].map((n) => `<h2>Chapter ${n}</h2><p>${words.repeat(4)}</p>`).join('')}</main></body></html>`

let page: (request: IncomingMessage, response: ServerResponse) => void
let asked: string[] = []
const html = (text: string) => (request: IncomingMessage, response: ServerResponse) => {
  const css = /^\/look\.css\?(.*)/.exec(request.url ?? '')?.[1]
  if (css !== undefined) return void response.writeHead(200, { 'content-type': 'text/css' }).end(decodeURIComponent(css))
  response.writeHead(200, { 'content-type': 'text/html' }).end(text)
}
let server: Server
let other: Server
let url: string
let elsewhere: string
const reached: string[] = []
const at = (of: Server) => `http://127.0.0.1:${(of.address() as AddressInfo).port}/`
before(async () => {
  server = createServer((request, response) => page(request, response))
  other = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Elsewhere</h1>')
  })
  for (const each of [server, other]) await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve))
  ;[url, elsewhere] = [at(server), at(other)]
})
after(async () => {
  for (const each of [server, other]) {
    each.closeAllConnections()
    each.close()
  }
  await guarded.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function look(times: number, { timeoutMs = 60_000, fileMs = 20_000 } = {}): Promise<Photo[]> {
  asked = []
  const browser = { program: '/usr/bin/chromium', sandbox: 'on', timeoutMs, mostMemory: 2 ** 31 } as const
  const answer: Answer = async ({ url: wanted, kind, accept, signal }) => {
    asked.push(wanted)
    const request = {
      method: 'GET',
      url: wanted,
      headers: { accept },
      maxBytes: 5_000_000,
      timeoutMs: kind === 'page' ? 20_000 : fileMs,
      signal,
    } as const
    return guarded.fetch(request).catch((error: unknown) => {
      if (error instanceof FetchError || signal.aborted) return undefined
      throw error
    })
  }
  const { signal } = new AbortController()
  return photograph({ browser, url, at: Date.parse('2026-11-23T12:00:00Z'), times, answer, signal })
}
const one = async (): Promise<Photo> => (await look(1))[0] as Photo
/** Of this test alone; others may have browsers at work beside it. */
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-pictures-'))
fs.chmodSync(folder, 0o755)
process.env.TMPDIR = folder

describe('an update seen by a browser', () => {
  let was: ReturnType<typeof beforeOf>
  before(async () => {
    page = html(shop())
    const [first, second] = await look(2)
    assert.ok(first && second)
    assert.ok(first.picture.length <= 100_000)
    assert.equal(asked.filter((each) => each.includes('look.css')).length, 1, 'what the page is made of is asked for once')
    assert.ok(first.drawn.equals(second.drawn), 'twice is alike')
    was = beforeOf(first.drawn, second.drawn)
  })
  const cases: [name: string, css: string, more: string, verdict: string[]][] = [
    ['nothing', '', '', ['alike']],
    ['a notice at the top', '', '<p style="padding:30px;background:gold">Sale today</p>', ['alike']],
    ['dark colours', 'body{background:#111;color:#eee}', '', ['alike']],
    ['another font', 'body{font-family:monospace}', '', ['alike']],
    [
      'a bar about cookies',
      'body::after{content:"Cookies?";position:fixed;bottom:0;left:0;right:0;background:#fff;font-size:50px}',
      '',
      ['alike'],
    ],
    ['a page that fades in', 'body{animation:in 2s 1s both}@keyframes in{from{opacity:0}to{opacity:1}}', '', ['alike']],
    ['no opacity', 'body{opacity:0}', '', ['blank']],
    ['no display', 'body>*{display:none!important}', '', ['blank']],
    ['everything off the screen', 'body>*{position:absolute;left:-9999px}', '', ['blank']],
    ['white on white', '*{color:#fff!important;background:#fff!important;fill:#fff}', '', ['blank']],
    ['a cover over everything', 'body::after{content:"";position:fixed;inset:0;background:#36c;z-index:9}', '', ['blank']],
    [
      'a cover with words',
      'body::after{content:"We are away";position:fixed;inset:0;background:#36c;z-index:9;font-size:90px}',
      '',
      ['unlike', 'blank'],
    ],
  ]
  for (const [name, css, more, verdict] of cases)
    test(`${name}: ${verdict.join(' or ')}`, async () => {
      page = html(shop(css, more))
      const seen = compare(was, (await one()).drawn)
      assert.ok(verdict.includes(seen.verdict), JSON.stringify(seen))
    })

  test('a banner and a clock that are never the same are passed over', async () => {
    let views = 0
    const changing = () => `<svg width="1280" height="250">${dots(7 + 13 * ++views)}</svg><p id="c"></p><script>
    setInterval(() => { c.textContent = new Date().toISOString() + Math.random() }, 50)</script>`
    page = (request, response) => html(shop('', changing()))(request, response)
    const [first, second] = await look(2)
    assert.ok(first && second && !first.drawn.equals(second.drawn))
    const seen = compare(beforeOf(first.drawn, second.drawn), (await one()).drawn)
    assert.ok(seen.verdict === 'alike' && seen.likeness > 0.95, JSON.stringify(seen))
  })
})

describe('a hostile page', () => {
  const refused: [name: string, text: string, why: RegExp, timeoutMs?: number][] = [
    ['that counts for ever', '<h1>x</h1><script>for (;;);</script>', /come to rest|too much memory/, 15_000],
    [
      'that takes all memory',
      '<script>const all = []; for (;;) all.push(new Uint8Array(5e7).fill(1))</script>',
      /come to rest|too much memory|could not show/,
    ],
    ['that asks for a thousand files', `<script>for (let n = 0; n < 1000; n++) fetch('/f' + n)</script>`, /too many files/],
    ['that loads itself again and again', '<script>location.reload()</script>', /too many files|come to rest/],
  ]
  for (const [name, text, why, timeoutMs = 60_000] of refused)
    test(`${name} ends with a reason, and nothing is left of it`, async () => {
      page = html(text)
      await assert.rejects(look(1, { timeoutMs }), (error) => error instanceof NoPicture && why.test(error.message))
      assert.deepEqual(fs.readdirSync(folder), [])
    })

  test('dialogs, new windows, downloads and a beacon: it is photographed all the same', async () => {
    page = html(`${shop()}<script>alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'; open('/w'); print();
    navigator.sendBeacon('/beacon', 'x'); const a = document.createElement('a'); a.href = 'data:text/plain,x'; a.download = 'x'; a.click()</script>`)
    assert.ok((await one()).picture.length > 1_000)
    assert.deepEqual(
      asked.filter((each) => /\/(w|beacon)$/.test(each)),
      [],
    )
  })

  test('files that never come, or one byte at a time, are gone without', async () => {
    page = (request, response) => {
      if (request.url === '/never') return
      if (request.url === '/slow') {
        const timer = setInterval(() => response.write('x'), 300)
        response.on('close', () => clearInterval(timer))
        return
      }
      html(`${shop()}<link rel="stylesheet" href="/slow"><img src="/never"><script src="/never" async></script>`)(request, response)
    }
    const [photo] = await look(1, { fileMs: 2_000 })
    assert.ok(photo && photo.picture.length > 1_000)
  })

  test('it reaches nobody but through us: no frames, posts, sockets or questions to others, and no other host to be led to', async () => {
    const socket = elsewhere.replace('http', 'ws')
    page =
      html(`${shop()}<iframe src="${elsewhere}frame"></iframe><img src="${elsewhere}image"><form id="f" method="post" action="${elsewhere}form"></form>
      <script>new WebSocket('${socket}ws'); fetch('${elsewhere}fetch'); fetch('/post', { method: 'POST' }); new EventSource('${elsewhere}events')
      navigator.sendBeacon('${elsewhere}beacon'); f.submit(); setTimeout(() => { location = '${elsewhere}page' }, 500)
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${new URL(elsewhere).port}' }] })
      peer.createDataChannel('x'); peer.createOffer().then((o) => peer.setLocalDescription(o))</script>`)
    reached.length = 0
    const photo = await one()
    assert.deepEqual(reached, ['GET /image'], 'an image, by the guarded client')
    assert.ok(!asked.some((each) => /post|frame|fetch|events|beacon|page|form/.test(each)), asked.join(' '))
    page = html(shop())
    const [first, second] = await look(2)
    assert.ok(first && second)
    assert.equal(compare(beforeOf(first.drawn, second.drawn), photo.drawn).verdict, 'alike', 'it stayed the page that it was')
  })

  test('private addresses and files of the machine are not shown', async () => {
    page = html(
      '<h1>Hello</h1><iframe src="file:///etc/passwd"></iframe><img src="http://169.254.169.254/latest"><script>location = "file:///etc/passwd"</script>',
    )
    await one()
    assert.deepEqual(
      asked.filter((each) => each !== url),
      ['http://169.254.169.254/latest'],
      'asked of the guarded client, which refuses it',
    )
  })

  test('a page whose whole is elsewhere is none', async () => {
    page = (_, response) => void response.writeHead(302, { location: elsewhere }).end()
    reached.length = 0
    await assert.rejects(look(1), /could not be opened/)
    assert.deepEqual(reached, [])
  })

  test('who is not needed any more ends at once, and the next has its turn', async () => {
    page = html('<script>for (;;);</script>')
    const over = new AbortController()
    const browser = { program: '/usr/bin/chromium', sandbox: 'on', timeoutMs: 60_000, mostMemory: 2 ** 31 } as const
    const answer = async () => {
      setTimeout(() => over.abort(new Error('stopped')), 200)
      return { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<script>for (;;);</script>') }
    }
    const endless = inTurn(1, () => photograph({ browser, url, at: 0, times: 1, answer, signal: over.signal }))
    assert.equal(await inTurn(1, async () => 'mine'), undefined)
    await assert.rejects(endless, /stopped/)
    assert.equal(await inTurn(1, async () => 'mine'), 'mine')
  })
})
