// Looking at a site from outside, as its visitors do.
import { call } from '../connector/call.ts'
import { SiteError } from '../connector/site-error.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { Here, RestoreSite } from './site.ts'

export type Page = 'front' | 'login'
/** HTTP status of each page; 0 when it did not answer. */
export type Look = Record<Page, number>

const pageBytes = 4 * 1024 * 1024
const timeoutMs = 20_000
const BROKEN = /There has been a critical error on this website|Error establishing a database connection|wp-die-message">[^<]*database/i

/** `secret` lets us in while visitors see the notice. */
export async function look({ wire }: Here, { connection: { home, url } }: RestoreSite, secret: string): Promise<Look> {
  const page = async (address: string) => {
    try {
      const target = `${address}?svc-probe=${secret}`
      const { status, body } = await wire.fetch({
        method: 'GET',
        url: target,
        headers: { accept: 'text/html', 'cache-control': 'no-cache' },
        maxBytes: pageBytes,
        timeoutMs,
      })
      return status < 500 && BROKEN.test(body.toString('utf8')) ? 500 : status
    } catch (error) {
      if (error instanceof FetchError) return 0
      throw error
    }
  }
  const trimmed = (address: string) => address.replace(/\/+$/, '')
  return { front: await page(`${trimmed(home)}/`), login: await page(`${trimmed(url)}/wp-login.php`) }
}

const sound = (status: number) => status > 0 && status < 500

export type Expected = { wordpress: string | null; marker: string; before: Look }

/** What is wrong with the site after the swap; null when nothing is. */
export async function whatIsWrong(here: Here, site: RestoreSite, secret: string, expected: Expected): Promise<string | null> {
  const now = await look(here, site, secret)
  for (const [page, name] of [
    ['front', 'The front page'],
    ['login', 'The login page'],
  ] as const) {
    if (!sound(now[page])) return `${name} ${now[page] === 0 ? 'does not answer' : `answers with ${now[page]}`}.`
    if (expected.before[page] < 400 && sound(expected.before[page]) && now[page] >= 400)
      return `${name} answers with ${now[page]}; before it was ${expected.before[page]}.`
  }
  try {
    const { result: hello } = await call(here.wire, site.connection, 'hello', {}, {})
    if (hello.clone) return 'The site takes itself for a copy.'
    if (expected.wordpress !== null && hello.wp_version !== expected.wordpress)
      return `WordPress is ${hello.wp_version}, not ${expected.wordpress}.`
    const { result: status } = await call(here.wire, site.connection, 'restore.status', {}, {})
    if (status.marker !== expected.marker) return 'The restored tables are not in use.'
  } catch (error) {
    if (error instanceof SiteError) return error.message
    throw error
  }
  return null
}
