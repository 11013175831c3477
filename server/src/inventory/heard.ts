import type { Inventory } from './schema.ts'

type Heard = Pick<Inventory, 'updates_checked_at' | 'collected_at'>

/** A site that was asked to ask now, and got an answer, has one from then. */
const freshMs = 60_000

/** What is to be said of offers that are not of now; null: they are. */
export const unheard = ({ updates_checked_at: heard, collected_at: now }: Heard): string | null =>
  heard !== null && Date.parse(now) - Date.parse(heard) <= freshMs ? null : unheardSince(heard)

export const unheardSince = (heard: string | null) =>
  `The site got no answer when it asked what is on offer, so what is new ${heard === null ? '' : `since ${heard} `}is unknown; ask again later.`
