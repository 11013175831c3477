// Updates that begin by themselves: at their hour everything that waits and that the rules let through, in waves.
import { logEvent } from '../activity/service.ts'
import { Problem } from '../kernel/problem.ts'
import { dateOf } from '../kernel/recurrence.ts'
import { systemCall } from '../kernel/system-call.ts'
import type { Context, World } from '../world.ts'
import { planRollout } from './plan.ts'
import { RolloutInput } from './schema.ts'
import { startUpdates } from './service.ts'
import { findRollout } from './store.ts'
import { claimWindow, moveWindow, type Window } from './windows-store.ts'

const minuteMs = 60_000
const dayMs = 1440 * minuteMs
/** What could not begin for so long after its hour waits for the next one: nobody expects it by day. */
const lateMs = 2 * 60 * minuteMs
const by = { type: 'system', id: 'update-window', name: 'Update window' } as const

/** The next time after a moment. */
export function nextWindow({ at, weekday }: Pick<Window, 'at' | 'weekday'>, after: Date): Date {
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  let next = Math.floor(after.getTime() / dayMs) * dayMs + (hours * 60 + minutes) * minuteMs
  while (next <= after.getTime() || (weekday !== null && new Date(next).getUTCDay() !== weekday)) next += dayMs
  return dateOf(next)
}

/** Begins each window whose hour has come, once, in whatever process. */
export async function openWindows(world: World): Promise<void> {
  for (let more = true; more && !world.stopping.aborted; )
    more = await world.db.transaction().execute(async (db) => {
      const window = await claimWindow(db, world.now())
      if (!window) return false
      const context = systemCall({ ...world, db, workspaceId: window.workspace_id }, by)
      const next = nextWindow(window, world.now())
      await moveWindow(context, window.id, { next, ...(await begin(context, window)) })
      world.changed(window.workspace_id, context.touched)
      return true
    })
}

type Begun = { rolloutId?: string; reason: string | null }

async function begin(context: Context, window: Window): Promise<Begun> {
  if (context.now().getTime() - new Date(window.next_at).getTime() > lateMs) return { reason: 'The service was not there at its hour.' }
  const before = window.last_rollout_id === null ? undefined : await findRollout(context, window.last_rollout_id)
  if (before?.status === 'running' || before?.status === 'stopping') return { reason: 'The one before was still under way.' }
  try {
    const input = inputOf(window)
    const { sites } = await planRollout(context, input)
    const going = sites.filter(({ wave, items }) => wave !== null && (items === null || items.some(({ reason }) => reason === null)))
    if (going.length === 0) return { reason: 'Nothing waited that the rules let through.' }
    const site_ids = going.map(({ site_id }) => site_id)
    const { rollout_id } = await startUpdates(context, { ...inputOf({ ...window, tag: null }), every_site: false, site_ids })
    return { ...(rollout_id && { rolloutId: rollout_id }), reason: null }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    await logEvent(context, {
      siteId: null,
      category: 'update',
      summary: 'An update window could not begin',
      notes: error.message,
      by,
      internal: true,
    })
    return { reason: error.message }
  }
}

const inputOf = ({ tag, first_wave, wave_size, stop_above_percent }: Window): RolloutInput =>
  RolloutInput.parse({ ...(tag === null ? { every_site: true } : { tag }), first_wave, wave_size, stop_above_percent })
