// The changes of one workspace as they happen.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Change } from '../kernel/change.ts'
import type { EventStream, StreamEvent } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import type { Context } from '../world.ts'
import { decryptPlace, encryptPlace } from './place.ts'
import { sightOf } from './sight.ts'

/** Of one workspace, in one process; and of one caller who sees some of its sites only, so that the others find room. */
const mostStreams = 100
const mostOfSome = 20
/** What happens within it is one batch, each thing once: a job that moves on by percent is told now and then. */
const gatherMs = 250
/** Without news. */
const beatMs = 5_000

const open = new Map<string, number>()

/** `siteId`: only what concerns that site. */
export function streamOf(context: Context, siteId: string | undefined): EventStream {
  const concerns = (change: Change) =>
    siteId === undefined || change.kind === 'reset' || change.site_id === siteId || change.site_id === null
  return {
    async *open(after, closed) {
      const leave = enter(context)
      const ended = AbortSignal.any([closed, context.stopping])
      try {
        for await (const batch of batchesOf(context, after, ended)) yield batch.filter(({ change }) => concerns(change)).map(eventOf)
      } catch (error) {
        // Whoever listened has gone, or the service ends.
        if (!ended.aborted) throw error
      } finally {
        leave()
      }
    },
  }
}

interface SeenChange {
  change: Change
  sight: number
}

/** What is told from a place on; now and then nothing, because a listener wants to know that somebody is there. */
async function* batchesOf(context: Context, after: string | undefined, ended: AbortSignal): AsyncGenerator<SeenChange[]> {
  const { changes, workspaceId } = context
  const sight = sightOf(context)
  const from = after === undefined ? undefined : decryptPlace(after)
  let place = from?.at ?? (after === undefined ? changes.now() : '')
  let saw = after === undefined ? await sight.refresh() : from?.sight
  if (after === undefined) yield [{ change: begins('ready', place), sight: saw ?? 0 }]
  for (let beat = performance.now(); !ended.aborted; ) {
    const news = changes.since(workspaceId, place)
    place = changes.now()
    const sees = await sight.refresh()
    // Other sites came into sight, or left it: whatever is shown of them is asked anew, and nobody is told of which.
    const batch = news === undefined || sees !== saw ? [begins('reset', place)] : latest(await sight.visible(news))
    saw = sees
    if (batch.length > 0 || performance.now() - beat >= beatMs) {
      yield batch.map((change) => ({ change, sight: sees }))
      beat = performance.now()
    }
    await changes.more(place, Math.max(0, beat + beatMs - performance.now()), ended)
    if (changes.now() !== place) await sleep(gatherMs, undefined, { signal: ended })
  }
}

/** Counts a listener in, and answers how it leaves; throws where there is no room. */
function enter({ workspaceId, caller }: Context): () => void {
  const rooms = [
    { room: workspaceId, most: mostStreams, whose: 'this workspace' },
    ...(caller.sees ? [{ room: `${workspaceId} ${caller.id}`, most: mostOfSome, whose: 'yours' }] : []),
  ]
  const full = rooms.find(({ room, most }) => (open.get(room) ?? 0) >= most)
  if (full) throw new Problem('rate_limited', `${full.most} streams of ${full.whose} are open already. Close some.`, { retryAfter: 30 })
  for (const { room } of rooms) open.set(room, (open.get(room) ?? 0) + 1)
  return () => {
    for (const { room } of rooms) {
      const left = (open.get(room) ?? 1) - 1
      if (left > 0) open.set(room, left)
      else open.delete(room)
    }
  }
}

const begins = (kind: 'ready' | 'reset', at: string): Change => ({ at, kind, id: null, site_id: null })

const eventOf = ({ change: { at, kind, id, site_id }, sight }: SeenChange): StreamEvent => ({
  at: encryptPlace({ at, sight }),
  event: kind,
  data: { kind, id, site_id },
})

/** Each thing once, where it changed last. */
function latest(news: readonly Change[]): Change[] {
  const last = new Map(news.map((change) => [`${change.kind} ${change.id}`, change]))
  return [...last.values()].toSorted((a, b) => Number(a.at.split('-')[1]) - Number(b.at.split('-')[1]))
}
