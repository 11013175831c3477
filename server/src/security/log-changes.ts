import { logEvent } from '../activity/service.ts'
import { counted, type RequestedBy } from '../kernel/job.ts'
import { plainWord } from '../kernel/site-said.ts'
import type { DatedDb } from '../world.ts'
import { describeFindings } from './check-store.ts'
import type { Changes } from './record.ts'

interface Teller {
  by: RequestedBy
  jobId?: string
  /** What looked; the first words of the line. */
  what?: string
}

/** One line of activity where a look changed something, in the client's words. */
export async function logChanges(
  here: DatedDb,
  siteId: string,
  looks: readonly Changes[],
  { by, jobId, what = 'Security check' }: Teller,
): Promise<void> {
  const ids = (change: keyof Changes) => looks.flatMap((look) => look[change])
  const news = await describeFindings(here, [...ids('opened'), ...ids('reopened')])
  const fixed = await describeFindings(here, ids('fixed'))
  if (news.length + fixed.length === 0) return
  const urgent = news.filter(({ severity }) => severity === 'critical' || severity === 'high').length
  const lines = (word: string, all: typeof news) =>
    all
      .map(({ title, component }) => [title, plainWord(component ?? '')])
      .map(([title, slug]) => `${word}: ${title}${slug ? ` (${slug})` : ''}`)
  const found = news.length > 0 ? `${counted(news.length, 'problem')} found${urgent > 0 ? `, ${urgent} of them urgent` : ''}` : ''
  const done = fixed.length > 0 ? `${counted(fixed.length, 'problem')} fixed` : ''
  await logEvent(here, {
    siteId,
    category: 'security',
    summary: `${what}: ${[found, done].filter(Boolean).join('; ')}`,
    notes: [...lines('found', news), ...lines('fixed', fixed)].join('\n'),
    ...(jobId !== undefined && { jobId }),
    by,
    // What was put right is for the client; what is still open, for colleagues first.
    internal: news.length > 0,
  })
}
