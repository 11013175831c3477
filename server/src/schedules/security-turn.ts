import { startDailyCheck } from '../security/service.ts'
import type { Here } from '../world.ts'
import { dateOf, nextRun } from './slots.ts'
import { findWaitingSite } from './store.ts'
import { asSchedule } from './system.ts'

const minuteMs = 60_000
/** Spread over the day, so that a fleet is never checked at once. */
const allDay = { at: '00:00', spread_minutes: 1440 }

/** A new site is looked at soon, but not in the midst of being paired. */
export async function firstSecurityTurn(here: Here, _siteId: string): Promise<Date> {
  return dateOf(here.now().getTime() + 2 * minuteMs)
}

export async function runSecurityTurn(here: Here, siteId: string): Promise<Date> {
  const site = here.config.securityChecks === 'off' ? undefined : await findWaitingSite(here, siteId)
  if (site) await startDailyCheck(asSchedule(here), site)
  return nextRun(allDay, `security ${siteId}`, here.now())
}
