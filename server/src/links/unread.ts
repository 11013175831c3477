// Pages that a scan could not read: what is known of their links, and how that is told.
import { counted } from '../kernel/job.ts'
import type { Met } from './scan-store.ts'
import type { Scan, Unread } from './schema.ts'

const inWords: Record<Exclude<keyof Unread, 'robots'>, string> = {
  blocked: 'did not let us look',
  failed: 'failed',
  shut: 'led to a sign-in or to what nobody should ask for',
}

/** Nobody can say what stands on a page. undefined: this scan may not read it. */
export function isUnknown(met: Met | undefined): boolean {
  return !met?.isPage || whyUnread(met) !== null
}

/** Of one that says itself, twice, that it is not there, it is known that nothing stands on it. */
function whyUnread({ notRead, verdict }: Met): keyof Unread | null {
  if (notRead === null || notRead === 'elsewhere' || notRead === 'no_page') return null
  const isGone = notRead === 'failed' && verdict?.is === 'dead' && verdict.lasting && verdict.twice === true
  return isGone && (verdict.reason === 'not_found' || verdict.reason === 'gone') ? null : notRead
}

export function unreadOf(met: readonly Met[]): Unread {
  const unread: Unread = { blocked: 0, failed: 0, shut: 0, robots: 0 }
  for (const each of met) {
    const why = whyUnread(each)
    if (why !== null) unread[why]++
  }
  return unread
}

/** Why a scan did not look at everything, in sentences. */
export function whyNotAll(limit: Scan['limit_reached'], { robots, ...others }: Unread): string[] {
  const sum = others.blocked + others.failed + others.shut
  const parts = (['blocked', 'failed', 'shut'] as const).filter((why) => others[why] > 0).map((why) => `${others[why]} ${inWords[why]}`)
  const pages = counted(robots, 'page')
  return [
    ...(sum === 0 ? [] : [`${counted(sum, 'page')} could not be read: ${parts.join(', ')}; what was known of their links stays.`]),
    ...(limit === 'robots'
      ? [`robots.txt forbids every page but the front page (${pages} met), so nothing is known of their links.`]
      : robots > 0
        ? [`robots.txt forbids ${pages}, of whose links nothing is known.`]
        : []),
    ...(limit === null || limit === 'robots' ? [] : ['It did not look at everything.']),
  ]
}
