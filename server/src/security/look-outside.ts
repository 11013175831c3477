// The site as a stranger sees it.
import { call } from '../connector/call.ts'
import type { Facts } from '../connector/security-commands.ts'
import { SiteError } from '../connector/site-error.ts'
import { Problem } from '../kernel/problem.ts'
import { FetchError } from '../platform/fetch-error.ts'
import { bareDomain } from '../sites/address.ts'
import { connectionOf, pagesOf, type Target } from '../sites/talk.ts'
import type { Page } from '../sites/visit.ts'
import type { Here } from '../world.ts'
import type { SourceFindings } from './integrity.ts'
import { exposures } from './outside/exposure.ts'
import { pingbacks, userEnumeration, xmlrpc } from './outside/people.ts'
import { NoAnswer, openVisitor, type Patience, type PoliteVisitor, usualPatience } from './outside/visitor.ts'
import { errorsShown, headers, judgeProbe, judgeTls, noHttps, redirect, tlsChecks, version } from './outside/web.ts'
import type { NewFinding } from './schema.ts'

export type OutsideLook = SourceFindings & { requests: number; reached: boolean }

const frontBytes = 512 * 1024

/** Every check stands for itself: one that got no answer is not made, and leaves what it once found as it is. */
export async function checkFromOutside(
  here: Here,
  site: Target & { home: string },
  facts: Facts | undefined,
  { signal, patience = usualPatience }: { signal: AbortSignal; patience?: Patience },
): Promise<OutsideLook> {
  const visitor = openVisitor({ pages: await pagesOf(here, site), config: here.config }, site, signal, patience)
  const looked: OutsideLook = { found: noHttps(site.home), checked: ['no_https'], requests: 0, reached: false }
  const attempt = async (ids: string[], look: () => Promise<NewFinding[]>) => {
    try {
      looked.found.push(...(await look()))
      looked.checked.push(...ids)
    } catch (error) {
      if (!isSilence(error)) throw error
    }
  }
  if (site.home.startsWith('https:'))
    await attempt(tlsChecks, async () => judgeTls(await here.inspectTls(site.home, here.now()), here.now()))
  else looked.checked.push(...tlsChecks)
  const front = await frontPage(visitor)
  if (front) await visit(here, site, { visitor, front, facts, attempt })
  return { ...looked, requests: visitor.requests(), reached: front !== undefined }
}

const isSilence = (error: unknown) => [NoAnswer, FetchError, SiteError, Problem].some((kind) => error instanceof kind)

async function frontPage(visitor: PoliteVisitor): Promise<Page | undefined> {
  try {
    const page = await visitor.get('/', { at: 'home', maxBytes: frontBytes })
    // A page that keeps strangers out says nothing about what lies behind it.
    return page.status === 401 || page.status === 403 ? undefined : page
  } catch (error) {
    if (!isSilence(error)) throw error
    return undefined
  }
}

interface Visit {
  visitor: PoliteVisitor
  front: Page
  facts: Facts | undefined
  attempt(ids: string[], look: () => Promise<NewFinding[]>): Promise<void>
}

async function visit(here: Here, site: Target & { home: string }, { visitor, front, facts, attempt }: Visit): Promise<void> {
  const { home } = site
  const host = bareDomain(new URL(home).hostname)
  await attempt(['security_headers'], async () => headers(front, home))
  await attempt(['errors_shown'], async () => errorsShown(front))
  await attempt(['version_disclosed'], () => version(visitor, front))
  if (home.startsWith('https:') && new URL(home).port === '') await attempt(['http_not_redirected'], () => redirect(visitor, home))
  for (const [id, look] of Object.entries(exposures)) await attempt([id], () => look(visitor, host))
  await attempt(['user_enumeration'], () => userEnumeration(visitor, facts))
  await attempt(['xmlrpc'], () => xmlrpc(visitor, facts))
  await attempt(['pingbacks'], () => pingbacks(visitor))
  await attempt(['uploads_run_php'], () => probeUploads(here, site, visitor))
}

/** The site puts a harmless file of fixed content into its uploads; we ask for it, and have it taken away whatever happens. */
async function probeUploads(here: Here, site: Target & { home: string }, visitor: PoliteVisitor): Promise<NewFinding[]> {
  if (visitor.gaveUp()) throw new NoAnswer('The site has stopped answering.')
  const connection = await connectionOf(here, site)
  try {
    const { result } = await call(here.wire, connection, { verb: 'security.probe', params: { place: true } })
    if (result.url === '') throw new NoAnswer('The site could not put a file into its uploads.')
    const url = URL.parse(result.url)
    const own = [site.home, site.url].map((each) => new URL(each).origin)
    // Uploads that live elsewhere are not run by this site.
    if (!url || !own.includes(url.origin)) return []
    return judgeProbe(await visitor.fetch(url.href), result.says, url.pathname)
  } finally {
    await call(here.wire, connection, { verb: 'security.probe', params: { place: false } }).catch((error: unknown) =>
      here.log.warn({ err: error, site_id: site.id }, 'the probe in the uploads could not be taken away and is with the next check'),
    )
  }
}
