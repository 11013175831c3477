import type { KnownSite, Need } from './schema.ts'
import { needs } from './schema.ts'

/** A good backup that is older than that is worth a look. */
const oldMs = 8 * 86_400_000

const grave = ['critical', 'high']

/** Of each need whether a site has it; undefined: nobody knows. */
const judges: Record<Need, (site: KnownSite, now: Date) => boolean | undefined> = {
  down: ({ uptime }) =>
    uptime === null || (uptime.state !== 'down' && uptime.app_up !== false && (uptime.state === 'unknown' || uptime.app_was_down))
      ? undefined
      : uptime.state === 'down' || uptime.app_up === false,
  disconnected: ({ status }) =>
    status === 'pending' || status === 'paused' ? undefined : ['unreachable', 'clone_detected', 'disconnected'].includes(status),
  vulnerable: ({ security }) => (security === null ? undefined : grave.includes(security.worst_severity ?? '')),
  backup: ({ last_backup, last_good_backup: good }, now) =>
    last_backup?.status === 'failed' || good === null || now.getTime() - Date.parse(good.completed_at) > oldMs,
  updates: ({ updates_available: known }) => (known === null ? undefined : known.core + known.plugins + known.themes > 0),
}

export interface Judged {
  site: KnownSite
  needs: Need[]
  unknown: Need[]
  /** The higher, the sooner somebody must look: any graver need weighs more than all others together. */
  urgency: number
}

export function judged(site: KnownSite, now: Date): Judged {
  const judgement: Judged = { site, needs: [], unknown: [], urgency: 0 }
  for (const [at, need] of needs.entries()) {
    const answer = judges[need](site, now)
    if (answer === undefined) judgement.unknown.push(need)
    else if (answer) {
      judgement.needs.push(need)
      judgement.urgency += 2 ** (needs.length - at)
    }
  }
  return judgement
}
