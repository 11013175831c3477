// People of a WordPress site at its forms, with the nonces WordPress would give them anywhere.
import type { NativeSite } from './fleet.ts'

export interface Person {
  session: string
  /** Posts a form of the connector's settings page to admin-post.php; with a nonce of this person unless another one is given. */
  post(action: 'connect' | 'disconnect', fields?: Record<string, string>, nonce?: string): Promise<{ status: number; text: string }>
}

/** A session, and the forms sent with it. `below` is the site of a network, for example `/sub`. */
export function person(native: NativeSite, login: string, session: string, below = ''): Person {
  const url = `${native.url}${below}`
  return {
    session,
    async post(action, fields = {}, nonce) {
      const body = new URLSearchParams({
        ...{ action: `svc_connector_${action}`, _wpnonce: nonce ?? (await nonceOf(native, { login, session, url }, action)) },
        ...fields,
      })
      const headers = { cookie: session }
      const answer = await fetch(`${url}/wp-admin/admin-post.php`, { method: 'POST', headers, body, redirect: 'manual' })
      const next = answer.headers.get('location')
      return { status: answer.status, text: await (next === null ? answer : await fetch(next, { headers })).text() }
    },
  }
}

/** A form that WordPress does not show to somebody may still be sent by him: its nonce is no secret to whoever is logged in. */
function nonceOf(
  native: NativeSite,
  { login, session, url }: { login: string; session: string; url: string },
  action: string,
): Promise<string> {
  const cookie = /wordpress_logged_in_\w+=([^;]+)/.exec(session)?.[1] ?? ''
  const code = `$_COOKIE[ LOGGED_IN_COOKIE ] = urldecode( '${cookie}' ); wp_set_current_user( null, '${login}' ); echo wp_create_nonce( 'svc_connector_${action}' );`
  return native.wpCli(['eval', code, `--url=${url}`])
}
