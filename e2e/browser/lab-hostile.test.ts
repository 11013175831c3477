// Needs a Chromium: apt-get install --no-install-recommends chromium
// Pages that a browser must survive, and from which it must reach nothing but what the guarded client would.
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type LabRun, NoLab, runLab } from '../../server/src/performance/lab-run.ts'
import { createGuardedFetch } from '../../server/src/platform/guarded-fetch.ts'
import { usualMost } from '../../server/src/platform/way-out.ts'
import { aChromium } from '../../server/test/fake-chromium.ts'
import { until } from '../../server/test/until.ts'
import { program } from './browser.ts'
import { ensureLab } from './lab.ts'

const own = '93.184.215.14'
const page = (body: string) => `<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1><p>Words.</p></main>${body}</html>`

describe('a hostile page in a lab run', () => {
  // Others on this machine have browsers as well.
  const folder = mkdtempSync(join(tmpdir(), 'svc-lab-'))
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  const met: string[] = []
  const asked: string[] = []
  const dialled: string[] = []
  const named = new Set<string>()
  let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.end()
  const site = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`)
    response.setHeader('content-type', 'text/html')
    answer(request, response)
  })
  const canary = createTcpServer((socket) => {
    met.push('tcp')
    socket.destroy()
  })
  const udp = createSocket('udp4').on('message', () => met.push('udp'))
  const guarded = createGuardedFetch({
    resolve: async (host) => {
      named.add(host)
      return host === 'inside.example' ? ['10.0.0.1'] : host === 'both.example' ? [own, '127.0.0.1'] : [own]
    },
    dial: (address, port) => {
      dialled.push(`${address}:${port}`)
      const { port: there } = (address === own ? site : canary).address() as AddressInfo
      // As if it were there: the guard looks again once it is connected.
      return Object.defineProperty(connect({ host: '127.0.0.1', port: there }), 'remoteAddress', { value: address })
    },
  })

  before(async () => {
    ensureLab()
    for (const server of [site, canary]) await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    await new Promise<void>((ready) => udp.bind(0, '127.0.0.1', ready))
  })
  after(async () => {
    await guarded.close()
    site.closeAllConnections()
    site.close()
    canary.close()
    udp.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const browser: LabRun['browser'] = { program, sandbox: 'on', timeoutMs: 180_000, mostMemory: 1536 * 1024 * 1024 }
  const run = (more: Partial<LabRun> = {}) => {
    for (const list of [met, asked, dialled]) list.length = 0
    const { signal } = new AbortController()
    return runLab({
      browser,
      url: 'http://a.example/',
      form: 'mobile',
      categories: ['performance'],
      tunnel: guarded.tunnel,
      signal,
      ...more,
    })
  }
  /** Nobody of it is left, and nothing. */
  const left = () => [
    ...readdirSync(folder).filter((name) => name.startsWith('svc-browser-')),
    ...readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOurs(read(`/proc/${pid}/cmdline`), read(`/proc/${pid}/stat`))),
  ]
  const isOurs = (command: string, stat: string) =>
    command.includes(folder) || (command.includes('lab-runner') && stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(process.pid))
  const read = (file: string) => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  }
  const isSaid = (how: RegExp) => (error: unknown) => error instanceof NoLab && how.test(error.message)

  test('whatever it tries, nothing is reached but what everybody may reach', async () => {
    const [tcp, stun] = [(canary.address() as AddressInfo).port, udp.address().port]
    const inside = [
      `http://127.0.0.1:${tcp}/`,
      `http://localhost:${tcp}/`,
      `http://[::1]:${tcp}/`,
      `http://0.0.0.0:${tcp}/`,
      `https://127.0.0.1/`,
    ]
    const elsewhere = [
      'http://169.254.169.254/latest/',
      'http://inside.example/',
      'https://inside.example/',
      'http://both.example/',
      'http://a.example:22/',
    ]
    const giving = new AbortController()
    answer = ({ url }, response) => {
      if (url === '/led') return void response.writeHead(302, { location: `http://127.0.0.1:${tcp}/` }).end()
      if (url === '/file') return void response.writeHead(302, { location: 'file:///etc/passwd' }).end()
      if (url === '/take') return void response.writeHead(200, { 'content-disposition': 'attachment; filename=x.exe' }).end('x')
      if (url === '/tried') giving.abort(new Error('It has tried everything.'))
      response.end(
        page(`<img src="/led"><iframe src="/file"></iframe><iframe src="file:///etc/passwd"></iframe><iframe src="/take"></iframe>
        <link rel="dns-prefetch" href="//inside.example"><link rel="preconnect" href="http://127.0.0.1:${tcp}">
        <script>
          const tries = []
          const ends = (it, ...how) => (tries.push(new Promise((end) => how.forEach((event) => it.addEventListener(event, end)))), it)
          for (const url of ${JSON.stringify([...inside, ...elsewhere])}) {
            tries.push(fetch(url, { mode: 'no-cors' })); navigator.sendBeacon(url, 'x'); ends(new Image(), 'load', 'error').src = url
            try { ends(new WebSocket(url.replace('http', 'ws')), 'close') } catch {}
            open(url); const frame = ends(document.createElement('iframe'), 'load'); frame.src = url; document.body.append(frame)
          }
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun}' }, { urls: 'turn:127.0.0.1:${tcp}?transport=tcp', username: 'a', credential: 'b' }] })
          tries.push(new Promise((end) => { peer.onicecandidate = ({ candidate }) => candidate || end() }))
          peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))
          try { tries.push(new WebTransport('https://127.0.0.1:${stun}/').ready) } catch {}
          tries.push(navigator.serviceWorker?.register('/worker.js'))
          Promise.allSettled(tries).then(() => fetch('/tried'))
          alert('Hello')
        </script>`),
      )
    }
    named.clear()
    // It may well make itself one that cannot be measured: it is left alone once nothing that it began goes on.
    await run({ signal: giving.signal, browser: { ...browser, timeoutMs: 60_000 } }).catch((error: unknown) =>
      assert.ok(error instanceof NoLab || giving.signal.aborted, String(error)),
    )
    assert.deepEqual(met, [])
    assert.deepEqual([...new Set(dialled)], [`${own}:80`])
    assert.deepEqual([...named].sort(), ['a.example', 'both.example', 'inside.example'], 'the browser itself asks for nothing')
    for (const path of ['/led', '/file', '/take']) assert.ok(asked.includes(`a.example${path}`), path)
    await until(() => left().length === 0)
  })

  test('a plain page has its figures', async () => {
    answer = (_, response) => void response.end(page(''))
    const { scores, url, lighthouse, chromium, cls } = await run()
    assert.equal(typeof scores.performance, 'number')
    assert.deepEqual([url, lighthouse, cls], ['http://a.example/', '13.5.0', 0])
    assert.match(chromium, /^\d+\.\d+\.\d+\.\d+$/)
  })

  test('a page that leads to a special address is no page', async () => {
    answer = (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    await assert.rejects(run(), isSaid(/answers with an error|could not be loaded/))
    assert.deepEqual([met, [...new Set(dialled)]], [[], [`${own}:80`]])
  })

  test('a site whose own address is special is told as such', async () => {
    await assert.rejects(run({ url: 'http://inside.example/' }), /may not connect to \(private, local or reserved\)/)
    assert.deepEqual([met, dialled], [[], []])
    await until(() => left().length === 0)
  })

  test('an endless page, and one that asks for ten thousand things, are cut off', async () => {
    answer = ({ url }, response) => {
      if (url !== '/endless') return void response.end(page(`<script>fetch('/endless').then((answer) => answer.arrayBuffer())</script>`))
      const more = () =>
        void (response.destroyed || (response.write(Buffer.alloc(65_536)) ? setImmediate(more) : response.once('drain', more)))
      more()
    }
    await assert.rejects(run({ most: { ...usualMost, bytes: 4_000_000 } }), isSaid(/The page is too large/))
    answer = ({ url }, response) =>
      void response.end(url === '/' ? page(`<script>for (let n = 0; n < 10000; n++) fetch('/' + n)</script>`) : '')
    await assert.rejects(run({ most: { ...usualMost, connections: 40 } }), isSaid(/opens too many connections/))
    assert.ok(asked.length <= 40, `${asked.length}`)
    await until(() => left().length === 0)
  })

  test('an endless script ends with its browser', async () => {
    answer = (_, response) => void response.end(page('<script>for (;;) ;</script>'))
    await assert.rejects(
      run({ browser: { ...browser, timeoutMs: 12_000 } }),
      isSaid(/did not come to rest|hung|showed nothing|kept the browser/),
    )
    await until(() => left().length === 0)
  })

  for (const [does, how, timeoutMs] of [
    ['hangs', /did not come to rest/, 3_000],
    ['fails', /ended by itself/, 180_000],
    ['takes too much memory', /too much memory/, 180_000],
  ] as const)
    test(`a browser that ${does} ends nothing but this run`, async () => {
      const fake = aChromium(does)
      await assert.rejects(run({ browser: { ...browser, program: fake.program, timeoutMs, mostMemory: 30_000_000 } }), isSaid(how))
      fake.stop()
      await until(() => left().length === 0)
    })

  test('a run that is given up ends at once, with its browser', async () => {
    const giving = new AbortController()
    answer = (_, response) => {
      response.write(page(''))
      giving.abort(new Error('Canceled.'))
    }
    await assert.rejects(run({ signal: giving.signal }), /Canceled/)
    await until(() => left().length === 0)
  })
})
