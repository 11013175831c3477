import type { World } from '../world.ts'
import { type Format, feedLimits, readFeed } from './read-feed.ts'
import type { FeedRecord, Notice, SoftwareType } from './record.ts'
import { stage } from './store.ts'

const stagedAtOnce = 500
const mostNotices = 20

interface Staged {
  records: number
  /** Entries that were not as the format has them. */
  unreadable: number
  format: Format | undefined
  notices: Notice[]
}

/** Lays all records of a feed aside under a load's name, a few hundred at a time. Throws a FeedTrouble. */
export async function stageFeed(world: Pick<World, 'db' | 'stopping'>, load: string, file: string, named: SoftwareType): Promise<Staged> {
  const read: Staged = { records: 0, unreadable: 0, format: undefined, notices: [] }
  let waiting: FeedRecord[] = []
  const flush = async () => {
    if (waiting.length > 0) await stage(world.db, load, waiting)
    waiting = []
  }
  for await (const { format, records, unreadable } of readFeed(file, named, feedLimits)) {
    world.stopping.throwIfAborted()
    read.records += records.length
    read.unreadable += unreadable
    read.format = format
    for (const record of records) addNotices(read.notices, record.notices)
    waiting.push(...records)
    if (waiting.length >= stagedAtOnce) await flush()
  }
  await flush()
  return read
}

/** They differ by a year here and there; each is kept once. */
function addNotices(notices: Notice[], more: readonly Notice[]): void {
  for (const each of more) {
    if (notices.length >= mostNotices) return
    if (!notices.some(({ notice, license }) => notice === each.notice && license === each.license)) notices.push(each)
  }
}
