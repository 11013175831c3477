import type { Turn } from '../kernel/context.ts'
import { Problem } from '../kernel/problem.ts'
import { type Pace, Slots } from './slots.ts'

/** How many calls of one workspace are under way in one process, by what they do; the others wait for their turn. */
const turnsAtOnce: Record<Turn, number> = { work: 10, wait: 64, download: 8 }
/** More than these do not even wait. */
const mostWaiting = 1000
/** Who may have to wait for a site is patient. */
const usualPatienceMs: Record<Turn, number> = { work: 10_000, wait: 25_000, download: 10_000 }
/** A workspace is there so long after its last call. */
const thereMs = 1_000
/** A call under way for longer mostly waits: for a lock, for a site, for whoever reads the file. */
const quickMs: Record<Turn, number> = { work: 100, wait: 25, download: 25 }

/** Turns of calls, counted for each workspace: `Kernel.turn`. */
export function openTurns(atOnce = turnsAtOnce, most = mostWaiting, patienceMs = usualPatienceMs, now = () => performance.now()) {
  const company = new Company(now)
  const slotsFor = (kind: Turn) => new Slots(amongOthers(company, atOnce[kind], quickMs[kind]), most, now)
  const slots = { work: slotsFor('work'), wait: slotsFor('wait'), download: slotsFor('download') }
  const waited = async (kind: Turn, slot: Promise<(() => void) | undefined>): Promise<() => void> => {
    const giveBack = await slot
    if (giveBack) return giveBack
    const message = `${atOnce[kind]} such calls of this workspace are under way already, and others wait.`
    throw new Problem('rate_limited', message, { retryAfter: 5 })
  }
  return (workspaceId: string, kind: Turn, signal?: AbortSignal): (() => void) | Promise<() => void> => {
    company.met(workspaceId)
    const slot = slots[kind].take(workspaceId, patienceMs[kind], signal)
    return slot instanceof Promise ? waited(kind, slot) : slot
  }
}

/**
 * Alone a workspace has all its turns. Beside others one call follows the other, with a rest as long as it took while more of them
 * wait: that leaves others more than half of what there is. A call that is not quick holds nobody up.
 */
function amongOthers(company: Company, atOnce: number, quickMs: number): Pace {
  return {
    untilNext(workspaceId, began, now) {
      if (began.length >= atOnce) return Number.POSITIVE_INFINITY
      const quick = began.find((at) => now - at < quickMs)
      return quick !== undefined && company.of(workspaceId) ? quickMs - (now - quick) : 0
    },
    restAfter: (workspaceId, heldMs) => (company.of(workspaceId) && heldMs < quickMs ? heldMs : 0),
  }
}

/** Who called last, and who last before that: enough to know whether somebody is not alone. */
class Company {
  readonly #now: () => number
  #last = { workspaceId: '', at: Number.NEGATIVE_INFINITY }
  #other = this.#last

  constructor(now: () => number) {
    this.#now = now
  }

  met(workspaceId: string): void {
    if (workspaceId !== this.#last.workspaceId) this.#other = this.#last
    this.#last = { workspaceId, at: this.#now() }
  }

  of(workspaceId: string): boolean {
    const { at } = workspaceId === this.#last.workspaceId ? this.#other : this.#last
    return this.#now() - at < thereMs
  }
}
