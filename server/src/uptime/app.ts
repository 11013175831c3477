// Whether WordPress itself answers, and not only what stands in front of it.
import { randomBytes } from 'node:crypto'
import { SiteError } from '../connector/site-error.ts'
import { Problem } from '../kernel/problem.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedFetch } from '../platform/guarded-fetch.ts'
import { SiteClient } from '../sites/client.ts'
import type { SiteSecrets } from '../sites/schema.ts'
import { connectionWith } from '../sites/talk.ts'
import type { Here } from '../world.ts'
import { ask, isFromCache } from './probe.ts'
import type { Due } from './sweep-store.ts'

/** `appUp` null: that could not be told. `connector` null: it was not asked. */
export interface AppLook {
  appUp: boolean | null
  connector: boolean | null
}

/** A site, with what it takes to ask it. */
type Asked = Pick<Due, 'site_id' | 'url'> & { secrets: SiteSecrets }

const paths = ['/wp-json/', '/?rest_route=/'] as const

/** A signed answer is WordPress's own and of now; without one its REST API is asked past every cache. */
export async function lookAtApp(here: Here, site: Asked, fetch: GuardedFetch, signal: AbortSignal): Promise<AppLook> {
  const connector = await askConnector(here, site, signal)
  return connector === true ? { appUp: true, connector } : { appUp: await askRest(fetch, site.url, signal), connector }
}

/** Null where nothing may be asked of it, or what is wrong is not its silence. */
async function askConnector(here: Here, { site_id, secrets }: Asked, signal: AbortSignal): Promise<boolean | null> {
  try {
    const client = new SiteClient(here.wire, await connectionWith(here, { id: site_id }, secrets), signal)
    await client.once('ping', {}).catch((error: unknown) => {
      // A server may end a connection after an answer without saying so.
      if (error instanceof SiteError && error.reason === 'connect') return client.once('ping', {})
      throw error
    })
    return true
  } catch (error) {
    if (error instanceof SiteError) return error.reason.startsWith('error:') || error.reason === 'clock' ? null : false
    if (error instanceof Problem) return null
    throw error
  }
}

async function askRest(fetch: GuardedFetch, base: string, signal: AbortSignal): Promise<boolean | null> {
  for (const path of paths) {
    const url = `${base.replace(/\/+$/, '')}${path}${path.includes('?') ? '&' : '?'}svc-connector-look=${randomBytes(6).toString('hex')}`
    try {
      const { status, headers, body } = await ask(fetch, url, signal)
      const verdict = toldByRest(status, headers, body.toString('utf8'))
      if (verdict !== null) return verdict
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
    }
  }
  return null
}

/** Null for what is not WordPress's, or may be of another time: a page of a firewall, an answer of a cache. */
function toldByRest(status: number, headers: Record<string, string>, text: string): boolean | null {
  if (isFromCache(headers)) return null
  const isJson = /json/i.test(headers['content-type'] ?? '') && text.trimStart().startsWith('{')
  if (isJson && status < 500 && (text.includes('"namespaces":') || /"code":\s*"rest_/.test(text))) return true
  return status >= 500 && status !== 503 ? false : null
}
