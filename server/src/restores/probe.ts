// Looking at a site from outside, as its visitors do.

import { call } from '../connector/call.ts'
import { SiteError } from '../connector/site-error.ts'
import { plainWord, type Why } from '../kernel/site-said.ts'
import { BROKEN, pagesOf, visit } from '../sites/visit.ts'
import type { Here } from '../world.ts'
import type { RestoreSite } from './site.ts'

export type Page = 'front' | 'login'
/** HTTP status of each page; 0 when it did not answer. */
export type Look = Record<Page, number>

const timeoutMs = 20_000
const NO_DATABASE = /wp-die-message">[^<]*database/i

/** `secret` lets us in while visitors see the notice. */
export async function look({ wire }: Here, { connection }: RestoreSite, secret: string): Promise<Look> {
  const asked = { query: { 'svc-connector-probe': secret }, headers: { accept: 'text/html' }, timeoutMs }
  const statusOf = async (address: string) => {
    const { status, text } = await visit(wire.fetch, address, asked)
    return status < 500 && (BROKEN.test(text) || NO_DATABASE.test(text)) ? 500 : status
  }
  const { front, login } = pagesOf(connection)
  return { front: await statusOf(front), login: await statusOf(login) }
}

const sound = (status: number) => status > 0 && status < 500

export type Expected = { wordpress: string | null; marker: string; before: Look }

/** What is wrong with the site after the swap; null when nothing is. */
export async function whatIsWrong(here: Here, site: RestoreSite, secret: string, expected: Expected): Promise<Why | null> {
  const now = await look(here, site, secret)
  for (const [page, name] of [
    ['front', 'The front page'],
    ['login', 'The login page'],
  ] as const) {
    if (!sound(now[page])) return { message: `${name} ${now[page] === 0 ? 'does not answer' : `answers with ${now[page]}`}.` }
    if (expected.before[page] < 400 && sound(expected.before[page]) && now[page] >= 400)
      return { message: `${name} answers with ${now[page]}; before it was ${expected.before[page]}.` }
  }
  try {
    const { result: hello } = await call(here.wire, site.connection, 'hello', {}, {})
    if (hello.clone) return { message: 'The site takes itself for a copy.' }
    if (expected.wordpress !== null && hello.wp_version !== expected.wordpress)
      return {
        message: `WordPress is ${plainWord(hello.wp_version) ?? 'of another version'}, not ${plainWord(expected.wordpress) ?? 'that of the backup'}.`,
      }
    const { result: status } = await call(here.wire, site.connection, 'restore.status', {}, {})
    if (status.marker !== expected.marker) return { message: 'The restored tables are not in use.' }
  } catch (error) {
    if (error instanceof SiteError) return error
    throw error
  }
  return null
}
