import { Slots } from './slots.ts'

/** How many requests at a time: of one party at one address, of one party, of all at one address, and of all. */
export interface OutboundLimits {
  perAddress: number
  perParty: number
  together: number
  inAll: number
}

/** Turns of requests. A party that asks slow servers uses up its own; undefined when none was free in time. */
export function openOutboundTurns({ perAddress, perParty, together, inAll }: OutboundLimits) {
  const limits = { own: new Slots(perParty), ownThere: new Slots(perAddress), there: new Slots(together), all: new Slots(inAll) }
  return async (party: string, address: string, waitMs: number): Promise<(() => void) | undefined> => {
    const taken: (() => void)[] = []
    const giveBack = () => {
      for (const each of taken) each()
    }
    // What is a party's own comes first, so that whoever waits there holds nothing that others could use.
    for (const [slots, key] of [
      [limits.own, party],
      [limits.ownThere, `${address} ${party}`],
      [limits.there, address],
      [limits.all, ''],
    ] as const) {
      const one = await slots.take(key, waitMs)
      if (one) {
        taken.push(one)
        continue
      }
      giveBack()
      return undefined
    }
    return giveBack
  }
}
