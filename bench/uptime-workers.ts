// npm run bench:uptime-workers [sites]: two workers look at fake sites every half minute; one of them is killed. Nobody may notice.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { table, verdict } from './report.ts'
import type { Visits } from './uptime-fleet.ts'
import { withUptimeHouse } from './uptime-house.ts'

const [sites = 3000] = process.argv.slice(2).map(Number)
const intervalS = 30
const phases = { together: 3, alone: 5 } // In intervals.

process.exitCode = await withUptimeHouse({ sites, intervalS }, async ({ fleet, startWorker }) => {
  const visits = async () => {
    fleet.send({ intervalMs: intervalS * 1000 })
    return (await once(fleet, 'message'))[0] as Visits
  }
  const [first] = await Promise.all([startWorker(), startWorker()])
  await sleep(1.5 * intervalS * 1000)
  await visits()
  await sleep(phases.together * intervalS * 1000)
  const together = await visits()
  first?.kill('SIGKILL')
  await sleep(phases.alone * intervalS * 1000)
  const alone = await visits()
  const rows = [
    ['sites', together.sites, alone.sites, sites, together.sites === sites && alone.sites === sites],
    [
      'longest without a check, s',
      together.longestGapMs / 1000,
      alone.longestGapMs / 1000,
      2 * intervalS,
      alone.longestGapMs <= 2000 * intervalS,
    ],
    ['checked twice, %', share(together), share(alone), 1, share(together) <= 1 && share(alone) <= 1],
    ['checks for each that was due', due(together, phases.together), due(alone, phases.alone), '', true],
  ] as const
  const round = (figure: number | string) => (typeof figure === 'number' ? String(Math.round(100 * figure) / 100) : figure)
  const shown = rows.map(([what, a, b, bar, kept]) => [what, round(a), round(b), round(bar), bar === '' ? '' : verdict(kept)])
  process.stdout.write(table(`Uptime: ${sites} sites, every ${intervalS} s`, ['', 'two workers', 'one killed', 'bar', ''], shown))
  return rows.every(([, , , , kept]) => kept) ? 0 : 1
})

function share({ doubled, visits }: Visits): number {
  return (100 * doubled) / visits
}

/** 1: each site once in each interval. */
function due({ visits }: Visits, intervals: number): number {
  return visits / (sites * intervals)
}
