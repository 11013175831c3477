// How sites are watched, all of them or one, and when failures are meant.
import { logEvent } from '../activity/service.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import { forgetTurns } from '../platform/clock-store.ts'
import type { Context } from '../world.ts'
import { type SettingsChange, usualSettings } from './schema.ts'
import {
  announceWatch,
  endAtPause,
  endWindow,
  findSettings,
  type Given,
  insertWindow,
  listWindows,
  writeSettings,
} from './settings-store.ts'

const dayMs = 86_400_000

const nothing: Given = {
  enabled: null,
  interval_s: null,
  path: null,
  statuses: null,
  text_wanted: null,
  text_refused: null,
  recovery_s: null,
}

/** What holds for a site, or with null for sites that say nothing themselves. */
export async function readSettings(context: Context, siteId: string | null) {
  const [own, house] = await Promise.all([siteId === null ? undefined : findSettings(context, siteId), findSettings(context, null)])
  const given = (from: Given | undefined) => Object.fromEntries(Object.entries(from ?? {}).filter(([, value]) => value !== null))
  const windows = await listWindows(context, siteId, context.now())
  return {
    ...usualSettings,
    ...given(house),
    ...given(own),
    own: Object.keys(given(siteId === null ? house : own)),
    windows: windows.map(windowOf),
  }
}

export async function changeSettings(context: Context, siteId: string | null, change: SettingsChange) {
  const before = (await findSettings(context, siteId)) ?? nothing
  const changes = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const after: Given = { ...before, ...changes }
  await writeSettings(context, siteId, after)
  // Otherwise a longer interval of before would be waited out first.
  if (after.interval_s !== before.interval_s) await forgetTurns(context, 'uptime', siteId)
  const ended = await endAtPause(context, siteId, context.now())
  if (after.enabled !== before.enabled) await announceWatch(context, siteId)
  if (after.enabled === false && before.enabled !== false) {
    const summary = ended === 0 ? 'Uptime checks were paused' : 'Uptime checks were paused, and what was not well then is no longer counted'
    await logEvent(context, { siteId, category: 'other', summary, by: asker(context), internal: true })
  }
  return readSettings(context, siteId)
}

const windowOf = <Row extends { starts_at: Date; ends_at: Date }>({ starts_at, ends_at, ...window }: Row) => ({
  ...window,
  starts_at: starts_at.toISOString(),
  ends_at: ends_at.toISOString(),
})

const longestMs = 30 * dayMs

/** Failures within it are meant. It begins now where nothing else is said. */
export async function addWindow(
  context: Context,
  siteId: string | null,
  { starts_at, ends_at, reason }: { starts_at?: Date | undefined; ends_at: Date; reason: string },
) {
  const now = context.now()
  const window = { starts: starts_at ?? now, ends: ends_at }
  const wrong = (message: string) => wrongField('ends_at', message)
  if (window.ends <= now || window.ends <= window.starts) throw wrong('Must be in the future, and after starts_at.')
  if (window.ends.getTime() - window.starts.getTime() > longestMs) throw wrong('At most 30 days after starts_at.')
  const row = {
    id: newId('window', now),
    site_id: siteId,
    starts_at: window.starts,
    ends_at: window.ends,
    reason,
    requested_by: asker(context),
  }
  await insertWindow(context, row)
  return windowOf(row)
}

export async function closeWindow(context: Context, id: string) {
  if (!(await endWindow(context, id, context.now())))
    throw new Problem(
      'not_found',
      'There is no such window in this workspace. uptime.get_default (GET /uptime/settings) shows those there are.',
    )
  return { id, ended: true }
}
