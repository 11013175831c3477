// What the web server in front of a site wants to see before it lets anybody through: a user and a password, a header, or both.
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedFetch } from '../platform/guarded-fetch.ts'
import { open, seal } from '../platform/master-key.ts'
import { workspaceKey } from '../workspaces/keys.ts'
import type { Context } from '../world.ts'
import type { Access } from './schema.ts'
import { findAccess, saveAccess } from './store.ts'

type Keeper = Pick<Context, 'db' | 'masterKey' | 'now' | 'workspaceId'>

const context = (siteId: string) => `access to ${siteId}`

/** Both null: nothing is wanted. */
export const accessTo = async (keeper: Keeper, siteId: string): Promise<Access> => opened(keeper, siteId, await findAccess(keeper, siteId))

/** The same of what is stored. */
export async function opened(keeper: Keeper, siteId: string, sealed: string | null): Promise<Access> {
  if (sealed === null) return { basic: null, header: null }
  const key = await workspaceKey(keeper, keeper.workspaceId)
  return JSON.parse(open(key, Buffer.from(sealed, 'base64'), context(siteId)).toString('utf8'))
}

export async function keepAccess(keeper: Keeper, siteId: string, access: Access): Promise<void> {
  const key = await workspaceKey(keeper, keeper.workspaceId)
  const wanted = access.basic !== null || access.header !== null
  await saveAccess(keeper, siteId, wanted ? seal(key, Buffer.from(JSON.stringify(access)), context(siteId)).toString('base64') : null)
}

/** As headers of a request (RFC 7617, in UTF-8). */
export function headersFor({ basic, header }: Access): Record<string, string> {
  return {
    ...(header && { [header.name.toLowerCase()]: header.value }),
    ...(basic && { authorization: `Basic ${Buffer.from(`${basic.user}:${basic.password}`).toString('base64')}` }),
  }
}

/** Requests to the site's own two addresses carry the headers; those to any other, and those without TLS where sites may not be private, do not. */
export function fetchWith(
  fetch: GuardedFetch,
  { url, home }: { url: string; home: string },
  headers: Record<string, string> = {},
): GuardedFetch {
  if (Object.keys(headers).length === 0) return fetch
  const own = new Set([url, home].map((each) => new URL(each).origin))
  return async (request) => {
    const to = URL.parse(request.url)
    if (!to || !own.has(to.origin)) return fetch(request)
    const known = { ...request, headers: { ...headers, ...request.headers } }
    if (!request.plain) return fetch(known)
    // A site that has no TLS is let in as ever where sites may be private, which the client judges before it sends anything.
    if (to.protocol === 'http:')
      try {
        return await fetch({ ...known, plain: false })
      } catch (error) {
        if (!(error instanceof FetchError && error.reason === 'blocked_address')) throw error
      }
    return fetch(request)
  }
}
