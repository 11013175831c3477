// What is known of one item while it is updated, and stays so when another attempt goes on with it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Running } from '../kernel/job.ts'
import type { Why } from '../kernel/site-said.ts'
import type { Here } from '../world.ts'
import type { Sight, Standard } from './look.ts'
import type { Taken } from './pictures.ts'
import type { Health, ItemResult, Updatable } from './schema.ts'
import type { UpdateSite } from './site.ts'

/** What an attempt leaves for the next one. */
export interface Begun {
  standard: Standard
  before: Health
  startedMs: number
  alone: string
  pictures?: Taken
  /** It was tried before it was installed, and all was well. */
  passed?: boolean
  /** The site could note the options without which it is another one. */
  noted?: boolean
  /** Set before the site is told to take it back. */
  back?: Back
  /** Set before the site is told to keep or forget: from here on it is only told. */
  ended?: Ended
}
/** Why it is taken back; `unjudged`: for something else than what the version did. */
export interface Back {
  why: Why
  status: 'failed' | 'rolled_back' | 'skipped'
  unjudged: boolean
  /** The pages that took long, where that was all that was wrong; there may be none, where only the site's own word took long. */
  late?: readonly Sight[] | null
}
/**
 * `cause`: why it was taken back, where that did not heal the site; `unmended`: what the site says it could not put back; `to_version`: what runs
 * there, where it is not the version on offer; `busy`: it was taken back because answers took long, as they did when it was back.
 */
export type Ended = Pick<ItemResult, 'status' | 'reason' | 'site_said'> & {
  after: Health | null
  cause?: string
  unjudged?: boolean
  unmended?: string
  to_version?: string
  busy?: true
}
/** What the steps of one item share. */
export interface Item {
  here: Here
  site: UpdateSite
  job: Pick<Running, 'id' | 'fence' | 'signal'>
  item: Updatable
  /** The version on offer. */
  version: string
  begun: Begun | undefined
  /** Writes `begun` down. */
  save(begun: Begun): Promise<void>
  phase(name: string): Promise<void>
}

export const budgetMs = 4_000
const askAgainMs = 1_000

/** The reason of an item; null where there is nothing to tell. */
export const asReason = (why: Why | null) => ({ reason: why?.message ?? null, site_said: why?.siteSaid ?? null })

export const claimOf = ({ job }: Item) => ({ job: job.id, fence: job.fence })

export const pause = ({ job }: Item) => sleep(askAgainMs, undefined, { signal: job.signal })
