import { readdirSync, readFileSync } from 'node:fs'

/** Processor time of a process so far, in µs, all its threads together. */
export function cpuOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  return tasks.reduce((sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000, 0)
}

/** Memory of a process in MB: now, and at its highest. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** Seconds of processor time of a process and of its children, those that have ended too. */
export function familyCpu(pid: number): number {
  const family = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(ticksOf)
    .filter(({ id, parent }) => id === pid || parent === pid)
  return family.reduce((sum, { id, own, ended }) => sum + own + (id === pid ? ended : 0), 0) / 100
}

function ticksOf(name: string): { id: number; parent: number; own: number; ended: number } {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15)
    return { id: Number(name), parent: fields[1] ?? 0, own: utime + stime, ended: cutime + cstime }
  } catch {
    return { id: 0, parent: 0, own: 0, ended: 0 } // It has ended meanwhile.
  }
}
