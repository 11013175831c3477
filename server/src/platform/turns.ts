import type { Turn } from '../kernel/context.ts'
import { Problem } from '../kernel/problem.ts'
import { Slots } from './slots.ts'

/** How many calls of one workspace are under way in one process, by what they do; the others wait for their turn. */
const turnsAtOnce: Record<Turn, number> = { work: 10, wait: 64, download: 8 }
/** More than these do not even wait. */
const mostWaiting = 1000
/** Who may have to wait for a site is patient. */
const usualPatienceMs: Record<Turn, number> = { work: 10_000, wait: 25_000, download: 10_000 }

/** Turns of calls, counted for each workspace: `Kernel.turn`. */
export function openTurns(atOnce = turnsAtOnce, most = mostWaiting, patienceMs = usualPatienceMs) {
  const slots = { work: new Slots(atOnce.work, most), wait: new Slots(atOnce.wait, most), download: new Slots(atOnce.download, most) }
  return async (workspaceId: string, kind: Turn, signal?: AbortSignal): Promise<() => void> => {
    const giveBack = await slots[kind].take(workspaceId, patienceMs[kind], signal)
    if (giveBack) return giveBack
    const message = `${atOnce[kind]} such calls of this workspace are under way already, and others wait. Wait as long as Retry-After says.`
    throw new Problem('rate_limited', message, { retryAfter: 5 })
  }
}
