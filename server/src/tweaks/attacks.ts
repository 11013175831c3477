// The attacks themselves, one for each tweak whose effect a visitor can see. All are harmless: nobody's password is guessed, nothing is written.
import { randomBytes } from 'node:crypto'
import { plainWord } from '../kernel/site-said.ts'
import type { Page, Visitor } from '../sites/visit.ts'
import type { TweakId } from './schema.ts'

/** Whether the attack works; null: it cannot be told, because the site did not answer as it must. */
export interface AttackResult {
  works: boolean | null
  evidence: string[]
}

/** A stranger who knows where the site's pages are; addresses end without a slash. */
export interface Attacker extends Visitor {
  home: string
  url: string
  /** Path of the folder of uploads, with slashes around. */
  uploads: string
  version: string | null
}

type Try = (attacker: Attacker) => Promise<AttackResult>

const xml = 'text/xml; charset=utf-8'
const methodCall = (name: string, ...texts: string[]) =>
  `<?xml version="1.0"?><methodCall><methodName>${name}</methodName><params>${texts.map((text) => `<param><value><string>${text}</string></value></param>`).join('')}</params></methodCall>`

const result = (works: boolean | null, ...evidence: string[]): AttackResult => ({ works, evidence })
const answered = (what: string, { status }: Page) => `${what} answered ${status === 0 ? 'nothing' : status}.`
/** Of several tries: one that works decides; then one that could not be told. */
const any = (attacks: AttackResult[]): AttackResult => ({
  works: attacks.some(({ works }) => works) ? true : attacks.some(({ works }) => works === null) ? null : false,
  evidence: attacks.flatMap(({ evidence }) => evidence),
})

const ownWords = { 'readme.html': /<title>[^<]*WordPress[^<]*<\/title>/i, 'license.txt': /WordPress - Web publishing software/ }

/** Attack of each tweak that is proven from outside. */
export const attacks: Partial<Record<TweakId, Try>> = {
  async xmlrpc_off({ post }) {
    const seen = await post('/xmlrpc.php', methodCall('system.listMethods'), xml)
    const works = seen.status === 0 ? null : seen.text.includes('<methodResponse>') && seen.text.includes('system.multicall')
    return result(works, `${answered('POST /xmlrpc.php system.listMethods', seen)}${works ? ' It offers system.multicall.' : ''}`)
  },

  // A target elsewhere is refused before anything is fetched.
  async pingbacks_off({ post }) {
    const elsewhere = 'http://pingback.invalid/'
    const seen = await post('/xmlrpc.php', methodCall('pingback.ping', elsewhere, elsewhere), xml)
    const works = seen.status === 0 ? null : seen.text.includes('<methodResponse>') && !seen.text.includes('-32601')
    return result(works, `${answered('POST /xmlrpc.php pingback.ping', seen)}${works ? ' The method exists.' : ''}`)
  },

  async user_enumeration_off(attacker) {
    return any(await Promise.all([author, restUsers, usersSitemap, oembed].map((route) => route(attacker))))
  },

  async directory_listing_off({ url, home, uploads, fetch }) {
    const folders = [`${url}/wp-includes/`, `${new URL(home).origin}${uploads}`]
    return any(
      await Promise.all(
        folders.map(async (folder) => {
          const seen = await fetch(folder)
          const works = seen.status === 0 ? null : isListing(seen)
          return result(works, `${answered(`GET ${new URL(folder).pathname}`, seen)}${works ? ' It lists its files.' : ''}`)
        }),
      ),
    )
  },

  // Without a file to run: a server that forbids such names, forbids those that do not exist.
  async uploads_php_off({ home, uploads, fetch }) {
    const name = `${new URL(home).origin}${uploads}${randomBytes(8).toString('hex')}`
    const [php, plain] = await Promise.all([fetch(`${name}.php`), fetch(`${name}.txt`)])
    if (php.status === 0 || refused(plain)) return result(null, answered(`GET ${uploads}….txt`, plain))
    return result(!refused(php), answered(`GET ${uploads}….php, which does not exist,`, php))
  },

  async version_hidden({ home, url, version, fetch }) {
    const pages = { 'the front page': `${home}/`, 'the feed': `${home}/?feed=rss2`, 'the login page': `${url}/wp-login.php` }
    return any(
      await Promise.all(
        Object.entries(pages).map(async ([name, address]) => {
          const seen = await fetch(address)
          const found = versionIn(seen.text, version)
          return result(seen.status === 0 ? null : found !== undefined, found ? `In ${name}: ${found}` : answered(name, seen))
        }),
      ),
    )
  },

  async readme_blocked({ get }) {
    return any(
      await Promise.all(
        Object.entries(ownWords).map(async ([name, words]) => {
          const seen = await get(`/${name}`)
          return result(seen.status === 0 ? null : seen.status === 200 && words.test(seen.text), answered(`GET /${name}`, seen))
        }),
      ),
    )
  },

  async application_passwords_off({ get }) {
    for (const path of ['/wp-json/', '/?rest_route=/']) {
      const offered = (await index(get, path))?.authentication
      if (offered === undefined) continue
      const works = typeof offered === 'object' && offered !== null && 'application-passwords' in offered
      return result(works, `The REST API ${works ? 'offers' : 'does not offer'} application passwords.`)
    }
    return result(null, 'The REST API does not answer strangers.')
  },

  async security_headers({ home, get }) {
    const seen = await get('/', { at: 'home' })
    if (seen.status === 0) return result(null, answered('The front page', seen))
    const wanted = ['x-content-type-options', 'x-frame-options', 'referrer-policy', 'permissions-policy']
    if (home.startsWith('https:')) wanted.push('strict-transport-security')
    const framed = /frame-ancestors/.test(seen.headers['content-security-policy'] ?? '')
    const missing = wanted.filter((name) => !seen.headers[name] && !(name === 'x-frame-options' && framed))
    return result(missing.length > 0, missing.length > 0 ? `The front page lacks ${missing.join(', ')}.` : 'The front page has them all.')
  },

  async ssl_admin_forced({ url, fetch }) {
    const seen = await fetch(`${url.replace(/^https:/, 'http:')}/wp-login.php`)
    const works = seen.status === 200 && /name="pwd"/.test(seen.text)
    return result(works, answered('GET http://…/wp-login.php', seen))
  },
}

async function author({ get }: Visitor): Promise<AttackResult> {
  const seen = await get('/?author=1', { at: 'home' })
  const place = seen.headers.location ?? ''
  const archive = seen.status === 200 && /<body[^>]*class="[^"]*\bauthor\b/.test(seen.text)
  const works = seen.status === 0 ? null : archive || (seen.status < 400 && /\/author\/|author_name=/.test(place))
  return result(works, `${answered('GET /?author=1', seen)}${works ? ' It leads to the archive of an author.' : ''}`)
}

async function restUsers({ get }: Visitor): Promise<AttackResult> {
  const ways = ['/wp-json/wp/v2/users?per_page=1', '/?rest_route=/wp/v2/users']
  return any(
    await Promise.all(
      ways.map(async (way) => {
        const seen = await get(way, { at: 'home' })
        const works = seen.status === 0 ? null : seen.status === 200 && /"slug":/.test(seen.text)
        return result(works, `${answered(`GET ${way}`, seen)}${works ? ' It lists users.' : ''}`)
      }),
    ),
  )
}

async function usersSitemap({ get }: Visitor): Promise<AttackResult> {
  const seen = await get('/wp-sitemap-users-1.xml', { at: 'home' })
  return result(seen.status === 0 ? null : seen.status === 200 && /<urlset/.test(seen.text), answered('GET /wp-sitemap-users-1.xml', seen))
}

async function oembed({ get }: Visitor): Promise<AttackResult> {
  const posts = await get('/?rest_route=/wp/v2/posts&per_page=1&_fields=link', { at: 'home' })
  const [, link] = /"link":"([^"]+)"/.exec(posts.text) ?? []
  if (link === undefined) return result(false, 'There is no post to embed.')
  const seen = await get(`/?rest_route=/oembed/1.0/embed&url=${encodeURIComponent(link.replaceAll('\\/', '/'))}`, { at: 'home' })
  const works = seen.status === 200 && /"author_url":/.test(seen.text)
  return result(works, `${answered('oEmbed of a post', seen)}${works ? ' It names the author.' : ''}`)
}

export const isListing = ({ status, text }: Page) => status === 200 && /<title>\s*Index of|Directory listing for/i.test(text)
const refused = ({ status }: Page) => status === 401 || status === 403 || status === 0

function versionIn(text: string, version: string | null): string | undefined {
  const generator = /<meta name="generator" content="WordPress [\d.]+|<generator>https?:\/\/wordpress\.org\/\?v=[\d.]+/i.exec(text)
  if (generator) return generator[0]
  const plain = plainWord(version ?? '')
  if (plain === undefined) return undefined
  const at = new RegExp(`[?&;]ver(?:sion)?=${plain.replace(/[.+]/g, '\\$&')}(?=["'&#])`).exec(text)
  return at?.[0]
}

async function index(get: Visitor['get'], path: string): Promise<{ authentication?: unknown } | undefined> {
  const { status, text } = await get(path, { at: 'home' })
  if (status !== 200) return undefined
  try {
    return JSON.parse(text) as { authentication?: unknown }
  } catch {
    return undefined
  }
}
