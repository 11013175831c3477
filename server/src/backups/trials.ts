import type { SiteDuty } from '../kernel/capability.ts'
import { dateOf, nextOfDays } from '../kernel/recurrence.ts'
import { systemCall } from '../kernel/system-call.ts'
import { holdSite } from '../sites/store.ts'
import type { World } from '../world.ts'
import { startVerify } from './service.ts'
import { listUntried } from './watch-store.ts'

/** Each site's latest backup is tried out once in so many days. */
const days = 28
const soonMs = 86_400_000
const by = { type: 'system', id: 'schedule', name: 'Schedule' } as const

/** Tries out the latest backup with files and the latest with a database, often the same. */
export const trial: SiteDuty<World>['ofSite'] = {
  first: async (here, siteId) => nextOfDays(days, siteId, here.now()),
  async run(here, siteId) {
    const now = here.now()
    const since = dateOf(now.getTime() - (days - 1) * soonMs)
    if (!(await holdSite(here, siteId))) return dateOf(now.getTime() + soonMs)
    const { found, untried } = await listUntried(here, siteId, since)
    for (const id of untried) await startVerify(systemCall(here, by), siteId, id)
    return found ? nextOfDays(days, siteId, now) : dateOf(now.getTime() + soonMs)
  },
}
