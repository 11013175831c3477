import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createGuardedFetch } from '../platform/guarded-fetch.ts'
import { follow, visit } from './visit.ts'

let answer: (request: IncomingMessage, response: ServerResponse) => void
const server = createServer((request, response) => answer(request, response))
const { fetch, close } = createGuardedFetch({ allowPrivate: true })
let home = ''
before(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  await close()
  server.close()
})

const redirecting = (to: (path: string) => string) => {
  answer = ({ url = '' }, response) => void response.writeHead(302, { location: to(url) }).end()
}
const followed = (path: string) => follow(`${home}${path}`, (at) => visit(fetch, at, { query: { fresh: String(Math.random()) } }))

test('a stranger has no session, asks past caches, and keeps the query that was there as it was written', async () => {
  let asked: IncomingMessage | undefined
  answer = (request, response) => {
    asked = request
    response.end('hello')
  }
  const { status, text, next, silence } = await visit(fetch, `${home}/?rest_route=/wp/v2#top`, { query: { fresh: 'a b' } })
  assert.deepEqual([status, text, next, silence], [200, 'hello', null, null])
  assert.deepEqual([asked?.method, asked?.url], ['GET', '/?rest_route=/wp/v2&fresh=a+b'])
  assert.deepEqual([asked?.headers['cache-control'], asked?.headers.cookie], ['no-cache', undefined])
})

test('what has a body is a POST', async () => {
  answer = (request, response) => void request.pipe(response.writeHead(403, { 'x-method': request.method }))
  const { status, headers, text } = await visit(fetch, home, { body: 'log=me', headers: { 'content-type': 'text/plain' } })
  assert.deepEqual([status, headers['x-method'], text], [403, 'POST', 'log=me'])
})

test('no answer, a late one and one that is too large are pages of status 0 that tell why', async () => {
  answer = ({ url }, response) => {
    if (url === '/gone') response.destroy()
    if (url === '/large') response.end('x'.repeat(100))
  }
  const reasonOf = async (path: string) => {
    const { status, text, silence } = await visit(fetch, home + path, { maxBytes: 50, timeoutMs: path === '/late' ? 300 : 30_000 })
    assert.deepEqual([status, text], [0, ''])
    return silence?.reason
  }
  assert.deepEqual([await reasonOf('/gone'), await reasonOf('/late'), await reasonOf('/large')], ['connect', 'timeout', 'too_large'])
  const { text } = await visit(fetch, `${home}/large`, { maxBytes: 50, cut: true })
  assert.equal(text.length, 50)
})

test('redirects on the same host are followed, those that leave it are told', async () => {
  answer = ({ url = '' }, response) =>
    url.startsWith('/old') ? void response.writeHead(301, { location: url.replace('/old', '/new') }).end() : void response.end(url)
  const page = await followed('/old?a=1')
  assert.match(page.text, /^\/new\?a=1&fresh=[\d.]+$/, 'the query is asked anew')
  assert.equal(page.circles, false)
  redirecting(() => 'https://elsewhere.example/')
  const left = await followed('/')
  assert.deepEqual([left.status, left.next, left.circles], [302, 'https://elsewhere.example/', false])
})

test('a circle is one although every request differs, and so is a way without end', async () => {
  redirecting((path) => (path.startsWith('/a') ? path.replace('/a', '/b') : path.replace('/b', '/a')))
  assert.equal((await followed('/a')).circles, true)
  let step = 0
  redirecting(() => `/${++step}`)
  assert.deepEqual([(await followed('/0')).circles, step], [true, 6])
})
