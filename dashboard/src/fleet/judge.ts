// What a site in a list comes to: in words, and how soon somebody must look.
import type { Item } from '../api.ts'
import { t } from '../text.ts'
import type { Tone } from '../ui/parts.tsx'
import { amid, inFull, plainly } from '../words.ts'

export type Site = Item<'sites.list'>

export interface Verdict {
  tone: Tone
  words: string
  why?: string | undefined
}

export function connectionOf({ status, connection }: Pick<Site, 'status' | 'connection'>): Verdict {
  const error = connection.last_error?.message
  switch (status) {
    case 'connected':
      return { tone: 'good', words: t('Connected') }
    case 'pending':
      return { tone: 'unknown', words: t('Pairing'), why: error ?? t('It has not answered for the first time yet.') }
    case 'unreachable':
      return { tone: 'bad', words: t('Unreachable'), why: error }
    case 'clone_detected':
      return { tone: 'bad', words: t('Copy found'), why: error ?? t('Another installation answers with this site’s key.') }
    case 'disconnected':
      return { tone: 'bad', words: t('Disconnected'), why: error ?? t('Its connection was ended there. Pair it anew.') }
    default:
      return { tone: 'unknown', words: t('Paused') }
  }
}

/** Of a site that was up, while the network of the service may be in trouble. */
export const inDoubt = (since: string) =>
  t('It was up. Since {when} it does not answer, and that may be the network of this service.', { when: inFull(since) })

export function uptimeOf({ uptime }: Pick<Site, 'uptime'>): Verdict {
  if (uptime?.unproven_since) return { tone: 'unknown', words: t('Not known'), why: inDoubt(uptime.unproven_since) }
  if (!uptime || uptime.state === 'unknown')
    return { tone: 'unknown', words: t('Not known'), why: t('Nobody has looked yet whether its pages answer, or its watching is paused.') }
  if (uptime.state === 'down') return { tone: 'bad', words: t('Down') }
  if (uptime.app_up === false) return { tone: 'bad', words: t('App down'), why: t('The page answers, WordPress behind it does not.') }
  if (uptime.app_was_down)
    return {
      tone: 'warn',
      words: t('Pages up'),
      why: t('WordPress behind them failed when it was last seen; since then only a cache answered.'),
    }
  return { tone: 'good', words: t('Up') }
}

export function securityOf({ security }: Pick<Site, 'security'>): Verdict {
  if (!security) return { tone: 'unknown', words: t('Not checked'), why: t('Its security was never checked.') }
  if (security.score === null && security.open === 0)
    return { tone: 'unknown', words: t('Checked in part'), why: t('Not everything was looked at yet.') }
  if (security.open === 0) return { tone: 'good', words: t('Nothing found') }
  const grave = security.worst_severity === 'critical' || security.worst_severity === 'high'
  return {
    tone: grave ? 'bad' : 'warn',
    words: t('{open} open', { open: security.open }),
    why: t('The worst is {worst_severity}; score {score}.', {
      worst_severity: security.worst_severity ? amid(plainly(security.worst_severity)) : t('unknown'),
      score: security.score ?? t('not known yet'),
    }),
  }
}

/** Of a site whose updates nobody knows. */
export const offersUnread = t('Nobody has read yet which updates are offered to it.')
export const updatesOf = ({ updates_available: known }: Site) => (known ? known.core + known.plugins + known.themes : null)

const dayMs = 86_400_000
/** Backups older than this are worth a look. */
const oldDays = 8

export function backupOf({ last_backup: last, last_good_backup: good }: Site): Verdict {
  if (last?.status === 'failed')
    return { tone: 'bad', words: t('Failed'), why: good ? t('The last good one is older.') : t('There is no good one.') }
  if (!good) return { tone: 'warn', words: t('None'), why: t('No backup of it was ever completed here.') }
  if (Date.now() - Date.parse(good.completed_at) > oldDays * dayMs) return { tone: 'warn', words: t('Old') }
  return { tone: 'good', words: t('Fresh') }
}

/** Why somebody must look at a site, the gravest first; what nobody knows is no need. The service judges. */
export const needs = {
  down: { label: t('Down'), tone: 'bad' },
  disconnected: { label: t('Not connected'), tone: 'bad' },
  vulnerable: { label: t('Grave findings'), tone: 'bad' },
  backup: { label: t('Backup missing'), tone: 'warn' },
  updates: { label: t('Updates waiting'), tone: 'warn' },
} as const satisfies Record<Item<'fleet.list'>['needs'][number], { label: string; tone: Tone }>
export type Need = keyof typeof needs
