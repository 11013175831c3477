// How many backups are kept. To keep fewer is for an owner, and takes effect a day after it was said.
import type { DatedDb } from '../world.ts'
import { type Keep, type Kept, keptFields } from './schema.ts'
import { findKeptBefore, writeKeptBefore } from './store.ts'

/** So long what was kept before still is. */
const lowerAfterMs = 24 * 3_600_000

export const everything: Kept = { keep_daily: null, keep_weekly: null, keep_monthly: null }
const usual = { keep_daily: 7, keep_weekly: 5, keep_monthly: 12 }

const perField = (of: (field: keyof Kept) => number | null) =>
  Object.fromEntries(keptFields.map((field) => [field, of(field)])) as unknown as Kept

/** Once a number is given the others are, too. */
export function completed<Policy extends Kept>(policy: Policy): Policy {
  return keptFields.every((field) => policy[field] === null) ? policy : { ...policy, ...perField((field) => policy[field] ?? usual[field]) }
}

/** Whether something would be deleted sooner. */
export const isLower = (before: Kept, after: Kept): boolean =>
  keptFields.some((field) => (after[field] ?? Number.POSITIVE_INFINITY) < (before[field] ?? Number.POSITIVE_INFINITY))

const more = (one: Kept, other: Kept): Kept =>
  perField((field) => (one[field] === null || other[field] === null ? null : Math.max(one[field] ?? 0, other[field] ?? 0)))

/** What was kept before and still is; null: nothing was lowered within a day. */
export async function keptBefore(here: DatedDb, siteId: string | null): Promise<(Kept & { until: Date }) | null> {
  const held = await findKeptBefore(here, siteId, here.now())
  return held.reduce<(Kept & { until: Date }) | null>(
    (all, one) => (all ? { ...more(all, one), until: all.until > one.until ? all.until : one.until } : one),
    null,
  )
}

/** Keeps for another day what was kept until now. */
export async function lower(here: DatedDb, siteId: string | null, before: Kept): Promise<void> {
  const held = await keptBefore(here, siteId)
  const until = new Date(here.now().getTime() + lowerAfterMs)
  await writeKeptBefore(here, siteId, { ...(held ? more(held, before) : before), until })
}

/** The numbers to delete by now; null: all are kept. */
export function keepNow(policy: Kept | undefined, before: Kept | null): Keep | null {
  const { keep_daily: daily, keep_weekly: weekly, keep_monthly: monthly } = policy ? (before ? more(policy, before) : policy) : everything
  return daily === null || weekly === null || monthly === null ? null : { daily, weekly, monthly }
}
