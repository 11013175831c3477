// What a fake site shows beside its pages, and how a version of a plugin spoils it.
import type { FakeDefect, FakePage } from './fake-state.ts'

const html = (title: string, body: string, head = '') =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body>${body}</body></html>`
const dead: FakePage = { status: 500, body: html('Error', 'There has been a critical error on this website.') }
const sentence = 'Roses and tulips are sold here every morning from eight to noon by the old gate. '

/** Undefined where the site shows its usual page. */
export function widePage(name: string, defect: FakeDefect | undefined, method: string, url: string): FakePage | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://site')
  if (query.get('svc-connector-as') === 'cron' && defect === 'cron_500') return dead
  if (method === 'POST') return pathname === '/wp-login.php' && defect === 'sign_in_500' ? dead : undefined
  if (pathname === '/wp-json/wp/v2/types' && defect === 'rest_moved') return { status: 404, body: html('Not found', 'Not found') }
  if (query.has('rest_route') || pathname === '/wp-json/wp/v2/types')
    return { status: 200, body: `${defect === 'rest_broken' ? '<b>Warning</b>: ' : ''}{"post":{}}` }
  if (pathname === '/wp-json/') return { status: 200, body: '{"name":"Garden"}' }
  if (pathname === '/sitemap_index.xml') return { status: 404, body: html('Not found', 'Not found') }
  if (pathname === '/wp-sitemap.xml') return { status: 200, body: '<?xml version="1.0"?><sitemapindex></sitemapindex>' }
  if (pathname === '/hello/' && defect === 'astray') return { status: 302, headers: { location: '/' }, body: '' }
  if (query.has('feed') || query.has('sitemap')) {
    const isBroken = defect === 'feed_broken' && query.has('feed')
    return { status: 200, body: `${isBroken ? '\n' : ''}<?xml version="1.0"?><rss><channel></channel></rss>` }
  }
  if (query.has('s') && defect === 'search_500') return dead
  if (pathname !== '/') return undefined
  if (defect === 'leads_away') return { status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' }
  const text = `<p>${sentence.repeat(3)}</p>`
  const shown = defect === 'wordless' ? `<!-- ${text} -->` : text
  return { status: 200, body: html(name, name + shown, defect === 'hidden' ? '<style>body { display: none }</style>' : '') }
}
