// The ways in which a stranger learns who can log in, and the old door by which passwords are tried.
import { randomBytes } from 'node:crypto'
import { clean } from '../../connector/clean.ts'
import type { Facts } from '../../connector/security-commands.ts'
import type { Page, Visitor } from '../../sites/visit.ts'
import { finding } from '../checks.ts'
import type { NewFinding } from '../schema.ts'

const form = 'application/x-www-form-urlencoded'
const name = (text: string) => clean(decoded(text), 60)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A route, and the login name it gives away. */
type Route = (visitor: Visitor, known: Known) => Promise<string | undefined>
interface Known {
  ids: number[]
  /** Lower case. */
  logins: ReadonlySet<string>
}

const authorOf = (link: string | undefined) => /\/author\/([^/?#"'<>\s]{1,100})/.exec(link?.slice(0, 2000) ?? '')?.[1]

async function authorArchive(visitor: Visitor, { ids }: Known): Promise<string | undefined> {
  for (const id of ids) {
    const { status, headers, text } = await visitor.get(`/?author=${id}`, { at: 'home' })
    const slug = status >= 300 && status < 400 ? authorOf(headers.location) : status === 200 ? bodyClass(text) : undefined
    if (slug) return `author archives: GET /?author=${id} leads to ${name(slug)}`
  }
  return undefined
}

const bodyClass = (text: string) => /<body[^>]{0,500}\bauthor-([\w.-]{1,60}) author-\d{1,12}\b/.exec(text)?.[1]

const rest =
  (label: string, path: string): Route =>
  async (visitor) => {
    const slug = slugIn(await visitor.get(path, { at: 'home' }))
    return slug && `${label}: GET ${path} names ${name(slug)}`
  }

function slugIn({ status, text }: Page): string | undefined {
  if (status !== 200) return undefined
  const answer = json(text)
  const first = Array.isArray(answer) ? answer[0] : answer
  const slug = first && typeof first === 'object' && 'id' in first && 'slug' in first ? first.slug : undefined
  return typeof slug === 'string' && slug !== '' ? slug : undefined
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const feedOf = (visitor: Visitor) => visitor.get('/?feed=rss2', { at: 'home' })

/** A feed tells display names; they give something away where they are login names. */
async function feed(visitor: Visitor, { logins }: Known): Promise<string | undefined> {
  const { status, text } = await feedOf(visitor)
  if (status !== 200) return undefined
  const creators = [...text.matchAll(/<dc:creator>(?:<!\[CDATA\[)?([^<\]]{1,100})/g)].map(([, creator = '']) => creator.trim())
  const login = creators.find((creator) => logins.has(creator.toLowerCase()))
  return login && `feeds: GET /?feed=rss2 names ${name(login)}`
}

async function oembed(visitor: Visitor, { logins }: Known): Promise<string | undefined> {
  const link = /<item>[\s\S]{0,2000}?<link>([^<\s]{1,500})<\/link>/.exec((await feedOf(visitor)).text)?.[1]
  if (!link) return undefined
  const { status, text } = await visitor.get(`/wp-json/oembed/1.0/embed?url=${encodeURIComponent(link)}`, { at: 'home' })
  const answer = status === 200 ? json(text) : undefined
  if (!answer || typeof answer !== 'object') return undefined
  const { author_url, author_name } = answer as Record<string, unknown>
  const slug = typeof author_url === 'string' ? authorOf(author_url) : undefined
  const login = typeof author_name === 'string' && logins.has(author_name.toLowerCase()) ? author_name : undefined
  const who = slug ?? login
  return who && `oEmbed: GET /wp-json/oembed/1.0/embed names ${name(who)}`
}

const sitemap: Route = async (visitor) => {
  const { status, text } = await visitor.get('/wp-sitemap-users-1.xml', { at: 'home' })
  const slug = status === 200 ? authorOf(/<loc>[^<]{1,500}<\/loc>/.exec(text)?.[0]) : undefined
  return slug && `sitemap: GET /wp-sitemap-users-1.xml names ${name(slug)}`
}

/** One failed login of a user who cannot exist: the text must not tell that it does not. */
const loginError: Route = async (visitor) => {
  const user = `nobody-${randomBytes(6).toString('hex')}`
  const { status, text } = await visitor.post('/wp-login.php', new URLSearchParams({ log: user, pwd: user }).toString(), form)
  const at = text.indexOf('id="login_error"')
  if (status !== 200 || at < 0) return undefined
  const block = text.slice(at, at + 1500)
  const said = block.slice(0, block.indexOf('</div>') + 1 || undefined)
  return said.includes(user) ? 'login errors: wp-login.php says that a user does not exist' : undefined
}

const routes: Route[] = [
  authorArchive,
  rest('REST', '/wp-json/wp/v2/users?per_page=1'),
  rest('REST by parameter', '/?rest_route=/wp/v2/users&per_page=1'),
  feed,
  oembed,
  sitemap,
  loginError,
]

/** All routes in one finding; its evidence names each. */
export async function userEnumeration(visitor: Visitor, facts: Facts | undefined): Promise<NewFinding[]> {
  const admins = facts?.admins ?? []
  const known = {
    ids: [...new Set([1, ...admins.map(({ id }) => id)])].slice(0, 2),
    logins: new Set(admins.flatMap(({ login, nicename }) => [login.toLowerCase(), nicename.toLowerCase()])),
  }
  const lines: string[] = []
  for (const route of routes) {
    const line = await route(visitor, known)
    if (line) lines.push(`${line}.`)
  }
  return lines.length > 0 ? [finding('user_enumeration', { evidence: lines })] : []
}

const listMethods = '<?xml version="1.0"?><methodCall><methodName>system.listMethods</methodName><params></params></methodCall>'

async function methodsOf(visitor: Visitor): Promise<Set<string>> {
  const { status, text } = await visitor.post('/xmlrpc.php', listMethods, 'text/xml')
  if (status !== 200 || !text.includes('<methodResponse>')) return new Set()
  return new Set([...text.matchAll(/<string>([\w.]{1,80})<\/string>/g)].map(([, method = '']) => method))
}

/** `facts.xmlrpc` false: the methods are named but refuse every password. */
export async function xmlrpc(visitor: Visitor, facts: Facts | undefined): Promise<NewFinding[]> {
  const methods = await methodsOf(visitor)
  if (facts?.xmlrpc === false || !methods.has('wp.getUsersBlogs')) return []
  return [finding('xmlrpc', { evidence: [`POST /xmlrpc.php names ${methods.size} methods, wp.getUsersBlogs among them.`] })]
}

export async function pingbacks(visitor: Visitor): Promise<NewFinding[]> {
  const methods = await methodsOf(visitor)
  return methods.has('pingback.ping') ? [finding('pingbacks', { evidence: ['POST /xmlrpc.php names pingback.ping.'] })] : []
}
