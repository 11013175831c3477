import { gapOf } from '../kernel/gaps.ts'
import type { FeedBrief } from '../vulnerabilities/schema.ts'
import type { Source } from './schema.ts'

interface Looked {
  looks: readonly { source: Source; checked_at: unknown; sites?: number }[]
  feed: FeedBrief | null
  /** How many there are to be looked at. */
  sites: number
}

const sourceWords: Record<Source, string> = {
  facts: 'settings and accounts',
  integrity: 'changed files',
  outside: 'what strangers can see',
  inventory: 'outdated plugins and themes',
  feed: 'known vulnerabilities',
}

/** What nobody looked at, in sentences. */
export function gapsOf({ looks, feed, sites }: Looked): string[] {
  return looks.flatMap(({ source, checked_at, sites: looked = checked_at === null ? 0 : 1 }) => {
    if (source === 'feed' && feed === null) return ['Nobody looked for known vulnerabilities: there is no feed of them.']
    return gapOf(sourceWords[source], looked, sites)
  })
}
