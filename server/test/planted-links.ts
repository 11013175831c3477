// A site with links of every kind planted on its pages: which of them lead nowhere is known.
import type { IncomingMessage, ServerResponse } from 'node:http'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, { 'content-type': 'text/html', ...headers }).end(`<p>${code}</p>`)
const html =
  (body: string): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body)
const file =
  (type: string, body = 'x'): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': type }).end(body)
const to = (location: string): Answer => status(302, { location })
/** HEAD is answered badly, GET well. */
const onlyGet =
  (head: Answer): Answer =>
  (request, response) =>
    request.method === 'HEAD' ? head(request, response) : status(200)(request, response)
const closed: Answer = ({ socket }) => void socket.destroy()
const silent: Answer = () => undefined

/** What a scan makes of it: always, or in the first scan and in the next. */
type Outcome = 'ok' | string | [first: string, second: string]
const may = (reason: string): Outcome => [`suspect ${reason}`, `broken ${reason}`]
const gone = 'broken not_found'
const missing = 'broken fragment'

const pages = 70

export interface PlantedSite {
  home: string
  elsewhere: string
  /** How many links it has of which the outcome is known. */
  count: number
  /** What is there again. */
  mended: Set<string>
  /** What leads there was taken from the front page. */
  taken: Set<string>
  /** It does not answer at all. */
  down: boolean
  /** Answers in place of what stands there. */
  instead: Map<string, { status: number; headers?: Record<string, string>; body?: Buffer }>
  robots: string
  /** Paths that were read, in order. */
  read: string[]
  /** Asked for although nobody may. */
  forbidden: string[]
  handle: Answer
  handleElsewhere: Answer
  /** An address without its host, where that is one of the two. */
  named(url: string): string
  /** What of them is told after so many scans. */
  expected(scan: 1 | 2): Record<string, string>
}

export function plantedSite(): PlantedSite {
  const outcomes: Record<string, Outcome> = {}
  const answers: Record<string, Answer> = {}
  const front: string[] = []
  /** A link on the front page; `@` is the other host, `~` this one. */
  const plant = (name: string, outcome: Outcome, answer: Answer | null, markup = (url: string) => `<a href="${url}">x</a>`) => {
    outcomes[name] = outcome
    if (answer) answers[name.split('#')[0] ?? name] ??= answer
    front.push(markup(name))
  }
  const fails: Record<string, [Outcome, Answer]> = {
    '/gone-1': [gone, status(404)],
    '/410': ['broken gone', status(410)],
    '/400': [may('client_error'), status(400)],
    '/500': [may('server_error'), status(500)],
    '/503': [may('server_error'), status(503)],
    '/503-firewall': ['blocked blocked', status(503, { 'cf-ray': '1' })],
    '/401': ['blocked blocked', status(401)],
    '/403': ['blocked blocked', status(403)],
    '/429': ['blocked blocked', status(429)],
    '/999': ['blocked blocked', status(999)],
    '/451': ['blocked blocked', status(451)],
    '/closed': [may('connect'), closed],
    '/silent': [may('timeout'), silent],
    '/loop-a': [may('redirect_loop'), to('/loop-b')],
    '/loop-self': [may('redirect_loop'), to('/loop-self')],
    '/to-what-robots-forbid': ['ok', to('/secret/behind')],
    '/to-what-does-something': ['ok', to('/?add-to-cart=7')],
    '/to-gone': [gone, to('/gone-1x')],
    '@/gone': [gone, status(404)],
    '@/403': ['blocked blocked', status(403)],
    '@/500': [may('server_error'), status(500)],
    '@/page#missing': ['suspect fragment', html('<h2 id="there">x</h2>')],
    'http://127.0.0.1:1/': [may('connect'), status(200)],
    // Nobody speaks TLS there.
    '@tls/': [may('tls'), status(200)],
    'http://nowhere.invalid/': ['broken dns', status(200)],
    'http://later.invalid/': [may('dns'), status(200)],
    'http://169.254.169.254/latest/meta-data/': ['blocked blocked', status(200)],
  }
  for (const [name, [outcome, answer]] of Object.entries(fails)) plant(name, outcome, answer)
  answers['/loop-b'] = to('/loop-a')
  answers['/gone-1x'] = status(404)

  let flaky = 0
  let patience = 0
  const date = 'Thu, 01 Jan 2026 00:00:00 GMT'
  const works: Record<string, Answer> = {
    '/ok': status(200),
    '/head-405': onlyGet(status(405)),
    '/head-404': onlyGet(status(404)),
    '/head-500': onlyGet(status(500)),
    '/head-closed': onlyGet(closed),
    '/to-ok': to('/ok'),
    '/to-elsewhere': to('@/ok'),
    '/chain-1': to('/chain-2'),
    '/file.pdf': file('application/pdf'),
    '@/ok': status(200),
    '@/page#there': html('<h2 id="there">x</h2>'),
    '@/only-get': onlyGet(status(403)),
    // It fails when it is asked for the first time, by HEAD and by GET, and not an hour later.
    '@/flaky': (request, response) => status(flaky++ < 2 ? 404 : 200)(request, response),
    '@/patience': (request, response) => status(flaky++ % 2 === 0 ? 429 : 200, { 'retry-after': '0' })(request, response),
    // It takes the second question by HEAD, and no other.
    '@/patience-until': (request, response) =>
      status(request.method === 'HEAD' && patience++ > 0 ? 200 : 429, { date, 'retry-after': date })(request, response),
  }
  for (const [name, answer] of Object.entries(works)) plant(name, 'ok', answer)
  answers['/chain-2'] = to('/chain-3')
  answers['/chain-3'] = to('/ok')

  // Where a link stands, and how it is written.
  const places: [name: string, markup: (url: string) => string][] = [
    ['/gone-2', (url) => `<A HREF='${url}'>The <b>lost</b>\n page</A>`],
    ['/gone-unquoted', (url) => `<a title=x href=${url}>x</a>`],
    ['/gone-entity?a=1&b=2', (url) => `<a href="${url.replace('&', '&amp;')}">x</a>`],
    ['/gone-broken-line', (url) => `<a href="\n ${url.replace('-line', '-\nline')} ">x</a>`],
    ['/gone-decimal', (url) => `<a href="${url.replace('g', '&#103;')}">x</a>`],
    ['/gone-unclosed', (url) => `<p><a href="${url}"><div>x</p>`],
    ['/gone-area', (url) => `<map name="m"><area href="${url}" alt=""></map>`],
    ['/gone.png', (url) => `<img src="${url}" alt="">`],
    ['/gone-1x.png', (url) => `<img src="/there.png" srcset="${url} 1x, /there.png 2x" alt="">`],
    ['/gone-640.png', (url) => `<img src="/there.png" srcset="/there.png 320w,${url} 640w" sizes="100vw" alt="">`],
    ['/gone,comma.png', (url) => `<img src="/there.png" srcset="/there.png 320w, ${url} 640w" alt="">`],
    ['/gone.webp', (url) => `<picture><source srcset="${url}" type="image/webp"><img src="/there.png" alt=""></picture>`],
    ['/gone.mp4', (url) => `<video src="${url}"></video>`],
    ['/gone-poster.png', (url) => `<video poster="${url}"></video>`],
    ['/gone.mp3', (url) => `<audio src="${url}"></audio>`],
    ['/gone.vtt', (url) => `<video><track src="${url}"></video>`],
    ['/gone-frame', (url) => `<iframe src="${url}"></iframe>`],
    ['/gone.swf', (url) => `<embed src="${url}">`],
    ['/gone-object.pdf', (url) => `<object data="${url}"></object>`],
    ['/gone-button.png', (url) => `<input type="image" src="${url}">`],
    ['/gone.js', (url) => `<script src="${url}"></script>`],
    ['/gone.css', (url) => `<link rel="stylesheet" href="${url}">`],
    ['/gone.ico', (url) => `<link rel="icon" href="${url}">`],
    ['/gone-preload.png', (url) => `<link rel="preload" as="image" imagesrcset="${url} 2x" href="/there.png">`],
    ['/gone-style.png', (url) => `<style>/* url(/in-a-comment.png) */ .a { background: url( "${url}" ) }</style>`],
    ['/gone-attribute.png', (url) => `<div style="background:url('${url}')"></div>`],
    ['/gone-sprite.svg#icon', (url) => `<svg><use href="${url}"></use></svg>`],
    ['/gone-drawing.png', (url) => `<svg><image xlink:href="${url}"/></svg>`],
    ['/gone-noscript.png', (url) => `<noscript><img src="${url}"></noscript>`],
    ['/gone-after-comment', (url) => `<!--> <a href="${url}">x</a>`],
    ['/gone-after-script', (url) => `<script>if (1 < 2) document.write("<a href='/in-a-script'>")</script><a href="${url}">x</a>`],
    ['/gone-scheme', (url) => `<a href="${'~'.replace(/^/, '//')}${url}">x</a>`],
  ]
  for (const [name, markup] of places) plant(name, gone, null, markup)
  for (const hidden of [
    '<!-- <a href="/in-a-comment">x</a> -->',
    '<textarea><a href="/in-a-textarea">x</a></textarea>',
    '<title><a href="/in-a-title">x</a></title>',
    '<a href="mailto:a@b.example">x</a><a href="tel:1">x</a><a href="javascript:void(0)">x</a><a href="JavaScript:1">x</a><img src="data:,x" alt="">',
    '<a name="anchor">x</a><a href="">x</a>',
    '<link rel="preconnect" href="http://nobody.invalid"><link rel="dns-prefetch" href="//nobody.invalid">',
    '<a href="/secret/plan">x</a><a href="/wp-admin/options.php">x</a><a href="/ok?add-to-cart=7">x</a><a href="/?_wpnonce=1&action=delete">x</a>',
  ])
    front.push(hidden)
  plant('http://', 'broken malformed', null)
  plant('https://a:99999/', 'broken malformed', null)
  front.push('<link rel="stylesheet" href="/style.css"><a href="/second/">x</a><a href="/moved/">x</a>')
  outcomes['/gone-in-css.png'] = outcomes['/gone-import.css'] = gone

  // Fragments, on this page and on another one.
  front.push('<h2 id="foo">x</h2><h2 id="über">x</h2><a name="old">x</a><h2 id="a b">x</h2>')
  for (const fine of [
    '#',
    '#top',
    '#TOP',
    '#foo',
    '#%66oo',
    '#old',
    '#%C3%BCber',
    '#über',
    '#a%20b',
    '#/route',
    '#!/route',
    '#:~:text=x',
    '#foo:~:text=x',
    '#%zz',
  ])
    if (fine === '#%zz') plant('/#%zz', missing, null)
    else plant(`/${fine}`, 'ok', null)
  plant('/#Foo', missing, null)
  plant('/#nothing', missing, null, () => '<a href="#nothing">x</a>')
  plant('/second/#here', 'ok', null)
  plant('/second/#nowhere', missing, null)
  plant('/gone-1#anything', gone, null)
  plant('/file.pdf#page=2', 'ok', null)

  for (let n = 1; n <= pages; n++) front.push(`<a href="/crawled/${n}">x</a>`)
  answers['/second/'] =
    html(`<base href="/deeper/still/"><h2 id="here">x</h2><a href="../gone-by-base">x</a><a href="?gone=1">x</a><a href="/gone-2">again</a><a href="/gone-2">and again</a>
    <img src="gone-beside.png" alt=""><meta http-equiv="refresh" content="5; URL='gone-refresh'">`)
  outcomes['/deeper/gone-by-base'] = outcomes['/deeper/still/?gone=1'] = outcomes['/deeper/still/gone-beside.png'] = gone
  outcomes['/deeper/still/gone-refresh'] = gone
  answers['/moved/'] = to('/moved-to/')
  answers['/moved-to/'] = html('<a href="gone-where-it-moved">x</a>')
  outcomes['/moved-to/gone-where-it-moved'] = gone
  answers['/only-in-sitemap/'] = html('<a href="/gone-from-sitemap">x</a>')
  outcomes['/gone-from-sitemap'] = outcomes['/gone-in-sitemap/'] = gone
  answers['/style.css'] = file(
    'text/css',
    '@import "gone-import.css"; b { background: url(gone-in-css.png) } /* url(in-a-comment.png) */ i { src: url(data:,x) }',
  )
  answers['/there.png'] = file('image/png')
  answers['/robots.txt'] = (request, response) => file('text/plain', site.robots)(request, response)

  const site: PlantedSite = {
    ...{
      home: '',
      elsewhere: '',
      count: Object.keys(outcomes).length,
      mended: new Set(),
      taken: new Set(),
      down: false,
      read: [],
      forbidden: [],
    },
    ...{ instead: new Map(), robots: 'User-agent: *\nDisallow: /secret/\nAllow: /secret/open\n' },
    handle(request, response) {
      const path = request.url ?? ''
      if (site.down) return closed(request, response)
      if (request.method === 'GET') site.read.push(path)
      if (/secret|wp-admin|add-to-cart|_wpnonce|in-a-|nobody/.test(path)) site.forbidden.push(path)
      const other = site.instead.get(path)
      if (other?.body) return void response.writeHead(other.status, other.headers).end(other.body)
      if (other) return status(other.status, other.headers)(request, moved(response))
      if (path === '/') return html(written(front.filter(stands).join('\n')))(request, response)
      if (path === '/wp-sitemap.xml') return file('application/xml', sitemapIndex(site.home))(request, response)
      if (path === '/posts.xml') return file('application/xml', sitemap(site.home))(request, response)
      if (path.startsWith('/crawled/')) return html(`<a href="/">home</a><p>${path}</p>`)(request, response)
      const answer = site.mended.has(path) ? status(200) : (answers[path] ?? status(404))
      answer(request, moved(response))
    },
    handleElsewhere: (request, response) => (answers[`@${request.url}`] ?? status(404))(request, response),
    named: (url) => (url.startsWith(site.home) ? url.slice(site.home.length) : url.replace(site.elsewhere, '@').replace(tls(), '@tls')),
    expected: (scan) =>
      Object.fromEntries(
        Object.entries(outcomes).flatMap(([name, outcome]) => {
          const told = typeof outcome === 'string' ? outcome : (outcome[scan - 1] ?? '')
          if (told === 'ok' || site.mended.has(name)) return []
          // The page is there again, and what the fragment names is not on it.
          return [[asAddress(name), site.mended.has(name.split('#')[0] ?? '') ? missing : told]]
        }),
      ),
  }
  const stands = (line: string) => ![...site.taken].some((path) => line.includes(path))
  const tls = () => site.elsewhere.replace('http:', 'https:')
  const written = (text: string) =>
    text
      .replaceAll('"@/', `"${site.elsewhere}/`)
      .replaceAll('"@tls/', `"${tls()}/`)
      .replaceAll('//~/', `//${new URL(site.home).host}/`)
  /** As an URL has it. */
  const asAddress = (name: string) => (/^[@]|^https?:/.test(name) ? name : new URL(name, 'http://x').href.slice('http://x'.length))
  const moved = (response: ServerResponse) => {
    const { writeHead } = response
    response.writeHead = ((code: number, headers: Record<string, string>) =>
      writeHead.call(response, code, {
        ...headers,
        ...(headers?.location && { location: headers.location.replace(/^@/, site.elsewhere) }),
      })) as typeof writeHead
    return response
  }
  return site
}

const sitemapIndex = (home: string) => `<?xml version="1.0"?><sitemapindex><sitemap><loc>${home}/posts.xml</loc></sitemap></sitemapindex>`
const sitemap = (home: string) =>
  `<?xml version="1.0"?><urlset><url><loc>${home}/only-in-sitemap/</loc></url><url><loc><![CDATA[${home}/gone-in-sitemap/]]></loc></url><url><loc>http://other.example/</loc></url></urlset>`
