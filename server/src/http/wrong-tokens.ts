import { hash } from 'node:crypto'
import type { Caller } from '../kernel/context.ts'
import { Problem } from '../kernel/problem.ts'
import { Slots } from '../platform/slots.ts'
import type { Identify } from '../tokens/known.ts'
import { ByAddress } from './address-budget.ts'

/** Different wrong tokens of one address that are answered in a minute. */
const perMinute = 60
/** Tokens of one address that are looked up at a time, and that wait for it. */
const lookUps = { atOnce: 2, waiting: 1000, patienceMs: 5000 }

/** Who an Authorization header says is calling, from this address. */
export type IdentifyFrom = (authorization: string | undefined, address: string) => Caller | undefined | Promise<Caller | undefined>

type Lookup = () => Promise<Caller | undefined>

/** Only what fails is counted and only what fails is refused, so a good token is let in whatever else its address sends. */
export function limitWrongTokens(identify: Identify, now?: () => number): IdentifyFrom {
  const wrong = new ByAddress(() => new Set<string>(), now)
  const slots = new Slots(lookUps.atOnce, lookUps.waiting)
  const waiting = new Map<string, Promise<Caller | undefined>>()
  const lookUpInTurn = async (key: string, address: string, lookUp: Lookup): Promise<Caller | undefined> => {
    const giveBack = await slots.take(address, lookUps.patienceMs)
    waiting.delete(key)
    if (!giveBack) throw tooMany()
    return lookUp().finally(giveBack)
  }
  /** Joins the look-up of the same token that has not begun yet: one that has may have seen it before it was revoked. */
  const join = (authorization: string, address: string, lookUp: Lookup): Promise<Caller | undefined> => {
    const key = `${address} ${authorization}`
    const joined = waiting.get(key) ?? lookUpInTurn(key, address, lookUp)
    waiting.set(key, joined)
    return joined
  }
  /** A wrong token that comes again is not counted again, nor looked up. */
  const note = (authorization: string, address: string): undefined => {
    const seen = wrong.get(address)
    if (seen.size >= perMinute) throw tooMany()
    seen.add(digestOf(authorization))
  }

  return (authorization, address) => {
    if (authorization === undefined || wrong.find(address)?.has(digestOf(authorization))) return undefined
    const found = identify(authorization, (lookUp) => join(authorization, address, lookUp))
    return found instanceof Promise
      ? found.then((caller) => caller ?? note(authorization, address))
      : (found ?? note(authorization, address))
  }
}

const digestOf = (authorization: string) => hash('sha256', authorization, 'base64')

const tooMany = () => new Problem('rate_limited', 'Too many wrong tokens came from this address.', { retryAfter: 60 })
