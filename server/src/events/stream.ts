// The changes of one workspace as they happen.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Change } from '../kernel/change.ts'
import type { EventStream, StreamEvent } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'

/** Of one workspace, in one process. */
const mostStreams = 100
/** What happens within it is one batch, each thing once: a job that moves on by percent is told now and then. */
const gatherMs = 250
/** Without news. */
const beatMs = 5_000

const open = new Map<string, number>()

/** `siteId`: only what concerns that site. */
export function streamOf({ changes, workspaceId, stopping }: Context, siteId: string | undefined): EventStream {
  const concerns = (change: Change) =>
    siteId === undefined || change.kind === 'reset' || change.site_id === siteId || change.site_id === null
  return {
    async *open(after, closed) {
      if ((open.get(workspaceId) ?? 0) >= mostStreams)
        throw new Problem('rate_limited', `${mostStreams} streams of this workspace are open already. Close some.`, { retryAfter: 30 })
      open.set(workspaceId, (open.get(workspaceId) ?? 0) + 1)
      const ended = AbortSignal.any([closed, stopping])
      let place = after ?? changes.now()
      try {
        if (after === undefined) yield [eventOf('ready', place)]
        while (!ended.aborted) {
          const news = changes.since(workspaceId, place)
          const next = changes.now()
          if (news === undefined) yield [eventOf('reset', next)]
          else yield latest(news.filter(concerns))
          place = next
          await changes.more(place, beatMs, ended)
          if (changes.now() !== place) await sleep(gatherMs, undefined, { signal: ended })
        }
      } catch (error) {
        // Whoever listened has gone, or the service ends.
        if (!ended.aborted) throw error
      } finally {
        const left = (open.get(workspaceId) ?? 1) - 1
        if (left > 0) open.set(workspaceId, left)
        else open.delete(workspaceId)
      }
    },
  }
}

const eventOf = (kind: string, at: string): StreamEvent => ({ at, event: kind, data: { kind, id: null, site_id: null } })

/** Each thing once, where it changed last. */
function latest(news: readonly Change[]): StreamEvent[] {
  const last = new Map(news.map((change) => [`${change.kind} ${change.id}`, change]))
  const told = [...last.values()].toSorted((a, b) => Number(a.at.split('-')[1]) - Number(b.at.split('-')[1]))
  return told.map(({ at, ...data }) => ({ at, event: data.kind, data }))
}
