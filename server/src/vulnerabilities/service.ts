import type { Context } from '../world.ts'
import type { FeedBrief, FeedStatus } from './schema.ts'
import { listSources, type SourceRow } from './store.ts'

/** Whether there is a feed, how old it is, and whose it is. */
export async function readFeedStatus({ db }: Pick<Context, 'db'>): Promise<FeedStatus> {
  const sources = await listSources(db)
  const totals = { records: recordsOf(sources), refreshed_at: oldestOf(sources), notices: noticesOf(sources) }
  return {
    configured: sources.length > 0,
    message: messageOf(sources),
    ...totals,
    sources: sources.map((source) => ({
      kind: source.kind,
      format: source.format,
      records: source.records,
      unreadable: source.unreadable,
      refreshed_at: textOf(source.refreshed_at),
      changed_at: textOf(source.changed_at),
      next_at: source.next_at.toISOString(),
      error: source.error,
    })),
  }
}

/** For answers that tell of vulnerabilities; null: there is no feed, or nothing was read of it yet. */
export async function readFeedBrief({ db }: Pick<Context, 'db'>): Promise<FeedBrief | null> {
  const sources = (await listSources(db)).filter(({ refreshed_at }) => refreshed_at !== null)
  if (sources.length === 0) return null
  const notices = [...new Set(noticesOf(sources).map(({ notice }) => notice))]
  return { records: recordsOf(sources), refreshed_at: oldestOf(sources), notices: notices.slice(0, 4) }
}

function messageOf(sources: SourceRow[]): string {
  if (sources.length === 0)
    return 'No vulnerability feed is configured, so known vulnerabilities are not looked for. The operator sets SERVICE_VULNERABILITY_FEED.'
  const failed = sources.filter(({ error }) => error !== null)
  if (sources.every(({ refreshed_at }) => refreshed_at === null))
    return failed.length > 0
      ? 'The feed could not be read yet; error tells why.'
      : 'The feed is configured and is being read for the first time.'
  return failed.length > 0 ? 'The last look at the feed failed; what was read before stays in force.' : 'The feed is read and in force.'
}

const recordsOf = (sources: SourceRow[]) => sources.reduce((sum, { records }) => sum + records, 0)
const noticesOf = (sources: SourceRow[]) => sources.flatMap(({ notices }) => notices)
const textOf = (time: Date | null) => time?.toISOString() ?? null

/** As old as its oldest part. */
function oldestOf(sources: SourceRow[]): string | null {
  const times = sources.flatMap(({ refreshed_at }) => (refreshed_at ? [refreshed_at.toISOString()] : []))
  return times.toSorted()[0] ?? null
}
