// Asks for what the pages name, and says of each link what is to be thought of it.
import { type Asker, fragmentOf, get, idsOf, look, withoutFragment } from './ask.ts'
import { isThere } from './fragments.ts'
import type { Notes } from './notes.ts'
import type { Judged, Known, Met } from './scan-store.ts'
import type { Verdict } from './verdict.ts'

export interface Judging {
  asker: Asker
  notes: Notes
  ids: Map<string, ReadonlySet<string> | null>
  isOwn(url: string): boolean
}

const mostIds = 2000

/** One address that no page was read for. */
export async function askFor(judging: Judging, met: Met): Promise<void> {
  judging.notes.done(met, await ask(judging, met.url))
}

/** What failed is asked again, later in the same scan: what is there now was never gone. */
export async function askAgain(judging: Judging, met: Met): Promise<void> {
  if (met.verdict?.is !== 'dead' || met.verdict.reason === 'malformed') return
  judging.ids.delete(withoutFragment(met.url))
  const again = await ask(judging, met.url)
  // What then says nothing of itself is no second failure.
  judging.notes.done(met, again.is === 'dead' ? { ...again, lasting: again.lasting && met.verdict.lasting, twice: true } : again)
}

async function ask({ asker, ids }: Judging, url: string): Promise<Verdict> {
  const fragment = fragmentOf(url)
  if (fragment === null) return (await look(asker, url)).verdict
  const page = withoutFragment(url)
  let names = ids.get(page)
  if (names === undefined) {
    const answer = await get(asker, page)
    if (answer.verdict.is !== 'ok') return answer.verdict
    names = await idsOf(answer)
    if (ids.size < mostIds) ids.set(page, names)
  }
  if (names === null || isThere(fragment, names)) return { is: 'ok', status: 200 }
  return { is: 'dead', status: 200, reason: 'fragment', lasting: true }
}

/** What a visitor meets. `before`: what the scan before thought of it. */
export function judged({ url, verdict, places, placesCount }: Met, isInternal: boolean, before: Known | undefined): Judged | null {
  if (verdict === null || verdict.is === 'ok' || placesCount === 0) return null
  const link = { url, isInternal, places, placesCount, status: verdict.status }
  if (verdict.is === 'blocked') return { ...link, confidence: 'blocked', reason: 'blocked' }
  // Nobody asks again once the time of a scan is over; what is no address need not be asked.
  const isProven = verdict.twice === true || verdict.reason === 'malformed'
  // Pages elsewhere may make their anchors by a script.
  const isSure = isProven && verdict.lasting && (verdict.reason !== 'fragment' || isInternal)
  const failedBefore = before !== undefined && before.confidence !== 'blocked' && verdict.reason !== 'fragment'
  return { ...link, confidence: isSure || failedBefore ? 'broken' : 'suspect', reason: verdict.reason }
}
