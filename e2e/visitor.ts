// What a browser does on a WordPress site, by hand: forms and cookies.

/** Submits the form of a login link once. */
export function postTicket(url: string): Promise<Response> {
  const ticket = new URL(url).searchParams.get('svc-login') ?? ''
  return fetch(url, { method: 'POST', body: new URLSearchParams({ svc_ticket: ticket }), redirect: 'manual' })
}

/** The cookies an answer sets, as a `Cookie` header. */
export const cookiesOf = (answer: Response | undefined): string =>
  (answer?.headers.getSetCookie() ?? []).map((cookie) => cookie.split(';')[0]).join('; ')

/** A session through wp-login.php. */
export async function logIn(site: string, user: string, password: string): Promise<string> {
  const body = new URLSearchParams({ log: user, pwd: password, testcookie: '1' })
  const headers = { cookie: 'wordpress_test_cookie=WP%20Cookie%20check' }
  const answer = await fetch(`${site}/wp-login.php`, { method: 'POST', body, headers, redirect: 'manual' })
  if (answer.status !== 302) throw new Error(`wp-login.php answered ${answer.status}.`)
  return cookiesOf(answer)
}

/** Presses Connect on the settings page; gives what the page says then. */
export const connectInAdmin = (site: string, session: string, service: string, code: string): Promise<string> =>
  submit(site, session, 'svc_connector_connect', { svc_url: service, svc_code: code })

/** Presses Disconnect on the settings page; gives what the page says then. */
export const disconnectInAdmin = (site: string, session: string): Promise<string> => submit(site, session, 'svc_connector_disconnect', {})

async function submit(site: string, session: string, action: string, fields: Record<string, string>): Promise<string> {
  const headers = { cookie: session }
  const settings = `${site}/wp-admin/options-general.php?page=svc-connector`
  const form = (await (await fetch(settings, { headers })).text()).split('<form').find((part) => part.includes(`value="${action}"`))
  const nonce = /name="_wpnonce" value="([^"]+)"/.exec(form ?? '')?.[1]
  if (nonce === undefined) throw new Error(`The settings page has no form for ${action}.`)
  const body = new URLSearchParams({ action, _wpnonce: nonce, ...fields })
  const answer = await fetch(`${site}/wp-admin/admin-post.php`, { method: 'POST', headers, body, redirect: 'manual' })
  const next = answer.headers.get('location')
  if (answer.status !== 302 || next === null) throw new Error(`${action} answered ${answer.status}.`)
  return (await fetch(next, { headers })).text()
}
