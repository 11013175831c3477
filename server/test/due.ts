import { duties } from '../src/capabilities.ts'
import { perform } from '../src/platform/clock.ts'
import type { World } from '../src/world.ts'

/** One pass over everything that is due, as the clock does it. */
export async function runDue(world: World): Promise<void> {
  for (const duty of duties) await perform(world, duty)
}
