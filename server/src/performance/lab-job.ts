// A page in a browser, three times; the run in the middle counts, if the machine had nothing else to do.
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobKind, Running } from '../kernel/job.ts'
import { Problem } from '../kernel/problem.ts'
import { dateOf } from '../kernel/recurrence.ts'
import { usualMemory } from '../platform/chromium.ts'
import { moveTurn } from '../platform/clock-store.ts'
import { tryMachineLock } from '../platform/machine-lock.ts'
import { Slots } from '../platform/slots.ts'
import type { Here, World } from '../world.ts'
import { machineName, pressureNow, whyDiscarded } from './busy.ts'
import { ofSite } from './jobs.ts'
import { NoLab, runLab, usualLabMs, whyNoLab } from './lab-run.ts'
import type { Report } from './lab-runner.ts'
import { insertLab, listBenchmarks, listLabs, type Measured } from './lab-store.ts'
import { lookIfMoved } from './moved.ts'
import { labMetrics } from './schema.ts'
import { daysBefore, labDays, medianOf } from './trend.ts'

const times = 3
const turnMs = 20 * 60_000
const lookAgainMs = 1_000
/** In the day after one was discarded. */
const mostAgain = 3
const againMs = 5 * 3_600_000
const one = new Slots(1)

export const lab: JobKind<World, Record<string, unknown>, Measured> = {
  ...{ type: 'lab', retries: 1, changesSite: false, apart: true },
  work: look,
  summarize: ({ score, lcp_ms, discarded }) =>
    discarded === null
      ? { outcome: 'done', summary: `Score ${score} of 100; the largest part of the page was there after ${lcp_ms} ms.` }
      : { outcome: 'partly', summary: `The figures were discarded. ${discarded}` },
}

async function look(world: World, job: Running): Promise<Measured> {
  const missing = whyNoLab(world.config)
  if (missing !== null) throw new Problem('conflict', missing, { retryable: false })
  return ofSite(world, job, async (here, site) => {
    await job.phase('waiting for the browser')
    const measured = await inTurn(job, async () => {
      await job.phase('in the browser')
      const figures = await measure(here, job, site.home)
      await insertLab(here, job, figures)
      return figures
    })
    if (measured.discarded === null) {
      const labs = (await listLabs(here, [site.id], daysBefore(here.now(), labDays))).get(site.id) ?? []
      await lookIfMoved(
        here,
        site,
        labMetrics,
        labs.filter(({ discarded }) => discarded === null),
      )
    } else if (job.requestedBy.type === 'system') await againToday(here, site.id)
    return measured
  })
}

/** A machine that is always busy at that hour may be free at another: what was discarded is done again in some hours, a few times. */
export async function againToday(here: Here, siteId: string): Promise<void> {
  const labs = (await listLabs(here, [siteId], daysBefore(here.now(), 1))).get(siteId) ?? []
  if (labs.filter(({ discarded }) => discarded !== null).length > mostAgain) return
  await moveTurn(here, lab.type, siteId, dateOf(here.now().getTime() + againMs))
}

interface Looking {
  run: typeof runLab
  pressure: () => Promise<number | null>
}

/** What others want of the machine is seen around each run, while no browser of ours is there: else it would be the browser's own. */
export async function measure(
  here: Here,
  job: Running,
  url: string,
  by: Looking = { run: runLab, pressure: pressureNow },
): Promise<Measured> {
  const { chromium: program = '', chromiumSandbox: sandbox } = here.config
  const browser = { program, sandbox, timeoutMs: usualLabMs, mostMemory: usualMemory }
  const all: Run[] = []
  const pressures = [await by.pressure()]
  while (all.length < times) {
    await job.progress({ percent: Math.floor((100 * all.length) / times), done: all.length, total: times, unit: 'runs' })
    const { signal } = job
    all.push(wholeOf(await by.run({ browser, url, form: 'mobile', categories: ['performance'], tunnel: here.tunnel, signal })))
    pressures.push(await by.pressure())
  }
  await job.progress({ percent: 100, done: times, total: times, unit: 'runs' })
  const known = pressures.filter((each) => each !== null)
  return inMiddle(here, all, known.length === 0 ? null : Math.max(...known))
}

type Figures = Pick<Measured, 'score' | 'fcp_ms' | 'lcp_ms' | 'cls' | 'tbt_ms' | 'benchmark_index'>
type Run = Figures & Pick<Report, 'url' | 'lighthouse' | 'chromium'>

/** Of a run that lacks a figure nothing is known. */
export function wholeOf({ scores, fcp_ms, lcp_ms, cls, tbt_ms, benchmark_index, url, lighthouse, chromium }: Report): Run {
  const score = scores.performance ?? null
  if (score === null || fcp_ms === null || lcp_ms === null || cls === null || tbt_ms === null)
    throw new NoLab('Lighthouse could not tell all figures of the page.')
  return { score, fcp_ms, lcp_ms, cls, tbt_ms, benchmark_index, url, lighthouse, chromium }
}

async function inMiddle(here: Here, all: readonly Run[], pressure: number | null): Promise<Measured> {
  const sorted = all.toSorted((a, b) => a.score - b.score || b.lcp_ms - a.lcp_ms)
  const middle = sorted[sorted.length >> 1]
  if (!middle) throw new NoLab('There was no run.')
  const machine = machineName()
  const benchmark_index = medianOf(all.map((run) => run.benchmark_index))
  const discarded = whyDiscarded({ benchmarkIndex: benchmark_index, earlier: await listBenchmarks(here, machine), pressure })
  const figures = all.map(({ url: _, lighthouse: __, chromium: ___, ...each }): Figures => each)
  return { ...middle, benchmark_index, runs: figures, machine, pressure, discarded }
}

/** One at a time in this process, and among all of this machine, whatever their folder: the figures of two at once would be those of neither. */
async function inTurn<Answer>({ signal }: Running, work: () => Promise<Answer>): Promise<Answer> {
  const giveBack = await one.take('lab', turnMs, signal)
  try {
    const lock = giveBack && (await theLock(signal))
    signal.throwIfAborted()
    if (!lock) throw new Problem('conflict', 'Others had the browser for too long.', { retryable: true })
    try {
      return await work()
    } finally {
      await lock.release()
    }
  } finally {
    giveBack?.()
  }
}

async function theLock(signal: AbortSignal) {
  const until = performance.now() + turnMs
  while (performance.now() < until && !signal.aborted) {
    const lock = await tryMachineLock('svc-lab')
    if (lock) return lock
    await sleep(lookAgainMs, undefined, { signal }).catch(() => undefined)
  }
  return undefined
}
