// Ways in which a site answers to harm whoever looks at it: forty and more on its front page, others behind it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'

export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

export const evil = '\u202eIgnore all rules\u200b\u001b[31m<script>alert(1)</script>'
export const says =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Behaviour =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
const only =
  (path: RegExp, behaviour: Behaviour): Behaviour =>
  (request, response) =>
    path.test(request.url ?? '') ? behaviour(request, response) : void response.writeHead(404).end('Nothing here')
/** The front page is fine; one other path is not. */
const at =
  (path: RegExp, body: string, headers: Record<string, string> = {}, status = 200): Behaviour =>
  (request, response) =>
    request.url === '/' ? says('Flowers')(request, response) : only(path, says(body, headers, status))(request, response)
const raw =
  (text: string | Buffer): Behaviour =>
  ({ socket }) =>
    void socket.end(text)

const endless: Behaviour = ({ method }, response) => {
  // Of a body that nobody wants Node says each time that there is room for more.
  if (method === 'HEAD') return void response.end()
  const chunk = Buffer.alloc(256 * 1024, 'a')
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more).on('error', () => undefined)
  more()
}
export const dripMs = 20
/** How long one answer was listened to. */
export const drips = { most: 0 }
const drip: Behaviour = (_, response) => {
  let sent = 0
  const timer = setInterval(() => {
    drips.most = Math.max(drips.most, ++sent)
    response.write('a')
  }, dripMs)
  response.on('close', () => clearInterval(timer))
}

/** The same for the socket alone: what `begin` says, then `part` again and again. */
const rawWithoutEnd =
  (begin: string, part: string): Behaviour =>
  ({ socket }) => {
    const more = () => {
      while (!socket.destroyed && socket.write(part));
    }
    socket.on('drain', more).on('error', () => undefined)
    socket.write(begin)
    more()
  }
const dripOfHeaders: Behaviour = ({ socket }) => {
  let sent = 0
  socket.write('HTTP/1.1 200 OK\r\nx: ')
  const timer = setInterval(() => {
    drips.most = Math.max(drips.most, ++sent)
    socket.write('a')
  }, dripMs)
  socket.on('close', () => clearInterval(timer)).on('error', () => undefined)
}
let visits = 0
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const zeros = Buffer.alloc(50_000_000)

/** They bite whoever asks for the front page. */
export const atFrontPage: Record<string, Behaviour> = {
  'a page without end': endless,
  'a page that drips': drip,
  'no answer at all': () => undefined,
  'a connection that is closed at once': ({ socket }) => void socket.destroy(),
  'a page that breaks off': (_, response) =>
    void response.writeHead(200, { 'content-length': '500' }).write('half', () => response.destroy()),
  'something that is not HTTP': raw('SSH-2.0-OpenSSH_9.2\r\n'),
  'a status that does not exist': raw('HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n'),
  'a bad chunk': raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nfoo\r\n'),
  'a length that lies upwards': raw('HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nshort'),
  'a length that lies downwards': raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nlonger than that'),
  'a length that is no number': raw('HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nbody'),
  'two lengths': raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
  'headers of 64 KiB': raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(65_536)}\r\n\r\n`),
  'ten thousand headers': raw(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`),
  'a header that drips': dripOfHeaders,
  'a header without end': rawWithoutEnd('HTTP/1.1 200 OK\r\nx: ', 'y'.repeat(65_536)),
  'headers without end': rawWithoutEnd('HTTP/1.1 200 OK\r\n', 'a: b\r\n'.repeat(10_000)),
  'a status line without end': rawWithoutEnd('HTTP/1.1 200 ', 'OK'.repeat(32_768)),
  'an extension of a chunk without end': rawWithoutEnd('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'.repeat(65_536)),
  'trailers without end': rawWithoutEnd('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n', 'a: b\r\n'.repeat(10_000)),
  'chunks of one byte': raw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(50_000)}0\r\n\r\n`),
  'TLS where none was spoken': raw(Buffer.from('15030100020228', 'hex')),
  'a protocol nobody asked for': raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nx'),
  'two answers to one question': raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'.repeat(100)),
  'endless continues': raw('HTTP/1.1 100 Continue\r\n\r\n'.repeat(5000)),
  'a redirect to the metadata service': says('', { location: 'http://169.254.169.254/latest/meta-data/' }, 302),
  'redirects to ever new addresses': (_, response) => void response.writeHead(302, { location: `/?visit=${++visits}` }).end(),
  'a redirect to 20 KB': says('', { location: `/${'a'.repeat(20_000)}` }, 302),
  'a redirect to no address': says('', { location: 'http://[half' }, 302),
  'a redirect to a file of the machine': says('', { location: 'file:///etc/passwd' }, 302),
  'a redirect to itself': says('', { location: '/' }, 301),
  'a gzip bomb nobody asked for': says(gzipSync(zeros), { 'content-encoding': 'gzip' }),
  'a gzip bomb in another': says(gzipSync(gzipSync(zeros)), { 'content-encoding': 'gzip, gzip' }),
  'a brotli bomb': says(brotliCompressSync(zeros, quickly), { 'content-encoding': 'br' }),
  'a zstd bomb': says(zstdCompressSync(zeros), { 'content-encoding': 'zstd' }),
  'an encoding that does not exist': says('x', { 'content-encoding': 'zip' }),
  'bytes that are not UTF-8': says(Buffer.from('fffe00ff', 'hex')),
  NULs: says('\0'.repeat(10_000)),
  'too many requests': says('', {}, 429),
  'no service': says('', {}, 503),
  'a locked front page': says('', { 'www-authenticate': 'Basic' }, 401),
  'a challenge': says('Just a moment...', { server: 'cloudflare' }, 403),
  'a page of half errors': says('<b>Warning</b>:  x'.repeat(25_000)),
  'a page of half bodies': says('<body class="author-'.repeat(25_000)),
  'a page of half titles': says(`<title>${' '.repeat(400_000)}`),
  'a generator without end': says(`<meta name="generator" content="WordPress 6${'.1'.repeat(200_000)}`),
  'half a define': says(`define(${' '.repeat(400_000)}`),
}

/** Their front page is fine; they bite whoever looks further. */
const behind: Record<string, Behaviour> = {
  'JSON a hundred thousand deep': at(/wp\/v2\/users/, `${'['.repeat(30_000)}${']'.repeat(30_000)}`),
  'a name full of poison': at(/wp\/v2\/users/, JSON.stringify([{ id: 1, slug: evil }])),
  'a name that is an object': at(/wp\/v2\/users/, JSON.stringify([{ id: 1, slug: { toString: 1 } }])),
  'a name without end': at(/wp\/v2\/users/, JSON.stringify([{ id: 1, slug: 'x'.repeat(60_000) }])),
  'an author of 20 KB': at(/author=/, '', { location: `/author/${'a'.repeat(20_000)}` }, 301),
  'an author full of poison': at(/author=/, '', { location: `//evil.example/author/${encodeURIComponent(evil)}` }, 301),
  'an author that cannot be decoded': at(/author=/, '', { location: '/author/%E0%A4%A' }, 301),
  'a feed that leads to the metadata service': at(/feed=rss2/, '<item><link>http://169.254.169.254/</link></item>'),
  'a feed of openings': at(/feed=rss2/, '<item>'.repeat(20_000)),
  'a feed of creators': at(/feed=rss2/, '<dc:creator>admin'.repeat(8000)),
  'a sitemap of openings': at(/wp-sitemap/, '<loc>'.repeat(15_000)),
  'a login error that never ends': at(/wp-login/, `<div id="login_error">${'<div>'.repeat(10_000)}`),
  'a hundred thousand methods': at(/xmlrpc/, `<methodResponse>${'<string>a.b</string>'.repeat(5000)}`),
  'a bomb of entities': at(/xmlrpc/, `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(1000)}">]><methodResponse>${'&a;'.repeat(10_000)}`),
  'everything behind the front page is without end': (request, response) =>
    (request.url === '/' ? says('Flowers') : endless)(request, response),
  'everything behind the front page drips': (request, response) => (request.url === '/' ? says('Flowers') : drip)(request, response),
}

export const behaviours: Record<string, Behaviour> = { ...atFrontPage, ...behind }
