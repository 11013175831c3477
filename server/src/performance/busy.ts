// Whether a machine had something else to do while a page was looked at: its figures would say more of the machine than of the page.
import fs from 'node:fs/promises'
import os from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { medianOf } from './trend.ts'

export interface Seen {
  /** Lighthouse's, of the runs. */
  benchmarkIndex: number
  /** Of this machine before, where it was not busy, newest first. */
  earlier: readonly number[]
  /** The most of what was seen around the runs; see `pressureNow`. */
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
    return `The machine was busy around the runs: something waited for the processor ${pressure} % of the time.`
  const usual = earlier.length < leastEarlier ? null : medianOf(earlier)
  if (usual !== null && benchmarkIndex < leastShare * usual)
    return `The machine was busy during the runs: its benchmark index was ${benchmarkIndex}, usually it is ${usual}.`
  if (benchmarkIndex < leastIndex) return `The machine was too slow: its benchmark index was ${benchmarkIndex}, less than ${leastIndex}.`
  return null
}

interface Watch {
  file: string
  /** Between the two looks. */
  wait: () => Promise<unknown>
  /** In milliseconds. */
  now: () => number
  cpus: () => Pick<os.CpuInfo, 'times'>[]
}

const watchedMs = 3_000
const usualWatch: Watch = {
  ...{ file: '/proc/pressure/cpu', wait: () => sleep(watchedMs) },
  ...{ now: () => performance.now(), cpus: () => os.cpus() },
}

/**
 * Of the next three seconds, per cent in which something waited for the processor; where the system does not say, in which none was free. Null: neither
 * is known. Averages that the system keeps would be of a browser of ours that has just ended too.
 */
export async function pressureNow(watch: Partial<Watch> = {}): Promise<number | null> {
  const { file, wait, now, cpus } = { ...usualWatch, ...watch }
  const sample = async () => ({ at: now(), waited: await waitedMs(file), idle: cpus().reduce((sum, { times }) => sum + times.idle, 0) })
  const first = await sample()
  await wait()
  const last = await sample()
  const ms = last.at - first.at
  if (ms <= 0) return null
  if (first.waited !== null && last.waited !== null) return perCent((last.waited - first.waited) / ms)
  // Some systems tell nothing of their processors.
  return last.idle === 0 ? null : perCent(1 - (last.idle - first.idle) / ms)
}

const perCent = (share: number) => Math.round(100 * Math.min(1, Math.max(0, share)))

async function waitedMs(file: string): Promise<number | null> {
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  const said = /^some .*\btotal=(\d+)/.exec(text)?.[1]
  return said === undefined ? null : Number(said) / 1000
}

/** What its speed depends on. The name of a host is another one with each container. */
export function machineName(): string {
  const [{ model } = { model: 'unknown' }] = os.cpus()
  return `${os.availableParallelism()} × ${model.trim()}`
}
