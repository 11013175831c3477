// What came out, as a table and against the bars.

import { median } from '../../server/test/cpu.ts'
import type { Host } from '../../server/test/hosts.ts'
import type { TreeFacts } from '../../server/test/tree.ts'
import { table, verdict } from '../report.ts'
import type { OurStep } from './estate.ts'
import type { Step } from './rivals.ts'

/** One step: ours, and the others in the same minute. */
export interface Measured {
  ours: OurStep
  others: ({ name: string } & Step)[]
}
export interface OurRun {
  full: Measured
  none: Measured[]
  day: Measured
  /** The run that reads all files again. */
  again: Measured
  restored: Measured
  /** The restored tree has the digest it had. */
  same: boolean
}
export interface Setting {
  megabytes: number
  host: Host
  tree: TreeFacts
}

const BARS = { full: 30, ratio: 2, none: 3, day: 6, dayMegabytes: 50, restore: 40, service: 300, php: 64, late: 50 }
const WHOLE_MEGABYTES = 1_000

const middle = (all: readonly Measured[], of: (one: Measured) => number | undefined): number =>
  median(all.map(of).filter((value) => value !== undefined))
const otherOf = (one: Measured, name: string) => one.others.find((other) => other.name === name)
const sumOf = (cpu: OurStep['cpu']) => Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0)
const megabytesOf = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** Prints what was measured; the bars that were missed come back. */
export function report(runs: readonly OurRun[], setting: Setting): string[] {
  const { tree, host, megabytes } = setting
  const steps: [string, Measured[]][] = [
    ['full', runs.map(({ full }) => full)],
    ['no change', runs.flatMap(({ none }) => none)],
    ['day 1', runs.map(({ day }) => day)],
    ['read again', runs.map(({ again }) => again)],
    ['restore', runs.map(({ restored }) => restored)],
  ]
  const what = `${tree.files} files, ${tree.folders} folders, ${tree.bytes} bytes inside a WordPress; ${host} host; medians of ${runs.length} runs`
  process.stdout.write(`${what}\n\n`)
  process.stdout.write(
    table('Seconds, and ours as a multiple', ['', 'ours', 'restic', 'borg', 'tar+zstd', '÷ restic', '÷ borg', '÷ tar'], steps.map(wallRow)),
  )
  process.stdout.write(
    table(
      'CPU seconds of ours, of the others, and ours as a multiple',
      ['', 'service', 'its database', 'php', 'nginx', 'mariadb', 'ours', 'restic', 'borg', 'tar+zstd', '÷ restic', '÷ borg', '÷ tar'],
      steps.map(cpuRow),
    ),
  )
  process.stdout.write(
    table('Bytes stored', ['', 'ours', 'restic', 'borg', 'tar+zstd'], steps.filter(([name]) => name !== 'restore').map(storedRow)),
  )
  process.stdout.write(
    table(
      'Peak memory in MB; how long the service’s event loop was kept waiting (p99)',
      ['', 'service', 'php', 'restic', 'borg', 'event loop'],
      steps.map(memoryRow),
    ),
  )
  return judge(runs, steps, megabytes)
}

const names = ['restic', 'borg', 'tar+zstd'] as const

function cells(all: Measured[], of: (other: Step) => number, show: (value: number) => string): string[] {
  return names.map((name) => {
    const found = all.flatMap((one) => otherOf(one, name) ?? [])
    return found.length > 0 ? show(median(found.map(of))) : ''
  })
}

const two = (value: number) => value.toFixed(2)

/** Ours as a multiple of each of the others. */
function ratios(all: Measured[], ours: (step: OurStep) => number, theirs: (step: Step) => number): string[] {
  return names.map((name) => {
    const found = all.flatMap((one) => {
      const other = otherOf(one, name)
      return other ? [ours(one.ours) / theirs(other)] : []
    })
    return found.length > 0 ? `${two(median(found))}×` : ''
  })
}

function wallRow([name, all]: [string, Measured[]]): string[] {
  const seconds = (step: { seconds: number }) => step.seconds
  return [name, two(middle(all, ({ ours }) => ours.seconds)), ...cells(all, seconds, two), ...ratios(all, seconds, seconds)]
}

function cpuRow([name, all]: [string, Measured[]]): string[] {
  const parts = (['service', 'database', 'php', 'nginx', 'mariadb'] as const).map((part) => two(middle(all, ({ ours }) => ours.cpu[part])))
  const [whole, theirs] = [(step: OurStep) => sumOf(step.cpu), (step: Step) => step.cpu]
  return [name, ...parts, two(middle(all, ({ ours }) => whole(ours))), ...cells(all, theirs, two), ...ratios(all, whole, theirs)]
}

function storedRow([name, all]: [string, Measured[]]): string[] {
  return [name, megabytesOf(middle(all, ({ ours }) => ours.stored)), ...cells(all, ({ stored }) => stored, megabytesOf)]
}

function memoryRow([name, all]: [string, Measured[]]): string[] {
  const whole = (value: number) => value.toFixed(0)
  const ours = [middle(all, (one) => one.ours.peak), middle(all, (one) => one.ours.phpPeak)].map(whole)
  return [name, ...ours, ...cells(all, ({ peak }) => peak, whole).slice(0, 2), `${middle(all, (one) => one.ours.late).toFixed(1)} ms`]
}

function judge(runs: readonly OurRun[], steps: [string, Measured[]][], megabytes: number): string[] {
  const of = (name: string) => steps.find(([each]) => each === name)?.[1] ?? []
  const seconds = (name: string) => middle(of(name), ({ ours }) => ours.seconds)
  const most = (value: (step: OurStep) => number, only: (name: string) => boolean = () => true) =>
    Math.max(...steps.filter(([name]) => only(name)).map(([, all]) => middle(all, ({ ours }) => value(ours))))
  const ratio = median(
    of('full').flatMap((one) => (otherOf(one, 'restic') ? [one.ours.seconds / (otherOf(one, 'restic')?.seconds ?? 1)] : [])),
  )
  const changed = runs.every(({ again }) => again.ours.result.files_changed === 1)
  const rows: [string, string, string, boolean][] = [
    ['full', `${two(seconds('full'))} s`, `≤ ${BARS.full} s`, seconds('full') <= BARS.full],
    ['no change', `${two(seconds('no change'))} s`, `≤ ${BARS.none} s`, seconds('no change') <= BARS.none],
    ['day 1', `${two(seconds('day 1'))} s`, `≤ ${BARS.day} s`, seconds('day 1') <= BARS.day],
    [
      'day 1, stored',
      megabytesOf(middle(of('day 1'), ({ ours }) => ours.stored)),
      `≤ ${BARS.dayMegabytes} MB`,
      middle(of('day 1'), ({ ours }) => ours.stored) <= BARS.dayMegabytes * 1e6,
    ],
    ['restore', `${two(seconds('restore'))} s`, `≤ ${BARS.restore} s`, seconds('restore') <= BARS.restore],
    ['service, peak', `${most(({ peak }) => peak).toFixed(0)} MB`, `≤ ${BARS.service} MB`, most(({ peak }) => peak) <= BARS.service],
    ['php, peak', `${most(({ phpPeak }) => phpPeak).toFixed(0)} MB`, `≤ ${BARS.php} MB`, most(({ phpPeak }) => phpPeak) <= BARS.php],
    [
      'event loop, p99',
      `${most(
        ({ late }) => late,
        (name) => name !== 'restore',
      ).toFixed(1)} ms`,
      `≤ ${BARS.late} ms`,
      most(
        ({ late }) => late,
        (name) => name !== 'restore',
      ) <= BARS.late,
    ],
    ['change of equal size and time found', changed ? 'yes' : 'no', 'yes', changed],
    ['restored tree', runs.every(({ same }) => same) ? 'equal' : 'DIFFERENT', 'equal', runs.every(({ same }) => same)],
  ]
  if (!Number.isNaN(ratio) && ratio > 0) rows.splice(1, 0, ['full ÷ restic', `${two(ratio)}×`, `≤ ${BARS.ratio}×`, ratio <= BARS.ratio])
  const smaller = megabytes < WHOLE_MEGABYTES ? ' (the bars are meant for the whole tree)' : ''
  process.stdout.write(
    table(
      `Bars${smaller}`,
      ['', 'measured', 'bar', ''],
      rows.map(([name, measured, bar, kept]) => [name, measured, bar, verdict(kept)]),
    ),
  )
  return rows.filter(([, , , kept]) => !kept).map(([name]) => name)
}
