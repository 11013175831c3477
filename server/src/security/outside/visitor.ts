// A polite visitor: few requests, small answers, no redirects, one name.
import { randomBytes } from 'node:crypto'
import type { GuardedFetch } from '../../platform/guarded-fetch.ts'
import { bare, type Page, type Visit, type Visitor, visit, visitorOf } from '../../sites/visit.ts'
import type { World } from '../../world.ts'

/** There was no answer that says anything about the site: down, too slow, or we are being kept out. */
export class NoAnswer extends Error {}

export interface PoliteVisitor extends Visitor {
  /** What an address is answered with that does not exist. */
  nowhere(extension: string): Promise<Page>
  requests(): number
  /** It has given up; nothing more will be answered. */
  gaveUp(): boolean
}

export interface Patience {
  requests: number
  /** For all requests together, and for one. */
  ms: number
  timeoutMs: number
  /** Requests in a row without an answer; then the site is left alone. */
  silences: number
}
export const usualPatience: Patience = { requests: 90, ms: 120_000, timeoutMs: 12_000, silences: 3 }
const usualBytes = 64 * 1024
/** What firewalls answer to a visitor they want to see no more of. */
const keptOut = new Set([429, 503, 520, 521, 522, 523, 524])

export function openVisitor(
  world: Pick<World, 'config'> & { pages: GuardedFetch },
  site: { home: string; url: string },
  signal: AbortSignal,
  patience = usualPatience,
): PoliteVisitor {
  const deadline = performance.now() + patience.ms
  const common = { 'user-agent': `ServiceSecurityCheck/1.0 (+${world.config.baseUrl})`, 'accept-encoding': 'identity' }
  const absent = new Map<string, Promise<Page>>()
  /** What was asked before is not asked again. */
  const asked = new Map<string, Promise<Page>>()
  let requests = 0
  let silences = 0

  async function send(url: string, { headers, ...more }: Visit): Promise<Page> {
    signal.throwIfAborted()
    if (silences >= patience.silences) throw new NoAnswer('The site has stopped answering.')
    if (++requests > patience.requests || performance.now() > deadline) throw new NoAnswer('The look from outside took too long.')
    const page = await visit(world.pages, url, {
      ...{ headers: { ...common, ...headers }, maxBytes: usualBytes, cut: true, timeoutMs: patience.timeoutMs },
      ...more,
    })
    silences = page.silence || keptOut.has(page.status) ? silences + 1 : 0
    if (page.silence) throw new NoAnswer(page.silence.message, { cause: page.silence })
    if (keptOut.has(page.status)) throw new NoAnswer(`The site answered with ${page.status}.`)
    return page
  }

  const once = (url: string, how: Visit) => {
    const key = `${url} ${how.body ?? ''}`
    const known = asked.get(key) ?? send(url, how)
    asked.set(key, known)
    return known
  }

  return {
    ...visitorOf(site, once),
    fetch: (url, plain = false) => send(url, { plain }),
    nowhere(extension) {
      const known = absent.get(extension) ?? send(`${bare(site.url)}/${randomBytes(8).toString('hex')}${extension}`, {})
      absent.set(extension, known)
      return known
    },
    requests: () => requests,
    gaveUp: () => silences >= patience.silences,
  }
}
