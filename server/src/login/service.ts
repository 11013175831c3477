import { hash, randomBytes } from 'node:crypto'
import { logEvent } from '../activity/service.ts'
import { call } from '../connector/call.ts'
import { SiteError } from '../connector/site-error.ts'
import { asker } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { plainWord } from '../kernel/site-said.ts'
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
  // By our clock and from before the call, so that the site's own clock cannot make it look longer.
  const expires_at = new Date(context.now().getTime() + lifeSeconds * 1000).toISOString()
  const { result, origins } = await talk(context, site, async (deps, connection, options) => {
    const answer = await call(deps, connection, { verb: 'login.issue', params }, options)
    return { ...answer, origins: [connection.url, connection.home].map((url) => new URL(url).origin) }
  }).catch((error: unknown) => {
    throw error instanceof Problem && error.cause instanceof SiteError && error.code === 'not_found'
      ? noSuchAdministrator(user, error)
      : error
  })
  const address = loginAddress(result.login_url, origins)
  await logEvent(context, {
    siteId: site.id,
    category: 'other',
    summary: `Login link for ${plainWord(result.user_login) ?? 'an administrator'} issued`,
    by: asker(context),
    internal: true,
  })
  return {
    url: address + ticket,
    expires_at,
    single_use: true as const,
    user_login: result.user_login,
  }
}

function noSuchAdministrator(user: string | undefined, cause: Problem): Problem {
  const message =
    user === undefined
      ? 'The administrator who paired this site is not one any more. Name another.'
      : 'No administrator of this site has that login or e-mail address, and nobody else is let in. Leave it out for the one who paired the site.'
  return new Problem('invalid_payload', 'Some fields are not valid.', { errors: [{ path: 'user', message }], cause })
}

/** A hacked site must not send its administrator, with a ticket in hand, to somebody else's page. */
function loginAddress(given: string, origins: readonly string[]): string {
  const address = URL.canParse(given) ? new URL(given) : undefined
  const own = address && origins.includes(address.origin) && address.username === '' && address.password === ''
  if (own && address.search === '?svc-connector-login=' && address.hash === '') return address.href
  throw new Problem('site_failed', 'The site answered with a login address that is not its own. Somebody may have changed its connector.', {
    retryable: false,
  })
}
