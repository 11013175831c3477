// The operator's browser: a process of its own, without our environment and without network, one at a time and not for long.
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Slots } from './slots.ts'

export interface Chromium {
  program: string
  sandbox: 'on' | 'off'
  timeoutMs: number
  /** Of memory, all of its processes together. */
  mostMemory: number
}

export const usualMemory = 1536 * 1024 * 1024

/** What ended a browser that did not end well by itself. */
export type Trouble = 'not started' | 'ended badly' | 'too long' | 'too much memory'
export interface Running {
  child: ChildProcess
  /** How it ended, or had to be ended; undefined: well. */
  trouble: Promise<Trouble | undefined>
}

/** `nobody`: who is root gives the browser less than that. */
const nobody = 65_534
const isRoot = () => process.getuid?.() === 0
const lookEveryMs = 250

const flags = [
  ...['--headless', '--disable-gpu', '--no-first-run', '--no-default-browser-check', '--disable-extensions', '--disable-sync'],
  // It has nobody to talk to.
  ...['--disable-background-networking', '--disable-component-update', '--host-resolver-rules=MAP * ~NOTFOUND'],
  ...['--proxy-server=http://127.0.0.1:9', '--proxy-bypass-list=<-loopback>', '--disable-dev-shm-usage'],
]

/** A browser is large: one at a time in a process. */
const one = new Slots(1)

/** Undefined: others had it for longer than that. */
export async function inTurn<Answer>(waitMs: number, work: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer | undefined> {
  const giveBack = await one.take('browser', waitMs, signal)
  try {
    return giveBack && (await work())
  } finally {
    giveBack?.()
  }
}

/** A folder that is the browser's, with these files; nothing of it is left. */
export async function withFolder<Answer>(files: Record<string, Buffer>, work: (folder: string) => Promise<Answer>): Promise<Answer> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-browser-'))
  try {
    for (const [name, bytes] of Object.entries(files)) await fs.writeFile(path.join(folder, name), bytes)
    if (isRoot()) for (const name of ['', ...Object.keys(files)]) await fs.chown(path.join(folder, name), nobody, nobody)
    return await work(folder)
  } finally {
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Runs until `work` is done with it. `stdio`: what it has besides nothing. */
export async function withChromium<Answer>(
  { program, sandbox, timeoutMs, mostMemory }: Chromium,
  { folder, words, piped = false }: { folder: string; words: readonly string[]; piped?: boolean },
  work: (running: Running) => Promise<Answer>,
): Promise<Answer> {
  const shut = sandbox === 'off' ? ['--no-sandbox'] : []
  const child = spawn(program, [...flags, ...shut, `--user-data-dir=${path.join(folder, 'profile')}`, ...words], {
    cwd: folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'ignore', ...(piped ? (['pipe', 'pipe'] as const) : [])],
    detached: true, // a group of its own, which ends as one
    ...(isRoot() && { uid: nobody, gid: nobody }),
  })
  giveWay(child.pid)
  const ended = new Promise<Trouble | undefined>((resolve) => {
    child.once('error', () => resolve('not started'))
    child.once('exit', (code) => resolve(code === 0 ? undefined : 'ended badly'))
  })
  const over = new AbortController()
  try {
    return await work({ child, trouble: Promise.race([ended, watch(child.pid, { timeoutMs, mostMemory }, over.signal)]) })
  } finally {
    over.abort()
    if (child.pid !== undefined) {
      endGroup(child.pid)
      await ended
    }
  }
}

/** All of its processes, for each is begun by one that gives way: whoever waits for an answer of ours, or of a site beside us, comes first. */
function giveWay(pid: number | undefined): void {
  try {
    if (pid !== undefined) os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already.
  }
}

/** What it took too much of, once it did. */
async function watch(
  pid: number | undefined,
  most: { timeoutMs: number; mostMemory: number },
  over: AbortSignal,
): Promise<Trouble | undefined> {
  const began = performance.now()
  for (;;) {
    await sleep(lookEveryMs, undefined, { signal: over }).catch(() => undefined)
    if (over.aborted) return undefined
    if (performance.now() - began > most.timeoutMs) return 'too long'
    if (pid !== undefined && (await memoryOf(pid)) > most.mostMemory) return 'too much memory'
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody of it is left.
  }
}

const pageBytes = 4096

/** What the processes of a group hold, as far as the system tells; libraries are counted for each of them. */
async function memoryOf(group: number): Promise<number> {
  const all = (await fs.readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const each = all.map(async (pid) => {
    const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const [, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(pgrp) !== group) return 0
    const [, resident = '0', shared = '0'] = (await fs.readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')).split(' ')
    return (Number(resident) - Number(shared)) * pageBytes
  })
  return (await Promise.all(each)).reduce((sum, bytes) => sum + bytes, 0)
}
