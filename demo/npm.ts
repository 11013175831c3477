// Runs npm to fetch pinned packages, with a line on stderr that moves while it works.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Says on stderr what is being waited for. */
export interface Progress {
  update: (detail: string) => void
  done: (detail?: string) => void
}

/** A progress line: one line that is redrawn on a terminal, one line every 5 seconds elsewhere. */
export function startProgress(label: string): Progress {
  const started = performance.now()
  const terminal = process.stderr.isTTY
  let detail = ''
  let ticks = 0
  const line = () => `  ${label} … ${[detail, `${Math.round((performance.now() - started) / 1000)} s`].filter(Boolean).join(', ')}`
  const draw = () => {
    if (terminal) process.stderr.write(`\r\x1b[K${line().slice(0, 79)}`)
    else if (ticks++ % 10 === 0) process.stderr.write(`${line()}\n`)
  }
  draw()
  const timer = setInterval(draw, 500)
  return {
    update: (text) => {
      detail = text
    },
    done: (text = '') => {
      clearInterval(timer)
      detail = text
      process.stderr.write(`${terminal ? '\r\x1b[K' : ''}${line()}\n`)
    },
  }
}

/** Runs a program and returns its stdout; throws with the end of its stderr. */
export async function run(program: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Promise<string> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)])
  if (code === 0) return stdout
  throw new Error(`${program} ${args.join(' ')} failed (${code}): ${ends(stderr.trim() || stdout.trim())}`)
}

/** Beginning and end of a long text. */
const ends = (text: string) => (text.length <= 1600 ? text : `${text.slice(0, 800)}\n…\n${text.slice(-800)}`)

/** Runs npm; `watch` hears about every half second how many bytes npm has received so far for its largest download. */
export async function npm(args: string[], cwd: string, watch: (bytes: number) => void): Promise<string> {
  const flags = ['--fetch-retries=1', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const since = Date.now()
  const cache = (await run('npm', ['config', 'get', 'cache', '--loglevel=error'], { cwd })).trim()
  const timer = setInterval(() => void largestPartialDownload(cache, since).then(watch, () => undefined), 500)
  try {
    return await run('npm', [...args, ...flags], { cwd })
  } catch (error) {
    throw new Error(whatNpmSaid(error), { cause: error })
  } finally {
    clearInterval(timer)
  }
}

/** npm's first sentences, without its stack traces. */
function whatNpmSaid(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error))
    .split('\n')
    .map((line) => line.replace(/^.*npm error\s?/, '').trim())
  const told = lines.filter((line) => line !== '' && !/^(at |[{}]|[a-z]+: |errno |syscall |If you are behind|A complete log)/.test(line))
  return told.slice(0, 4).join('; ')
}

async function largestPartialDownload(cache: string, since: number): Promise<number> {
  const folder = join(cache, '_cacache', 'tmp')
  const files = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))))
  return Math.max(0, ...files.filter((file) => file.isFile() && file.mtimeMs >= since).map((file) => file.size))
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  stream.setEncoding('utf8') // Otherwise a letter that lies in two chunks is lost.
  let all = ''
  for await (const chunk of stream) all += String(chunk)
  return all
}

function exitOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
}
