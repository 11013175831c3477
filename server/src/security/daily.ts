import type { SiteDuty } from '../kernel/capability.ts'
import { firstTurn, nextRun } from '../kernel/recurrence.ts'
import { systemCall } from '../kernel/system-call.ts'
import { countSites, holdSite } from '../sites/store.ts'
import type { World } from '../world.ts'
import { startDailyCheck } from './service.ts'

const minuteMs = 60_000
/** Spread over the day, so that a fleet is never checked at once. */
const allDay = { at: '00:00', spread_minutes: 1440 }
const by = { type: 'system', id: 'schedule', name: 'Schedule' } as const

/** Each site is checked once a day; a new one soon, but not in the midst of being paired, and one of many at a time of its own. */
export const dailyCheck: SiteDuty<World>['ofSite'] = {
  first: async (here, siteId) => firstTurn(`security ${siteId}`, { soonMs: 2 * minuteMs, sites: await countSites(here) }, here.now()),
  async run(here, siteId) {
    const site = here.config.securityChecks === 'off' ? undefined : await holdSite(here, siteId)
    if (site) await startDailyCheck(systemCall(here, by), site)
    return nextRun(allDay, `security ${siteId}`, here.now())
  },
}
