// What a stretch of work cost: time, processor time and memory of whole families of processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { memoryOf } from './cpu.ts'

const ticksPerSecond = 100
const lookEveryMs = 100

/** Seconds of processor time of a process alone, threads that have ended included. */
export const ownCpu = (pid: number): number => ticksOf(pid, [11, 12]) / ticksPerSecond

/** The same with its living descendants and the dead ones that were waited for. */
export const familyCpu = (pid: number): number =>
  familyOf(pid).reduce((sum, each) => sum + ticksOf(each, [11, 12, 13, 14]), 0) / ticksPerSecond

/** The process and everything below it. */
function familyOf(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), Number(statOf(Number(name))[1] ?? 0))
  const family = [pid]
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child)
  return family
}

/** The fields of /proc/PID/stat from the state on; empty when the process is gone. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** User and system time stand in fields 11 and 12, those of children that were waited for in 13 and 14. */
function ticksOf(pid: number, which: number[]): number {
  const fields = statOf(pid)
  return which.reduce((sum, at) => sum + Number(fields[at] ?? 0), 0)
}

/** From now on `memoryOf(pid).peak` is the highest since. */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** `cpu` in seconds by the names that were given. */
export interface Cost<Name extends string> {
  seconds: number
  cpu: Record<Name, number>
}

/** Runs work and tells what it cost, by clocks that count seconds of processor time. */
export async function costOf<Name extends string, Result>(
  clocks: Record<Name, () => number>,
  work: () => Promise<Result>,
): Promise<{ cost: Cost<Name>; result: Result }> {
  const names = Object.keys(clocks) as Name[]
  const now = () => names.map((name) => clocks[name]())
  const [before, began] = [now(), performance.now()]
  const result = await work()
  const seconds = (performance.now() - began) / 1000
  const after = now()
  const cpu = Object.fromEntries(names.map((name, i) => [name, (after[i] ?? 0) - (before[i] ?? 0)])) as Record<Name, number>
  return { cost: { seconds, cpu }, result }
}

/** Runs a program; `peak` in MB is of the largest process of it. */
export async function costOfProgram(
  program: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ seconds: number; cpu: number; peak: number }> {
  const began = performance.now()
  const timed = ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bench', program, ...args]
  const child = spawn('bash', timed, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, ...familyPeaks(child))
  }, lookEveryMs)
  const [code] = await once(child, 'close')
  clearInterval(timer)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${said.slice(-1000)}`)
  const [user = 0, system = 0] = (said.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return { seconds: (performance.now() - began) / 1000, cpu: user + system, peak }
}

function familyPeaks({ pid }: ChildProcess): number[] {
  return familyOf(pid ?? 0).map((each) => {
    try {
      return memoryOf(each).peak
    } catch {
      return 0 // It has just ended.
    }
  })
}
