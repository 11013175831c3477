// What the web server and its encryption tell every visitor.
import { clean } from '../../connector/clean.ts'
import type { TlsFacts } from '../../platform/inspect-tls.ts'
import type { Page, Visitor } from '../../sites/visit.ts'
import { finding } from '../checks.ts'
import type { NewFinding } from '../schema.ts'

const dayMs = 86_400_000
const soonDays = 14

export function judgeTls({ trusted, why, expiresAt, protocol, oldProtocol }: TlsFacts, now: Date): NewFinding[] {
  const days = expiresAt === null ? Number.POSITIVE_INFINITY : (expiresAt.getTime() - now.getTime()) / dayMs
  const until = expiresAt?.toISOString() ?? 'an unknown time'
  const all: NewFinding[] = []
  if (days <= 0) all.push(finding('certificate_expired', { evidence: [`It was valid until ${until}.`] }))
  else if (!trusted) all.push(finding('certificate_invalid', { evidence: [`The handshake says ${clean(why ?? 'nothing', 60)}.`] }))
  if (days > 0 && days <= soonDays) all.push(finding('certificate_expiring', { evidence: [`It is valid until ${until}.`] }))
  if (oldProtocol || /^TLSv1(\.1)?$|^SSL/.test(protocol ?? ''))
    all.push(finding('tls_outdated', { evidence: ['A handshake with TLS 1.1 or older was accepted.'] }))
  return all
}

export const tlsChecks = ['certificate_expired', 'certificate_expiring', 'certificate_invalid', 'tls_outdated']

export const noHttps = (home: string): NewFinding[] =>
  home.startsWith('https:') ? [] : [finding('no_https', { evidence: ['The address of the site begins with http://.'] })]

/** Only where the site is at the usual port: http lives at port 80. */
export async function redirect(visitor: Visitor, home: string): Promise<NewFinding[]> {
  const { status, headers } = await visitor.fetch(`http://${new URL(home).hostname}/`, true)
  if (status >= 400 || (status >= 300 && /^https:\/\//i.test(headers.location ?? ''))) return []
  return [finding('http_not_redirected', { evidence: [`GET / over http answered ${status}.`] })]
}

export function headers({ headers }: Page, home: string): NewFinding[] {
  const policy = headers['content-security-policy'] ?? ''
  const missing = [
    ...(home.startsWith('https:') && !/max-age\s{0,5}=\s{0,5}"?[1-9]/i.test(headers['strict-transport-security'] ?? '')
      ? ['Strict-Transport-Security']
      : []),
    ...(/nosniff/i.test(headers['x-content-type-options'] ?? '') ? [] : ['X-Content-Type-Options']),
    ...(headers['x-frame-options'] || /frame-ancestors/i.test(policy)
      ? []
      : ['X-Frame-Options, or frame-ancestors in Content-Security-Policy']),
    ...(headers['referrer-policy'] ? [] : ['Referrer-Policy']),
  ]
  return missing.length > 0 ? [finding('security_headers', { evidence: missing.map((each) => `The front page lacks ${each}.`) })] : []
}

const versionIn = (text: string) =>
  /<meta name="generator" content="WordPress (\d[\w.-]{0,30})/i.exec(text)?.[1] ?? /wordpress\.org\/\?v=(\d[\w.-]{0,30})/.exec(text)?.[1]

export async function version(visitor: Visitor, front: Page): Promise<NewFinding[]> {
  const lines: string[] = []
  const inPage = versionIn(front.text)
  if (inPage) lines.push(`The front page names WordPress ${inPage}.`)
  const feed = await visitor.get('/?feed=rss2', { at: 'home' })
  const inFeed = feed.status === 200 ? versionIn(feed.text) : undefined
  if (inFeed) lines.push(`The feed names WordPress ${inFeed}.`)
  return lines.length > 0 ? [finding('version_disclosed', { evidence: lines })] : []
}

const ERROR =
  /<b>(Warning|Notice|Deprecated|Fatal error|Parse error)<\/b>:\s{1,5}[^<]{1,300}in <b>([^<]{1,300})<\/b> on line <b>\d{1,7}<\/b>/

export function errorsShown({ text }: Page): NewFinding[] {
  const [, kind = '', file = ''] = ERROR.exec(text) ?? []
  return kind === '' ? [] : [finding('errors_shown', { evidence: [`The front page holds a ${kind} of ${clean(file, 200)}.`] })]
}

/** What the site's probe said; `runs` only when it was executed. */
export function judgeProbe(page: Page, says: string, path: string): NewFinding[] {
  const runs = page.status === 200 && page.text.includes(says) && !page.text.includes('<?php')
  return runs ? [finding('uploads_run_php', { evidence: [`GET ${clean(path, 120)} answered with what our harmless file computed.`] })] : []
}
