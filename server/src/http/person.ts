import type { FastifyRequest } from 'fastify'
import type { Caller } from '../kernel/context.ts'
import { Problem } from '../kernel/problem.ts'
import type { Session } from '../members/session-store.ts'
import { callerOf, openSession, provesPage } from '../members/sessions.ts'
import type { World } from '../world.ts'
import { cookiesOf } from './cookies.ts'
import { mustBeOwnPage } from './own-page.ts'

export interface SignedIn {
  session: Session
  secret: string
}

export const isSecure = ({ config }: Pick<World, 'config'>) => config.baseUrl.startsWith('https:')

/** The session of a request's cookie; undefined where there is none that opens something. */
export async function signedIn(world: World, request: FastifyRequest): Promise<SignedIn | undefined> {
  const { session: secret } = cookiesOf(request, isSecure(world))
  const session = await openSession(world, secret)
  return session && secret !== undefined ? { session, secret } : undefined
}

/** Throws unless a page of ours sent it that knows this session: no other site's page does, however it got the browser to send the cookie. */
export function mustProve(world: Pick<World, 'config'>, request: FastifyRequest, found: SignedIn): void {
  mustBeOwnPage(request, world.config.baseUrl)
  mustKnow(request, found)
}

function mustKnow({ headers }: FastifyRequest, { session, secret }: SignedIn): void {
  if (!provesPage(secret, session.workspace_id, headers['svc-csrf']))
    throw new Problem(
      'insufficient_scope',
      'Nothing was done: this page is older than the sign-in or shows another workspace. Load it again.',
    )
}

/** Who is asking by a cookie. Whatever is no plain read must prove that it comes from a page of ours. */
export function identifyPerson(world: World): (request: FastifyRequest) => Promise<Caller | undefined> {
  return async (request) => {
    if (request.headers.cookie === undefined) return undefined
    const found = await signedIn(world, request)
    if (!found) return undefined
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (!reads) mustProve(world, request, found)
    // So a page that shows one workspace is told nothing of another one, to which the person went in another tab.
    else if (request.headers['svc-csrf'] !== undefined) mustKnow(request, found)
    return callerOf(found.session)
  }
}
