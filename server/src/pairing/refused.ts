// Why a site is not paired: it is told to the site, kept with the code, and shown to whoever made that.
import { Problem } from '../kernel/problem.ts'
import type { EnrolRequest, RefusalReason } from './schema.ts'
import { type Code, writeRefusal } from './store.ts'

const anew = 'in the dashboard, in the settings of that site, under Pair anew, or by npm run -s admin -- site code --workspace W --site'

/** With what the site is told. Of the code itself it learns nothing, whatever is wrong with it. */
export class Refused extends Problem {
  readonly reason: RefusalReason
  /** The site of the workspace that stands in the way. */
  readonly siteId: string | null
  constructor(reason: RefusalReason, message?: string, siteId: string | null = null) {
    super(message === undefined ? 'not_found' : 'conflict', message ?? unusable, { retryable: false })
    this.reason = reason
    this.siteId = siteId
  }
}

const unusable = 'This code is unknown, used, expired or for another site. Make a new one in the service and paste it within 15 minutes.'

export const forbidden = (url: string, never: string) =>
  new Refused(
    'forbidden_address',
    `This site cannot be paired, because the service would never reach it at ${url}. ${never} Pair it at an address that the service can reach.`,
  )

export const knownSite = (id: string) =>
  new Refused('known_site', `This address is a site of the workspace already. Make a code for it ${anew} SITE`, id)

export const similarSite = ({ id, domain, host }: { id: string; domain: string; host: string }) =>
  new Refused(
    'similar_site',
    `This looks like the site ${domain} of the workspace. If it is, make a code for it ${anew} ${id} --host ${host}. If it is another, make a code with --host alone.`,
    id,
  )

export const otherAddress = (id: string) =>
  new Refused(
    'other_address',
    `This code is for a site at another address. If it has moved here, make a code that says so ${anew} SITE --host HOST`,
    id,
  )

export const addressTaken = (id: string) =>
  new Refused('address_taken', 'Another site of the workspace has this address. Remove that one first.', id)

/** What makes a code useless to this site; undefined: nothing. */
export function uselessBecause(code: Code, { url }: EnrolRequest, { now, mostTries }: { now: Date; mostTries: number }) {
  const { host, hostname } = new URL(url)
  if (code.used_at !== null) return new Refused('used')
  if (code.expires_at <= now) return new Refused('ended')
  if (code.tries >= mostTries) return new Refused('wrong_proof')
  return code.host === null || code.host === host || code.host === hostname ? undefined : new Refused('other_host')
}

/** Keeps it with the code. */
export const tellMaker = (db: Parameters<typeof writeRefusal>[0], code: Code, { refused, url, now }: Refusal): Promise<void> => {
  const { reason, message, siteId: site_id } = refused
  return writeRefusal(db, code, { reason, message, url, site_id, at: now.toISOString() })
}

interface Refusal {
  refused: Refused
  url: string
  now: Date
}
