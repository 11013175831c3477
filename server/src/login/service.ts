import { hash, randomBytes } from 'node:crypto'
import { logEvent } from '../activity/service.ts'
import { call } from '../connector/call.ts'
import type { Site } from '../sites/schema.ts'
import { talk } from '../sites/talk.ts'
import type { Context } from '../world.ts'

const lifeSeconds = 60

/** A ticket that only its SHA-256 leaves the service for: the site can check it and cannot make one. */
export async function issueLogin(context: Context, site: Site, user: string | undefined) {
  const ticket = randomBytes(32).toString('base64url')
  const params = {
    ticket_sha256: hash('sha256', ticket, 'hex'),
    requester: context.caller.name,
    ttl: lifeSeconds,
    ...(user !== undefined && { user }),
  }
  const { result } = await talk(context, site, (deps, connection, options) => call(deps, connection, 'login.issue', params, options))
  const { type, id, name } = context.caller
  await logEvent(context, {
    siteId: site.id,
    category: 'other',
    summary: `Login link for ${result.user_login} issued`,
    by: { type, id, name },
    internal: true,
  })
  return {
    url: result.login_url + ticket,
    expires_at: new Date(result.expires_at * 1000).toISOString(),
    single_use: true as const,
    user_login: result.user_login,
  }
}
