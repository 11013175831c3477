import { Problem } from '../kernel/problem.ts'
import { type Outcome, refreshFeed } from '../vulnerabilities/refresh.ts'
import type { FeedStatus } from '../vulnerabilities/schema.ts'
import { readFeedStatus } from '../vulnerabilities/service.ts'
import type { Command } from './command.ts'

/** What an operator does about the feed of known vulnerabilities. */
export const feedCommands: Command[] = [
  {
    name: 'feed status',
    usage: 'feed status',
    summary: 'whether there is a feed of known vulnerabilities, its records, when it was last read. Fails when the last look did',
    options: {},
    words: 0,
    async run(world) {
      const status = await readFeedStatus(world)
      return { json: status, text: statusText(status), failed: status.sources.some(({ error }) => error !== null) }
    },
  },
  {
    name: 'feed refresh',
    usage: 'feed refresh [--accept-smaller]',
    summary: 'read the feed now; --accept-smaller also when it has lost more than half of its records. Fails when it cannot be read',
    options: { 'accept-smaller': { type: 'boolean' } },
    words: 0,
    async run(world, options) {
      if (world.config.vulnerabilityFeed.sources.length === 0)
        throw new Problem('invalid_payload', 'No feed is configured: SERVICE_VULNERABILITY_FEED is not set here.')
      const outcomes = await refreshFeed(world, { force: true, acceptSmaller: options['accept-smaller'] !== undefined })
      return { json: outcomes, text: outcomes.map(outcomeText).join('\n'), failed: outcomes.some(({ status }) => status === 'failed') }
    },
  },
]

function outcomeText({ kind, status, records, changed, message }: Outcome): string {
  return `${kind}: ${status}, ${records} records, ${changed} changed${message === null ? '' : `. ${message}`}`
}

function statusText({ message, sources, notices }: FeedStatus): string {
  const lines = sources.map(({ kind, format, records, refreshed_at, next_at, error }) => {
    const read = refreshed_at === null ? 'never read' : `read ${refreshed_at.slice(0, 16)}`
    const trouble = error === null ? '' : `\n  ${error.at.slice(0, 16)}: ${error.message}`
    return `${kind}: ${format ?? 'format not known yet'}, ${records} records, ${read}, next look ${next_at.slice(0, 16)}${trouble}`
  })
  return [message, ...lines, ...new Set(notices.map(({ notice }) => notice))].join('\n')
}
