import { startVerify } from '../backups/service.ts'
import type { Here } from '../world.ts'
import { dateOf, nextOfDays } from './slots.ts'
import { findWaitingSite, listUntried } from './store.ts'
import { asSchedule } from './system.ts'

/** Each site's latest backup is tried out once in so many days. */
const days = 28
const soonMs = 86_400_000

export const firstTrialTurn = async (here: Here, siteId: string): Promise<Date> => nextOfDays(days, siteId, here.now())

/** Tries out the latest backup with files and the latest with a database, often the same; answers when the next turn is. */
export async function runTrialTurn(here: Here, siteId: string): Promise<Date> {
  const now = here.now()
  const since = dateOf(now.getTime() - (days - 1) * soonMs)
  if (!(await findWaitingSite(here, siteId))) return dateOf(now.getTime() + soonMs)
  const { found, untried } = await listUntried(here, siteId, since)
  for (const id of untried) await startVerify(asSchedule(here), siteId, id)
  return found ? nextOfDays(days, siteId, now) : dateOf(now.getTime() + soonMs)
}
