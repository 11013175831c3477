// Takes each control of SECURITY.md out, one at a time in a copy of the tree, and demands that the test named for it fails:
// npm run prove:security -- [part of a test's file or title …]
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startTestServer } from '../server/test/database.ts'
import { proofs } from './controls/all.ts'
import { locate } from './controls/locate.ts'
import { unproven } from './controls/named.ts'
import { type Edit, editsOf, type Mutation } from './controls/proof.ts'

const ROOT = path.join(import.meta.dirname, '..')
/** A test that hangs without its control has noticed too, but is given no longer. */
const LONGEST_MS = 5 * 60_000

/** `among`: with all other tests of its file. */
type Task = { test: string; title: string; mutation: Mutation; among?: boolean }
type Verdict = 'noticed' | 'not noticed' | 'broken'
/** `why`: what the test said that noticed. */
type Judged = { verdict: Verdict; output: string; why?: string }

async function main(wanted: string[]): Promise<void> {
  const tasks = Object.entries(proofs)
    .flatMap(([test, titles]) => Object.entries(titles).map(([title, mutation]) => ({ test, title, mutation })))
    .filter(({ test, title }) => wanted.length === 0 || wanted.some((part) => `${test} ${title}`.includes(part)))
  if (tasks.length === 0) throw new Error(`No control has ${wanted.join(' or ')} in its test’s file or title.`)
  const server = await startTestServer()
  const began = performance.now()
  const waiting = tasks.entries()
  const bad: string[] = []
  const work = async () => {
    const tree = copyTree()
    try {
      for (const [index, task] of waiting) {
        const { verdict, output, why = '' } = await prove(tree, task, server.address.socketDir)
        const line = `${verdict === 'noticed' ? '✔' : '✖'} ${index + 1}/${tasks.length} ${verdict}: ${task.test} “${task.title}” without ${task.mutation[0]}`
        process.stdout.write(`${line}\n${verdict === 'noticed' ? `  ${why}\n` : `${output.trimEnd().split('\n').slice(-30).join('\n')}\n`}`)
        if (verdict !== 'noticed') bad.push(line)
      }
    } finally {
      fs.rmSync(tree, { recursive: true, force: true })
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(2, tasks.length) }, work))
  } finally {
    await server.stop()
  }
  const { tests } = unproven(fs.readFileSync(path.join(ROOT, 'SECURITY.md'), 'utf8'))
  process.stdout.write(`\n${tests.length} tests of SECURITY.md have no control here that is taken out:\n${tests.join('\n')}\n`)
  process.stdout.write(
    `${bad.length > 0 ? `\n${bad.join('\n')}\n` : ''}\n${seconds(began)} s\n${tasks.length - bad.length} passed, ${bad.length} failed\n`,
  )
  process.exitCode = bad.length > 0 ? 1 : 0
}

const seconds = (since: number) => Math.round((performance.now() - since) / 1000)

/** What git knows of, as it lies here; packages and downloads are shared. */
function copyTree(): string {
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-prove-'))
  for (const name of fs.readdirSync(ROOT)) {
    if (['node_modules', '.git', 'data', 'tmp'].includes(name)) continue
    fs.cpSync(path.join(ROOT, name), path.join(tree, name), { recursive: true, filter: (from) => !/\/\.(cache|sites|data)$/.test(from) })
  }
  for (const shared of ['node_modules', 'demo/.cache', 'e2e/.cache'])
    if (fs.existsSync(path.join(ROOT, shared))) fs.symlinkSync(path.join(ROOT, shared), path.join(tree, shared))
  return tree
}

/** A test that fails with its control in place has noticed nothing. One that needs those before it is judged among them. */
async function prove(tree: string, task: Task, socketDir: string): Promise<Judged> {
  const alone = await judge(tree, task, editsOf(task.mutation), socketDir)
  if (alone.verdict !== 'noticed' || (await judge(tree, task, [], socketDir)).verdict === 'not noticed') return alone
  const all = { ...task, among: true }
  const among = await judge(tree, all, editsOf(task.mutation), socketDir)
  const whole = among.verdict === 'noticed' ? await judge(tree, all, [], socketDir) : undefined
  return whole === undefined || whole.verdict === 'not noticed' ? among : { verdict: 'broken', output: whole.output }
}

async function judge(tree: string, task: Task, edits: Edit[], socketDir: string): Promise<Judged> {
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
    return await (task.test.endsWith('.php')
      ? judgePhp(tree, [...before.keys()], task.test)
      : judgeTest(tree, task, isOfDatabase(before.keys()) ? {} : { SERVICE_TEST_POSTGRES: socketDir }))
  } finally {
    for (const [at, text] of before) fs.writeFileSync(at, text)
  }
}

/** The databases of our server are copies of one that was migrated before; a test that gets none starts a server of its own. */
const isOfDatabase = (changed: Iterable<string>) => [...changed].some((at) => at.includes('/migrations/'))

async function judgePhp(tree: string, changed: string[], test: string): Promise<Judged> {
  for (const file of changed) {
    const lint = await run('php8.2', ['-l', file], tree, {})
    if (lint.code !== 0) return { verdict: 'broken', output: lint.output }
  }
  const { code, output } = await run('php8.2', [test], tree, {})
  return { verdict: code === 0 ? 'not noticed' : 'noticed', output }
}

/** Noticed means that this very test failed: a file that no longer loads, or a hook before it, says nothing about it. */
async function judgeTest(tree: string, { test, title, among }: Task, env: Record<string, string>): Promise<Judged> {
  const pattern = title
    .split('…')
    .map((part) => part.trim().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*')
  const options = ['--test', '--test-reporter=tap', '--test-force-exit', '--test-timeout=180000', '--disable-warning=ExperimentalWarning']
  const only = title === '' || among ? [] : [`--test-name-pattern=/${pattern}/u`]
  const { output, late } = await run(process.execPath, [...options, ...only, test], tree, env)
  const ended = (word: string) =>
    [...output.matchAll(new RegExp(`^( *)${word} \\d+ - .*${pattern}[^]*?^\\1 {2}\\.\\.\\.$`, 'gmu'))].map(([text]) => text)
  const failed = ended('not ok').find((text) => /^ *failureType: '(?!hookFailed|cancelledByParent)/m.test(text))
  if (failed !== undefined || late) return { verdict: 'noticed', output, why: reasonIn(failed ?? '') }
  return { verdict: ended('ok').length > 0 ? 'not noticed' : 'broken', output }
}

/** The first words of what a test failed with. */
const reasonIn = (failure: string): string => /^ *error: (?:\|-)?\s*(.{1,120})/m.exec(failure)?.[1] ?? 'it never ended'

interface Ran {
  code: number | null
  output: string
  late: boolean
}

function run(program: string, args: string[], cwd: string, env: Record<string, string>): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let output = ''
    let late = false
    const timer = setTimeout(() => {
      late = true
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, LONGEST_MS)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
      })
    child.on('error', failed)
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code, output, late })
    })
  })
}

await main(process.argv.slice(2))
