// Whether a site is well: the front page and the login page, as visitors get them, and a signed answer.
import { call } from '../connector/call.ts'
import { SiteError } from '../connector/site-error.ts'
import type { Why } from '../kernel/site-said.ts'
import { BROKEN, pagesOf } from '../sites/visit.ts'
import type { TweakSite } from './site.ts'
import type { Visitor } from './visit.ts'

const tries = 3

export interface Health {
  front: number
  login: number
}

export async function healthOf({ get, ...place }: Visitor): Promise<Health> {
  const page = async (address: string) => {
    const { status, text } = await get(address)
    return status < 500 && (BROKEN.test(text) || (status === 200 && text.trim() === '')) ? 500 : status
  }
  const addresses = pagesOf(place)
  const [front, login] = await Promise.all([page(addresses.front), page(addresses.login)])
  return { front, login }
}

/** What got worse; null when nothing did. A page that was broken before may stay so. */
export async function whatGotWorse(site: TweakSite, visitor: Visitor, before: Health): Promise<Why | null> {
  let worse: Why | null = null
  for (let attempt = 0; attempt < tries; attempt++) {
    worse = (await pages(visitor, before)) ?? (await connector(site))
    if (worse === null) return null
  }
  return worse
}

async function pages(visitor: Visitor, before: Health): Promise<Why | null> {
  const after = await healthOf(visitor)
  for (const [page, name] of [
    ['front', 'The front page'],
    ['login', 'The login page'],
  ] as const) {
    const [was, is] = [before[page], after[page]]
    if (was > 0 && was < 400 && (is === 0 || is >= 400))
      return { message: `${name} ${is === 0 ? 'no longer answers' : `answers with ${is}`}.` }
    if (was < 500 && was > 0 && is >= 500) return { message: `${name} answers with ${is}.` }
  }
  return null
}

async function connector({ here, connection }: TweakSite): Promise<Why | null> {
  try {
    const { result } = await call(here.wire, connection, 'ping', {}, {})
    return result.clone ? { message: 'The site takes itself for a copy.' } : null
  } catch (error) {
    if (error instanceof SiteError) return error
    throw error
  }
}
