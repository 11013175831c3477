// What visitors of a fake site see: a hardened WordPress, or one with everything open, or anything between.
import type { FakePage, FakeState } from './fake-state.ts'

export type Pages = Record<string, FakePage | undefined>

const SAFE = { 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN', 'referrer-policy': 'strict-origin' }
const html = (body: string) => `<!doctype html><html><head><title>Garden</title></head><body>${body}</body></html>`
const front: FakePage = { status: 200, headers: SAFE, body: html('Flowers') }

/** A site that gives nothing away, and `open` over it. Paths are without the query unless a page is named with it; POST has its own. */
export function showPages(state: FakeState, open: Pages = {}): void {
  state.page = (method, path) => {
    const [plain = ''] = path.split('?')
    const key = method === 'GET' ? '' : `${method} `
    const named = open[key + path] ?? open[key + plain]
    if (named) return named
    if (/svc-connector-login|svc-connector-probe=/.test(path)) return undefined
    return path === '/' ? front : { status: 404, body: html('Nothing here') }
  }
}

const text = (body: string, status = 200): FakePage => ({ status, headers: { 'content-type': 'text/plain' }, body })
const json = (value: unknown): FakePage => ({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })
const methods = (names: string[]) =>
  text(
    `<?xml version="1.0"?><methodResponse><params>${names.map((name) => `<value><string>${name}</string></value>`).join('')}</params></methodResponse>`,
  )
const listing = (path: string) => text(`<html><head><title>Index of ${path}</title></head><body></body></html>`)
const feed = (creator: string, link: string) =>
  text(
    `<rss><channel><generator>https://wordpress.org/?v=6.8.1</generator><item><title>T</title><link>${link}</link><dc:creator><![CDATA[${creator}]]></dc:creator></item></channel></rss>`,
  )

/** What each check of the look from outside finds when exactly this is shown. */
export const LURES: Record<string, Pages> = {
  readme_exposed: { '/readme.html': text('<title>WordPress &rsaquo; ReadMe</title><p>Semantic Personal Publishing Platform') },
  config_exposed: { '/wp-config.php.bak': text("<?php\ndefine( 'DB_NAME', 'shop' );\ndefine( 'DB_PASSWORD', 'sesame-canary' );") },
  vcs_exposed: { '/.git/HEAD': text('ref: refs/heads/main\n') },
  env_exposed: { '/.env': text('APP_KEY=env-canary\nDB_PASSWORD=sesame\n') },
  backup_exposed: { '/backup.zip': { status: 200, body: Buffer.from('PK\x03\x04rest') } },
  debug_log_exposed: {
    '/wp-content/debug.log': text('[20-Nov-2026 08:00:00 UTC] PHP Warning:  Undefined variable in /srv/x.php on line 3\n'),
  },
  phpinfo_exposed: { '/info.php': text('<html><head><title>PHP 8.2.20 - phpinfo()</title>') },
  directory_listing: { '/wp-content/uploads/': listing('/wp-content/uploads/') },
  xmlrpc: { 'POST /xmlrpc.php': methods(['system.listMethods', 'wp.getUsersBlogs']) },
  pingbacks: { 'POST /xmlrpc.php': methods(['system.listMethods', 'pingback.ping']) },
  security_headers: { '/': { status: 200, body: html('Flowers') } },
  version_disclosed: { '/': { status: 200, headers: SAFE, body: '<meta name="generator" content="WordPress 6.8.1" />' } },
  errors_shown: {
    '/': {
      status: 200,
      headers: SAFE,
      body: '<br />\n<b>Warning</b>:  Undefined variable $x in <b>/srv/www/x.php</b> on line <b>3</b><br />',
    },
  },
}

/** Each route by which a login name leaks, and the words of the evidence. */
export const ROUTES: Record<string, [words: RegExp, pages: Pages]> = {
  redirect: [/^author archives: .* gardener/, { '/?author=1': { status: 301, headers: { location: '/author/gardener/' } } }],
  archive: [/^author archives: .* gardener/, { '/?author=7': text('<body class="archive author author-gardener author-7">') }],
  rest: [/^REST: .* gardener/, { '/wp-json/wp/v2/users': json([{ id: 7, slug: 'gardener' }]) }],
  rest_route: [/^REST by parameter: .* gardener/, { '/?rest_route=/wp/v2/users&per_page=1': json([{ id: 7, slug: 'gardener' }]) }],
  feed: [/^feeds: .* Gardener/, { '/?feed=rss2': feed('Gardener', '') }],
  oembed: [
    /^oEmbed: .* gardener/,
    {
      '/?feed=rss2': feed('The Editors', 'http://garden.example/roses/'),
      '/wp-json/oembed/1.0/embed': json({ author_name: 'The Editors', author_url: 'http://garden.example/author/gardener/' }),
    },
  ],
  sitemap: [
    /^sitemap: .* gardener/,
    { '/wp-sitemap-users-1.xml': text('<urlset><url><loc>http://garden.example/author/gardener/</loc></url></urlset>') },
  ],
}
