// A figure that moved with the sample just taken: what somebody changed is looked for now, and not with the next look at what is installed.
import { collectInventory } from '../inventory/service.ts'
import { Problem } from '../kernel/problem.ts'
import type { Site } from '../sites/schema.ts'
import type { Here } from '../world.ts'
import type { Metric } from './schema.ts'
import { movedOf } from './trend.ts'

/** `samples`: oldest first, the last one just taken. A site that does not tell what is installed has been measured all the same. */
export async function lookIfMoved<Of extends Metric>(
  here: Here,
  site: Site,
  metrics: readonly Of[],
  samples: readonly Record<Of, number | null>[],
): Promise<void> {
  const hasMoved = (metric: Of) => {
    const values = samples.flatMap((sample): number[] => (sample[metric] === null ? [] : [sample[metric]]))
    return movedOf(metric, values).from === values.length - 1
  }
  if (!metrics.some(hasMoved)) return
  await collectInventory(here, site, { refresh: false }).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error
  })
}
