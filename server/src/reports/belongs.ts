// A draft waits while things change. What in it is no longer for the client nobody is shown, until its figures are made anew.
import type { Client } from '../clients/schema.ts'
import { Problem } from '../kernel/problem.ts'
import type { Db } from '../world.ts'
import type { Facts } from './facts.ts'
import { listSiteIdsOf, stillShown } from './facts-store.ts'

/** What in these figures is no longer for this client, in sentences; none: all of it may be shown. */
export async function strayIn(context: Db, client: Client, { sites, work }: Facts): Promise<string[]> {
  const own = new Set(await listSiteIdsOf(context, client.name))
  const given = sites.filter(({ id }) => !own.has(id)).map(({ id }) => id)
  const entries = work.map(({ id }) => id)
  const shown = await stillShown(context, entries)
  return [
    ...(given.length > 0 ? [`It tells of sites that are no longer of this client: ${given.join(', ')}.`] : []),
    ...(entries.some((id) => !shown.has(id)) ? ['An entry in it is no longer for clients.'] : []),
    ...(!client.shows_names && work.some(({ by }) => by !== null)
      ? ['It says who did the work, which this client is no longer told.']
      : []),
  ]
}

/** Throws `conflict` while anything in it is not for the client. */
export async function mustBelong(context: Db, client: Client, facts: Facts): Promise<void> {
  const stray = await strayIn(context, client, facts)
  if (stray.length === 0) return
  const message = `${stray.join(' ')} reports.refresh (POST /reports/{report_id}/refresh) makes its figures anew.`
  throw new Problem('conflict', message, { retryable: false })
}
