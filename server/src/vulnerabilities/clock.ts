import { type FeedWorld, followSetting, refreshFeed } from './refresh.ts'

const everyMs = 60_000

/**
 * Looks each minute whether a source of the feed is due, and then does what follows from what is known. Any number of processes may;
 * each source is read by one.
 */
export function openFeedClock(world: FeedWorld, then: () => Promise<unknown>): { close(): Promise<void> } {
  let passing: Promise<void> | undefined
  const pass = () => {
    passing ??= refreshDue(world)
      .then(async () => void (await then()))
      .catch((error: unknown) => world.log.warn({ err: error }, 'the vulnerability feed could not be looked after'))
      .finally(() => {
        passing = undefined
      })
  }
  pass()
  const timer = setInterval(pass, everyMs)
  return {
    async close() {
      clearInterval(timer)
      await passing
    },
  }
}

async function refreshDue(world: FeedWorld): Promise<void> {
  await followSetting(world)
  for (const { message, ...outcome } of await refreshFeed(world))
    if (outcome.status !== 'failed') world.log.info(outcome, 'the vulnerability feed was looked at')
}
