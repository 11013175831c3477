import { FetchError } from '../platform/fetch-error.ts'
import type { World } from '../world.ts'
import type { Network } from './network.ts'

type Ground = Pick<World, 'config' | 'watch' | 'stopping' | 'now'>

/** So long an answer is one of now, also for others. */
const freshMs = 500
const mostWitnesses = 8

/** Asks what the operator named to know whether this machine reaches anybody; whoever wants to know meanwhile shares the answer. Null: nothing was named. */
export function egressProbe({ config, watch, stopping, now }: Ground): () => Promise<boolean | null> {
  const { egressProbe: url } = config
  if (url === undefined) return async () => null
  const request = { method: 'GET' as const, url, maxBytes: 1024, cut: true, timeoutMs: 5_000, plain: true, signal: stopping }
  return shared(now, freshMs, () =>
    watch(request).then(
      () => true,
      (error: unknown) => {
        if (error instanceof FetchError) return false
        throw error
      },
    ),
  )
}

/** Asks servers that answered before whether they still do: where few are watched, their turns come too late to tell. */
export function witnessCall({ watch, stopping, now }: Ground, network: Network): (since: Date) => Promise<void> {
  const call = async (since: Date): Promise<void> => {
    await Promise.all(
      network.witnesses(since, mostWitnesses).map(async ({ server, page }) => {
        const request = { method: 'GET' as const, ...page, maxBytes: 1024, cut: true, timeoutMs: 5_000, signal: stopping }
        try {
          const { addresses } = await watch({ ...request, headers: { 'user-agent': 'ServiceUptime/1.0' } })
          network.note(now(), addresses.toSorted()[0] ?? server, false)
        } catch (error) {
          if (!(error instanceof FetchError)) throw error
          // Its site may be somewhere else by now.
          if (!error.unsent) network.note(now(), error.addresses.toSorted()[0] ?? server, true)
        }
      }),
    )
  }
  return shared(now, freshMs, call)
}

/** One at a time, and the next not before so long. */
function shared<Given extends unknown[], Answer>(now: () => Date, afterMs: number, ask: (...given: Given) => Promise<Answer>) {
  let begun = Number.NEGATIVE_INFINITY
  let last: Promise<Answer> | undefined
  let isOver = true
  return (...given: Given): Promise<Answer> => {
    if (last !== undefined && (!isOver || now().getTime() - begun < afterMs)) return last
    begun = now().getTime()
    isOver = false
    last = ask(...given).finally(() => {
      isOver = true
    })
    // Whoever asks hears of it; nobody does when the service ends meanwhile.
    last.catch(() => undefined)
    return last
  }
}
