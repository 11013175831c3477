// What a browser does on a WordPress site, by hand: forms and cookies.

export interface Answer {
  status: number
  text: string
  headers: Record<string, string>
}

/** Asks for a page, follows nothing, and waits for its very end: PHP goes on writing behind what it has sent, and what it met is kept last of all. */
export async function visit(url: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(url, { redirect: 'manual', ...init })
  return { status: answer.status, text: await answer.text(), headers: Object.fromEntries(answer.headers) }
}

/** Submits the form of a login link once. */
export function postTicket(url: string): Promise<Response> {
  const ticket = new URL(url).searchParams.get('svc-connector-login') ?? ''
  return fetch(url, { method: 'POST', body: new URLSearchParams({ svc_connector_ticket: ticket }), redirect: 'manual' })
}

/** The cookies an answer sets, as a `Cookie` header; of one that it sets twice the last, as in a browser. */
export function cookiesOf(answer: Response | undefined): string {
  const jar = new Map<string, string>()
  for (const cookie of answer?.headers.getSetCookie() ?? []) {
    const [pair = ''] = cookie.split(';')
    jar.set(pair.slice(0, pair.indexOf('=')), pair)
  }
  return [...jar.values()].join('; ')
}

/** A session through wp-login.php. */
export async function logIn(site: string, user: string, password: string): Promise<string> {
  const body = new URLSearchParams({ log: user, pwd: password, testcookie: '1' })
  const headers = { cookie: 'wordpress_test_cookie=WP%20Cookie%20check' }
  const answer = await fetch(`${site}/wp-login.php`, { method: 'POST', body, headers, redirect: 'manual' })
  if (answer.status !== 302) throw new Error(`wp-login.php answered ${answer.status}.`)
  return cookiesOf(answer)
}

const PAGE = 'options-general.php?page=svc-connector'
/** Where the settings page is in a network of sites. */
export const NETWORK_PAGE = 'network/settings.php?page=svc-connector'

/** The settings page of a site, as somebody who is logged in there has it. */
interface Settings {
  site: string
  session: string
  page?: string
}

/** Presses Connect on the settings page; gives what the page says then. */
export const connectInAdmin = ({ site, session, page = PAGE }: Settings, service: string, code: string): Promise<string> =>
  submit({ site, session, page }, 'svc_connector_connect', { svc_connector_url: service, svc_connector_code: code })

/** Presses Disconnect on the settings page; gives what the page says then. */
export const disconnectInAdmin = ({ site, session, page = PAGE }: Settings): Promise<string> =>
  submit({ site, session, page }, 'svc_connector_disconnect', {})

async function submit({ site, session, page }: Required<Settings>, action: string, fields: Record<string, string>): Promise<string> {
  const headers = { cookie: session }
  const settings = `${site}/wp-admin/${page}`
  const form = (await (await fetch(settings, { headers })).text()).split('<form').find((part) => part.includes(`value="${action}"`))
  const nonce = /name="_wpnonce" value="([^"]+)"/.exec(form ?? '')?.[1]
  if (nonce === undefined) throw new Error(`The settings page has no form for ${action}.`)
  const body = new URLSearchParams({ action, _wpnonce: nonce, ...fields })
  const answer = await fetch(`${site}/wp-admin/admin-post.php`, { method: 'POST', headers, body, redirect: 'manual' })
  const next = answer.headers.get('location')
  if (answer.status !== 302 || next === null) throw new Error(`${action} answered ${answer.status}.`)
  return (await fetch(next, { headers })).text()
}
