// One world walked through, and whether what came of it is what is expected today.
import { setTimeout as sleep } from 'node:timers/promises'
import type { House } from '../../house.ts'
import { walk } from './walk.ts'
import type { World } from './world.ts'

export interface Tried {
  name: string
  outcome: string
  /** Why it did not hold, whether that is expected or not. */
  why: string
  isRight: boolean
  seconds: number
}

/** A world that awaits something may take for ever. */
const patienceMs = 240_000

export async function tryWorld(house: House, world: World): Promise<Tried> {
  const { name, awaits } = world
  const began = performance.now()
  const walked = walk(house, world).then(
    (outcome) => ({ outcome, why: '' }),
    (error: unknown) => ({ outcome: 'failed', why: error instanceof Error ? error.message : String(error) }),
  )
  const late = { outcome: 'failed', why: `No end after ${patienceMs / 1000} s.` }
  const found = awaits === undefined ? await walked : await Promise.race([walked, sleep(patienceMs, late, { ref: false })])
  const seconds = (performance.now() - began) / 1000
  if (awaits === undefined) return { name, ...found, isRight: found.outcome !== 'failed', seconds }
  if (found.outcome === 'failed') return { name, outcome: `not yet: ${awaits}`, why: found.why, isRight: true, seconds }
  return { name, outcome: `${found.outcome}: no longer waits`, why: `Take its awaits away: ${awaits}.`, isRight: false, seconds }
}
