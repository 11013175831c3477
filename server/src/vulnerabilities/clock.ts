import { type Repeated, repeat } from '../platform/repeat.ts'
import { type FeedWorld, followSetting, refreshFeed } from './refresh.ts'

/**
 * Looks each minute whether a source of the feed is due, and then does what follows from what is known. Any number of processes may;
 * each source is read by one.
 */
export function openFeedClock(world: FeedWorld, then: () => Promise<unknown>): Repeated {
  const clock = repeat(world.log, { everyMs: 60_000, trouble: 'the vulnerability feed could not be looked after' }, async () => {
    await refreshDue(world)
    await then()
  })
  void clock.pass()
  return clock
}

async function refreshDue(world: FeedWorld): Promise<void> {
  await followSetting(world)
  for (const { message, ...outcome } of await refreshFeed(world))
    if (outcome.status !== 'failed') world.log.info(outcome, 'the vulnerability feed was looked at')
}
