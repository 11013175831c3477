// One check of one site: as many tries as it takes to be sure.
import { setTimeout as sleep } from 'node:timers/promises'
import type { GuardedFetch } from '../platform/guarded-fetch.ts'
import { fetchWith, headersFor, opened } from '../sites/access.ts'
import { isUnpaired } from '../sites/talk.ts'
import type { Here, World } from '../world.ts'
import { type AppLook, lookAtApp } from './app.ts'
import type { Network } from './network.ts'
import { type Look, lookAt } from './probe.ts'
import type { Due } from './sweep-store.ts'

/** Before a site that was up is called down it is asked again after so long. */
export const usualPausesMs: readonly number[] = [2_000, 5_000]
const appEveryMs = 5 * 60_000

export interface Watching {
  world: World
  network: Network
  pausesMs: readonly number[]
}

/** What a check found; `failedAt`: when the first try failed. */
export interface Outcome {
  due: Due
  at: Date
  failedAt: Date | null
  look: Look
  app: AppLook | null
}

export async function checkSite({ world, network, pausesMs }: Watching, due: Due): Promise<Outcome> {
  const { now, stopping: signal } = world
  const watch: GuardedFetch = (request) => world.watch({ ...request, party: due.workspace_id })
  const here = { ...world, workspaceId: due.workspace_id, wire: { fetch: watch, now } }
  const fetch = await letIn(here, watch, due)
  let failedAt: Date | null = null
  for (let tries = 0; ; tries++) {
    const at = now()
    const look = await lookAt(fetch, due, signal)
    // What was given up because the service ends is no failure.
    signal.throwIfAborted()
    if (tries === 0 && !look.unsent) network.note(at, serverOf(look, due), look.error !== null)
    if (look.error === null) {
      const app = isAppDue(due, at) ? await lookAtApp(here, { id: due.site_id, url: due.url }, fetch, signal) : null
      return { due, at, failedAt: null, look, app }
    }
    failedAt ??= at
    const pause = pausesMs[tries]
    if (!(due.up ?? due.interrupted) || pause === undefined) return { due, at, failedAt, look, app: null }
    await sleep(pause, undefined, { signal })
  }
}

/** With what stands in front of the site to let us through. */
async function letIn(here: Here, fetch: GuardedFetch, { site_id, url, home, sealed_access }: Due): Promise<GuardedFetch> {
  return sealed_access === null ? fetch : fetchWith(fetch, { url, home }, headersFor(await opened(here, site_id, sealed_access)))
}

const isAppDue = ({ status, app_checked_at }: Due, at: Date) =>
  !isUnpaired(status) && (app_checked_at === null || at.getTime() - app_checked_at.getTime() >= appEveryMs)

/** The one that was asked, or was the last time; a host without either stands for itself. */
const serverOf = ({ address }: Look, { addresses, home }: Due): string => address ?? Object.keys(addresses ?? {})[0] ?? new URL(home).host
