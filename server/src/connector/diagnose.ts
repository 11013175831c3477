// Names what stood in the way when the answer is not the connector's, in our own words alone; the site's come beside them.
import { clean, siteSaid } from './clean.ts'
import type { Headers } from './shapes.ts'
import { SiteError } from './site-error.ts'
import { parseJson } from './verify.ts'

const REFUSALS = ['signature_input', 'window', 'signature', 'digest', 'key', 'nonce', 'body', 'audience', 'salts'] as const

type Answer = { status: number; headers: Headers; body: Buffer }
type Blocker = { name: string; body?: RegExp; header?: readonly [name: string, value: RegExp] }

const CHALLENGES: readonly Blocker[] = [
  { name: 'Cloudflare', header: ['cf-mitigated', /./] },
  {
    name: 'Cloudflare',
    body: /cdn-cgi\/challenge-platform|<title>just a moment|cf-browser-verification|attention required! \| cloudflare/i,
  },
  { name: 'Sucuri', header: ['x-sucuri-block', /./] },
  { name: 'Sucuri', body: /sucuri website firewall|sucuri_cloudproxy/i },
  { name: 'Imperva', body: /_incapsula_resource|incapsula incident id/i },
  { name: 'SiteGround', body: /sgcaptcha|sg-captcha/i },
  { name: 'AWS WAF', header: ['x-amzn-waf-action', /./] },
  { name: 'DDoS-Guard', body: /ddos-guard/i },
  { name: 'Akamai', header: ['server', /akamaighost/i] },
  { name: 'Imunify360', body: /imunify360|bot-protection/i },
  { name: 'BitNinja', body: /bitninja/i },
  { name: 'a captcha page', body: /g-recaptcha|h-captcha|cf-turnstile/i },
]

const SECURITY_PLUGINS: readonly Blocker[] = [
  { name: 'Wordfence', body: /wordfence/i },
  { name: 'Solid Security', body: /ithemes[- ]security|solid security/i },
  { name: 'All-In-One Security', body: /all[- ]in[- ]one (wp )?security|aiowps/i },
  { name: 'NinjaFirewall', body: /ninjafirewall/i },
  { name: 'Shield Security', body: /shield security|wp-simple-firewall/i },
  { name: 'Cerber Security', body: /wp cerber|cerber security/i },
  { name: 'ModSecurity', body: /mod_security|modsecurity|not acceptable!/i },
]

/** The error for an answer that carries no signature of the connector. */
export function diagnose(answer: Answer): SiteError {
  const { status, headers } = answer
  const text = answer.body.toString('utf8', 0, 64 * 1024)
  const challenge = find(CHALLENGES, text, headers)
  if (challenge) return new SiteError('challenge_page', `The site is behind ${challenge}, which answered with a browser check.`, { status })
  if (status >= 300 && status < 400) return redirect(status, headers.location ?? '')
  const json = parseJson(answer.body)
  if (typeof json === 'object' && json !== null) return unsignedJson(status, json, text)
  const plugin = find(SECURITY_PLUGINS, text, headers)
  if (plugin && status >= 400)
    return new SiteError('security_plugin', `${plugin} on the site blocked the request (HTTP ${status}).`, { status })
  return page(status, headers, text)
}

function page(status: number, headers: Headers, text: string): SiteError {
  if (status === 401 || /\bid=["']loginform["']/i.test(text)) {
    const asks = headers['www-authenticate'] ? 'The web server asks for a password' : 'The site asks visitors to log in'
    return new SiteError('login_wall', `${asks} before it lets a request through.`, { status })
  }
  const because = status >= 400 ? serverTrouble(text) : undefined
  if (because) return troubled(status, because)
  if (status >= 400) return new SiteError('http_status', `The site answered HTTP ${status} instead of the connector’s answer.`, { status })
  if (/<(!doctype|html|head|body)\b/i.test(text)) {
    return new SiteError(
      'html_instead_of_json',
      'The site answered with a web page; the connector is not active there, or a cache answered.',
      { status },
    )
  }
  return new SiteError('not_signed', 'The answer does not come from the connector: it is not signed.', { status })
}

function serverTrouble(text: string): string | undefined {
  if (/error establishing a database connection/i.test(text)) return 'WordPress has no connection to its database'
  if (/briefly unavailable for scheduled maintenance/i.test(text)) return 'WordPress is in maintenance mode'
  if (/there has been a critical error/i.test(text)) return 'WordPress reports a critical error'
  return undefined
}

const troubled = (status: number, because: string) =>
  new SiteError('http_status', `The site answered HTTP ${status}: ${because}.`, { status })

function redirect(status: number, location: string): SiteError {
  const where = clean(location, 200)
  if (/wp-login\.php|[?&]redirect_to=/i.test(where)) {
    return new SiteError('login_wall', 'The site sends visitors to its login page.', { status, location: where })
  }
  const words = `The site seems to have moved: it sends requests on to another address (HTTP ${status}). Open it in a browser to see where.`
  return new SiteError('redirect', words, { status, location: where, siteSaid: siteSaid(where) })
}

function unsignedJson(status: number, json: object, text: string): SiteError {
  if ('svc' in json && 'refused' in json) {
    const reason = REFUSALS.find((each) => each === json.refused)
    if (reason === 'window') return new SiteError('clock', 'The site’s clock differs too much from ours.', { status })
    if (reason) return new SiteError(`refused:${reason}`, REFUSED[reason], { status })
  }
  if ('code' in json && typeof json.code === 'string' && /^rest_/.test(json.code)) {
    const missing = json.code === 'rest_no_route'
    const words = missing ? 'The connector is not active on the site' : 'The site’s REST API is closed to us'
    return new SiteError(missing ? 'http_status' : 'security_plugin', `${words}.`, { status, siteSaid: siteSaid(json.code) })
  }
  // WordPress dies in JSON when it is asked in JSON.
  const because = status >= 400 ? serverTrouble(text) : undefined
  if (because) return troubled(status, because)
  return new SiteError('not_signed', 'The answer is JSON, but the connector did not sign it.', { status })
}

const REFUSED: Record<(typeof REFUSALS)[number], string> = {
  signature_input: 'The connector did not find a signature: something on the way removes or changes headers.',
  window: 'The site’s clock differs too much from ours.',
  signature: 'The connector refused the signature: the site may be paired with another service.',
  digest: 'The connector received another body than we sent: something on the way changes it.',
  key: 'The connector does not know our key: the site may be paired with another service.',
  nonce: 'The connector saw the same request twice: something on the way repeats requests.',
  body: 'The connector could not read the request.',
  audience: 'The connector is paired under another site id.',
  salts: 'The salts in wp-config.php have changed since the site was paired, so the connector cannot read its key: pair the site anew.',
}

function find(blockers: readonly Blocker[], text: string, headers: Headers): string | undefined {
  return blockers.find(({ body, header }) => body?.test(text) || (header && headerMatches(headers, header)))?.name
}

function headerMatches(headers: Headers, [name, value]: readonly [string, RegExp]): boolean {
  return value.test(headers[name] ?? '')
}
