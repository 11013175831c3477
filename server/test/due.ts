import { duties } from '../src/capabilities.ts'
import { perform } from '../src/platform/clock.ts'
import type { World } from '../src/world.ts'

/** One pass over everything that is due, as the clock does it; `only`: one duty, of a test that planted what another would take. */
export async function runDue(world: World, only?: string): Promise<void> {
  const wanted = duties.filter(({ name }) => only === undefined || name === only)
  if (wanted.length === 0) throw new Error(`There is no duty ${only}.`)
  for (const duty of wanted) await perform(world, duty)
}
