// One check of one site: as many tries as it takes to be sure.
import { setTimeout as sleep } from 'node:timers/promises'
import type { GuardedFetch } from '../platform/guarded-fetch.ts'
import { Line } from '../platform/line.ts'
import { fetchWith, headersFor, opened } from '../sites/access.ts'
import type { SiteSecrets } from '../sites/schema.ts'
import { isUnpaired } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import type { Ailing } from './ailing.ts'
import { type AppLook, lookAtApp } from './app.ts'
import type { Network } from './network.ts'
import { type ProbeResult, probe } from './probe.ts'
import type { Due } from './sweep-store.ts'

/** Before a site that was up is called down it is asked again after so long. */
export const usualPausesMs: readonly number[] = [2_000, 5_000]

/** Who fails for so long has not only stumbled. */
const stumbleMs = 2_000

export interface Watching {
  world: World
  network: Network
  ailing: Ailing
  pausesMs: readonly number[]
  /** Whether what the operator named answers now. */
  probe: () => Promise<boolean | null>
  /** Has other servers asked, unless they were since then. */
  callWitnesses: (since: Date) => Promise<void>
}

/** What a check found; `failedAt`: when the first try failed; `answers`: whether what the operator named did after each that failed. */
export interface Outcome {
  due: Due
  at: Date
  failedAt: Date | null
  answers: boolean | null
  probed: ProbeResult
  app: AppLook | null
}

/** What is a failure only when the next tries fail too. */
export const wasUp = ({ up, interrupted }: Due): boolean => up ?? interrupted

export async function checkSite(watching: Watching, due: Due): Promise<Outcome> {
  if (!due.secrets || isUnpaired(due.status)) return check(watching, due)
  // WordPress is asked over the connection over which the page came.
  const line = new Line()
  try {
    return await check(watching, due, { line, secrets: due.secrets })
  } finally {
    line.end()
  }
}

/** `inside`: WordPress itself is asked too. */
async function check(watching: Watching, due: Due, inside?: { line: Line; secrets: SiteSecrets }): Promise<Outcome> {
  const { world, network, pausesMs } = watching
  const { now, stopping: signal } = world
  const own = { party: due.workspace_id, ...(inside && { line: inside.line }) }
  const watch: GuardedFetch = (request) => world.watch({ ...request, ...own })
  const here = { ...world, workspaceId: due.workspace_id, wire: { fetch: watch, now } }
  const fetch = await letIn(here, watch, due)
  const proofs: Promise<boolean | null>[] = []
  const witnesses: Promise<void>[] = []
  let failedAt: Date | null = null
  for (let tries = 0; ; tries++) {
    const at = now()
    const probed = await probe(fetch, due, signal)
    // What was given up because the service ends is no failure.
    signal.throwIfAborted()
    if (probed.error === null) {
      network.note(at, serverOf(probed, due), false, { url: due.home, party: due.workspace_id })
      watching.ailing.answered(serverOf(probed, due))
      const app = inside ? await lookAtApp(here, { ...due, secrets: inside.secrets }, fetch, signal) : null
      return { due, at, failedAt: null, answers: null, probed, app }
    }
    failedAt ??= at
    // Our own network is proven when something fails, and not when that is written down.
    proofs.push(watching.probe())
    const pause = pausesMs[tries]
    const isLast = !wasUp(due) || pause === undefined
    if (!probed.unsent && wasUp(due)) {
      if (tries === 0) network.note(at, serverOf(probed, due), true)
      if (!isLast) witnesses.push(watching.callWitnesses(failedAt))
      const lasted = tries > 0 || now().getTime() - at.getTime() >= stumbleMs
      if (lasted && !due.in_window) watching.ailing.note(serverOf(probed, due), failedAt)
    }
    if (isLast) {
      const [proven] = await Promise.all([Promise.all(proofs), ...witnesses])
      return { due, at, failedAt, answers: allOf(proven), probed, app: null }
    }
    await sleep(pause, undefined, { signal })
  }
}

const allOf = (proven: readonly (boolean | null)[]): boolean | null =>
  proven.includes(false) ? false : proven.includes(null) ? null : true

/** With what stands in front of the site to let us through. */
async function letIn(here: Here, fetch: GuardedFetch, { site_id, url, home, sealed_access }: Due): Promise<GuardedFetch> {
  return sealed_access === null ? fetch : fetchWith(fetch, { url, home }, headersFor(await opened(here, site_id, sealed_access)))
}

/** The first of its addresses, however DNS turns them, or of those it had; a host without either stands for itself. */
export const serverOf = (
  { addresses: [first] }: Pick<ProbeResult, 'addresses'>,
  { addresses, home }: Pick<Due, 'addresses' | 'home'>,
): string => first ?? Object.keys(addresses ?? {}).sort()[0] ?? new URL(home).host
