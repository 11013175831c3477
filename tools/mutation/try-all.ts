// Takes lines out of a copy of the tree, one change at a time, and looks whether the test named for it fails.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ensurePackages } from '../../e2e/native/debian.ts'
import { startTestServer } from '../../server/test/database.ts'
import { locate } from './locate.ts'
import { type Edit, editsOf, type Mutation } from './proof.ts'

const ROOT = path.join(import.meta.dirname, '../..')
/** A test that hangs without its control has noticed too, but is given no longer. */
const LONGEST_MS = 5 * 60_000

/** Tests wait more than they work, those most that never see what they wait for. */
const LANES = 4

/** A test file (of PHP: with its arguments), a title in it (empty: any of them), and what it must notice. */
export interface Task {
  test: string
  title: string
  mutation: Mutation
  /** With all other tests of its file. */
  among?: boolean
}
interface Judged {
  verdict: 'noticed' | 'not noticed' | 'broken'
  output: string
  /** What the test said that noticed. */
  why: string
}
type Judge = (tree: string, task: Task) => Promise<Judged>

/** Tries all of them, some at a time, and prints each verdict; answers what was not noticed. */
export async function tryAll(tasks: readonly Task[]): Promise<string[]> {
  if (tasks.some(isPhp)) await ensurePackages()
  const server = await startTestServer()
  const judge = judgeWith(server.address.socketDir)
  const began = performance.now()
  const waiting = tasks.entries()
  const bad: string[] = []
  const work = async () => {
    const tree = copyTree()
    try {
      for (const [index, task] of waiting) {
        const since = performance.now()
        const { verdict, output, why } = await judge(tree, task)
        const sign = verdict === 'noticed' ? '✔' : '✖'
        const seconds = Math.round((performance.now() - since) / 1000)
        const line = `${sign} ${index + 1}/${tasks.length} ${verdict} (${seconds} s): ${task.test} “${task.title}” without ${task.mutation[0]} ${oneLine(task.mutation[1])}`
        process.stdout.write(`${line}\n${verdict === 'noticed' ? `  ${why}\n` : `${output.trimEnd().split('\n').slice(-30).join('\n')}\n`}`)
        if (verdict !== 'noticed') bad.push(line)
      }
    } finally {
      fs.rmSync(tree, { recursive: true, force: true })
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(LANES, tasks.length) }, work))
  } finally {
    await server.stop()
  }
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(
    `${bad.length > 0 ? `\n${bad.join('\n')}\n` : ''}\n${seconds} s\n${tasks.length - bad.length} passed, ${bad.length} failed\n`,
  )
  return bad
}

const oneLine = (text = '') => text.replaceAll(/\s+/g, ' ').slice(0, 80)

/** Web servers and databases of the tests run as others, who must be able to enter it. */
function openFolder(prefix: string, mode: number): string {
  const folder = fs.mkdtempSync(prefix)
  fs.chmodSync(folder, mode)
  return folder
}

/** What git knows of, as it lies here; packages and downloads are shared. */
function copyTree(): string {
  const tree = openFolder(path.join(os.tmpdir(), 'svc-mutate-'), 0o755)
  for (const name of fs.readdirSync(ROOT)) {
    if (['node_modules', '.git', 'data', 'tmp'].includes(name)) continue
    fs.cpSync(path.join(ROOT, name), path.join(tree, name), {
      recursive: true,
      filter: (from) => !/\/(\.(cache|sites|data)|lab\/node_modules)$/.test(from),
    })
  }
  for (const shared of ['node_modules', 'server/lab/node_modules', 'demo/.cache', 'e2e/.cache'])
    if (fs.existsSync(path.join(ROOT, shared))) fs.symlinkSync(path.join(ROOT, shared), path.join(tree, shared))
  return tree
}

/** A test that fails with everything in its place has noticed nothing. One that needs those before it is judged among them. */
function judgeWith(socketDir: string): Judge {
  const sound = new Map<string, Promise<Judged>>()
  const judge = async (tree: string, task: Task): Promise<Judged> => {
    const without = await attempt(tree, task, editsOf(task.mutation), socketDir)
    if (without.verdict !== 'noticed') return without
    const name = `${task.test} ${task.title} ${task.among}`
    const whole = sound.get(name) ?? attempt(tree, task, [], socketDir)
    sound.set(name, whole)
    const { verdict, output } = await whole
    if (verdict === 'not noticed') return without
    return task.among || task.title === '' ? { verdict: 'broken', output, why: '' } : judge(tree, { ...task, among: true })
  }
  return judge
}

async function attempt(tree: string, task: Task, edits: Edit[], socketDir: string): Promise<Judged> {
  const before = new Map<string, string>()
  try {
    for (const { file, from, to } of edits) {
      const at = path.join(tree, locate(tree, file))
      const text = fs.readFileSync(at, 'utf8')
      if (!before.has(at)) before.set(at, text)
      fs.writeFileSync(
        at,
        text.replace(from, () => to),
      )
    }
    const env = isOfDatabase(before.keys()) ? {} : { SERVICE_TEST_POSTGRES: socketDir }
    return await (isPhp(task) ? judgePhp(tree, [...before.keys()], task) : judgeTest(tree, task, env))
  } finally {
    for (const [at, text] of before) fs.writeFileSync(at, text)
  }
}

/** The databases of our server are copies of one that was migrated before; a test that gets none starts a server of its own. */
const isOfDatabase = (changed: Iterable<string>) => [...changed].some((at) => at.includes('/migrations/'))

const isPhp = ({ test }: Task) => /\.php\b/.test(test)

/** Where a title is named, it is that line that must be printed. */
async function judgePhp(tree: string, changed: string[], { test, title }: Task): Promise<Judged> {
  for (const file of changed) {
    const lint = await run('php8.2', ['-l', file], { cwd: tree })
    if (lint.code !== 0) return { verdict: 'broken', output: lint.output, why: '' }
  }
  const { code, output } = await run('php8.2', test.split(' '), { cwd: tree })
  const why = output.trimEnd().split('\n').at(-1) ?? ''
  return { verdict: code !== 0 && output.includes(title) ? 'noticed' : 'not noticed', output, why }
}

/** Noticed means that this very test failed: a file that no longer loads, or a hook before it, says nothing about it. */
async function judgeTest(tree: string, { test, title, among = false }: Task, given: Record<string, string>): Promise<Judged> {
  const pattern = title
    .split('…')
    .map((part) => part.trim().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*')
  const options = ['--test', '--test-reporter=tap', '--test-force-exit', '--test-timeout=60000', '--disable-warning=ExperimentalWarning']
  const only = title === '' || among ? [] : [`--test-name-pattern=/${pattern}/u`]
  const ended = (output: string, word: string) =>
    [...output.matchAll(new RegExp(`^( *)${word} \\d+ - .*${pattern}[^]*?^\\1 {2}\\.\\.\\.$`, 'gmu'))].map(([text]) => text)
  const isOfFile = (text: string) => text.slice(0, text.indexOf('\n')).endsWith(test)
  const failureIn = (output: string) =>
    ended(output, 'not ok').find(
      (text) => !isOfFile(text) && /^ *failureType: '(?!hookFailed|cancelledByParent|subtestsFailed)/m.test(text),
    )
  // A short name: a browser's socket in it must not be longer than 108 bytes.
  const temporary = openFolder(path.join(os.tmpdir(), 'svc-t-'), 0o1777)
  const env = { ...given, TMPDIR: temporary }
  const enough = (output: string) => failureIn(output) !== undefined
  const { output, late } = await run(process.execPath, [...options, ...only, test], { cwd: tree, env, enough })
  fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
  const failure = failureIn(output)
  if (failure !== undefined || late) return { verdict: 'noticed', output, why: reasonIn(failure ?? '') }
  return { verdict: ended(output, 'ok').length > 0 ? 'not noticed' : 'broken', output, why: '' }
}

/** The test that failed, and the first words of what it failed with. */
const reasonIn = (failure: string): string => {
  const [, title = 'it never ended'] = /^ *not ok \d+ - (.*)/.exec(failure) ?? []
  return `“${title}” ${/^ *error: (?:\|-)?\s*(.{1,120})/m.exec(failure)?.[1] ?? ''}`
}

interface Ran {
  code: number | null
  output: string
  late: boolean
}
interface How {
  cwd: string
  env?: Record<string, string>
  /** Whether what was printed so far says all there is to know. */
  enough?: (output: string) => boolean
}

function run(program: string, args: string[], { cwd, env = {}, enough = () => false }: How): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let output = ''
    let late = false
    const stop = (signal: NodeJS.Signals) => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal)
    }
    const timer = setTimeout(() => {
      late = true
      stop('SIGKILL')
    }, LONGEST_MS)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
        if (enough(output)) stop('SIGTERM')
      })
    child.on('error', failed)
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code, output, late })
    })
  })
}
