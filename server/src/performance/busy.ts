// Whether a machine had something else to do while a page was looked at: its figures would say more of the machine than of the page.
import fs from 'node:fs/promises'
import os from 'node:os'
import { medianOf } from './trend.ts'

export interface Seen {
  /** Lighthouse's, of the runs. */
  benchmarkIndex: number
  /** Of this machine before, newest first. */
  earlier: readonly number[]
  /** See `pressureNow`. */
  pressure: number | null
}

const mostPressure = 40
/** So much slower than this machine usually is. */
const leastShare = 0.7
const leastEarlier = 3
/** Of a machine on which a page's own scripts take longer than on any visitor's phone, as Lighthouse itself warns. */
const leastIndex = 200

/** Why the figures count for nothing, in a sentence; null: they count. */
export function whyDiscarded({ benchmarkIndex, earlier, pressure }: Seen): string | null {
  if (pressure !== null && pressure > mostPressure)
    return `The machine was busy before the runs began: something waited for the processor ${pressure} % of the time.`
  const usual = earlier.length < leastEarlier ? null : medianOf(earlier)
  if (usual !== null && benchmarkIndex < leastShare * usual)
    return `The machine was busy during the runs: its benchmark index was ${benchmarkIndex}, usually it is ${usual}.`
  if (benchmarkIndex < leastIndex) return `The machine was too slow: its benchmark index was ${benchmarkIndex}, less than ${leastIndex}.`
  return null
}

/** Of the last ten seconds, per cent in which something waited for the processor; where the system does not say, what the load comes to. Null: neither is known. */
export async function pressureNow(file = '/proc/pressure/cpu'): Promise<number | null> {
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  const said = /^some avg10=([\d.]+)/.exec(text)?.[1]
  if (said !== undefined) return Math.round(Number(said))
  const [load] = os.loadavg()
  // Loads are not told by every system: there they are all nought.
  return load ? Math.min(100, Math.round(Math.max(0, 100 * (load / os.availableParallelism() - 1)))) : null
}
