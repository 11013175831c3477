// Prints a page of ours by the operator's browser: a process of its own, without network and our environment, and not for long.
// That no script runs the page says itself (its policy): the browser's own printing is one, so it cannot be told to run none.
import { spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Printer {
  /** The browser's program. */
  program: string
  sandbox: 'on' | 'off'
  timeoutMs?: number
  mostBytes?: number
  /** Of memory, all of its processes together. */
  mostMemory?: number
}

/** Why there is no PDF, in a sentence of ours. */
export class NotPrinted extends Error {}

const usual = { timeoutMs: 60_000, mostBytes: 20 * 1024 * 1024, mostMemory: 1536 * 1024 * 1024 }
/** `nobody`: who is root gives the browser less than that. */
const nobody = 65_534
const lookEveryMs = 250

const flags = [
  ...['--headless', '--disable-gpu', '--no-first-run', '--no-default-browser-check', '--disable-extensions', '--disable-sync'],
  // It has nobody to talk to.
  ...['--disable-background-networking', '--disable-component-update', '--host-resolver-rules=MAP * ~NOTFOUND'],
  ...['--proxy-server=http://127.0.0.1:9', '--proxy-bypass-list=<-loopback>'],
  ...['--disable-dev-shm-usage', '--no-pdf-header-footer', '--generate-pdf-document-outline'],
]

/** One after another: a browser is large. Those that wait, and how many may. */
let turn: Promise<unknown> = Promise.resolve()
let waiting = 0
const mostWaiting = 8

/** The page as a PDF, with tags, an outline and its fonts. Throws NotPrinted. */
export async function printPdf(printer: Printer, page: Buffer): Promise<Buffer> {
  if (waiting >= mostWaiting) throw new NotPrinted('The browser has too much to print just now.')
  waiting++
  const printed = turn.then(() => printNow({ ...usual, ...printer }, page))
  turn = printed.catch(() => undefined)
  return printed.finally(() => waiting--)
}

async function printNow(printer: Required<Printer>, page: Buffer): Promise<Buffer> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-print-'))
  try {
    await fs.writeFile(path.join(folder, 'page.html'), page)
    if (process.getuid?.() === 0) for (const file of ['', 'page.html']) await fs.chown(path.join(folder, file), nobody, nobody)
    await browse(printer, folder)
    return await readPrinted(path.join(folder, 'page.pdf'), printer.mostBytes)
  } finally {
    await fs.rm(folder, { recursive: true, force: true })
  }
}

/** Until the browser has ended, or had to be ended. */
async function browse({ program, sandbox, timeoutMs, mostMemory }: Required<Printer>, folder: string): Promise<void> {
  const pages = [`--print-to-pdf=${path.join(folder, 'page.pdf')}`, `--user-data-dir=${path.join(folder, 'profile')}`]
  const shut = sandbox === 'off' ? ['--no-sandbox'] : []
  const child = spawn(program, [...flags, ...shut, ...pages, `file://${path.join(folder, 'page.html')}`], {
    cwd: folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
    stdio: 'ignore',
    detached: true, // a group of its own, which ends as one
    ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
  })
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', () => resolve('The browser could not be started (SERVICE_CHROMIUM).'))
    child.once('exit', (code) =>
      resolve(code === 0 ? undefined : 'The browser could not print the page (SERVICE_CHROMIUM, SERVICE_CHROMIUM_SANDBOX).'),
    )
  })
  const over = new AbortController()
  const limit = watch(child.pid, { timeoutMs, mostMemory }, over.signal)
  const trouble = await Promise.race([ended, limit])
  over.abort()
  if (child.pid !== undefined) endGroup(child.pid)
  if (trouble !== undefined) throw new NotPrinted(trouble)
}

/** What it took too much of, once it did. */
async function watch(pid: number | undefined, most: { timeoutMs: number; mostMemory: number }, over: AbortSignal): Promise<string> {
  const began = performance.now()
  for (;;) {
    await sleep(lookEveryMs, undefined, { signal: over }).catch(() => undefined)
    if (over.aborted) return ''
    if (performance.now() - began > most.timeoutMs) return 'The browser took too long to print the page.'
    if (pid !== undefined && (await memoryOf(pid)) > most.mostMemory) return 'The browser took too much memory to print the page.'
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

async function readPrinted(file: string, mostBytes: number): Promise<Buffer> {
  const size = (await fs.stat(file).catch(() => undefined))?.size
  if (size === undefined) throw new NotPrinted('The browser printed nothing (SERVICE_CHROMIUM, SERVICE_CHROMIUM_SANDBOX).')
  if (size > mostBytes) throw new NotPrinted('The PDF is too large.')
  const bytes = await fs.readFile(file)
  if (!bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))) throw new NotPrinted('What the browser made is no PDF.')
  return bytes
}
