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

type Task = { test: string; title: string; mutation: Mutation }
interface Judged {
  verdict: 'noticed' | 'not noticed' | 'broken'
  output: string
}

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
        const { verdict, output } = await judge(tree, task, server.address.socketDir)
        const line = `${verdict === 'noticed' ? '✔' : '✖'} ${index + 1}/${tasks.length} ${verdict}: ${task.test} “${task.title}” without ${task.mutation[0]}`
        process.stdout.write(`${line}\n${verdict === 'noticed' ? '' : `${output.trimEnd().split('\n').slice(-30).join('\n')}\n`}`)
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

/** A test that fails alone anyway has noticed nothing: it must hold again with the control back in its place. */
async function judge(tree: string, task: Task, socketDir: string): Promise<Judged> {
  const without = await attempt(tree, task, editsOf(task.mutation), socketDir)
  if (without.verdict !== 'noticed') return without
  const { verdict, output } = await attempt(tree, task, [], socketDir)
  return verdict === 'not noticed' ? without : { verdict: 'broken', output }
}

async function attempt(tree: string, { test, title }: Task, edits: Edit[], socketDir: string): Promise<Judged> {
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
    return await (test.endsWith('.php') ? judgePhp(tree, [...before.keys()], test, title) : judgeTest(tree, test, title, socketDir))
  } finally {
    for (const [at, text] of before) fs.writeFileSync(at, text)
  }
}

/** Where a title is named, it is that line that must be printed. */
async function judgePhp(tree: string, changed: string[], test: string, title: string): Promise<Judged> {
  for (const file of changed) {
    const lint = await run('php8.2', ['-l', file], tree, {})
    if (lint.code !== 0) return { verdict: 'broken', output: lint.output }
  }
  const { code, output } = await run('php8.2', [test], tree, {})
  return { verdict: code !== 0 && output.includes(title) ? 'noticed' : 'not noticed', output }
}

/** Noticed means that this very test failed: a file that no longer loads says nothing about it. */
async function judgeTest(tree: string, test: string, title: string, socketDir: string): Promise<Judged> {
  const pattern = title
    .split('…')
    .map((part) => part.trim().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*')
  const options = ['--test', '--test-reporter=tap', '--test-force-exit', '--test-timeout=180000', '--disable-warning=ExperimentalWarning']
  const env = { SERVICE_TEST_POSTGRES: socketDir }
  const only = title === '' ? [] : [`--test-name-pattern=/${pattern}/u`]
  const { output, late } = await run(process.execPath, [...options, ...only, test], tree, env)
  const failed = new RegExp(`^\\s*not ok \\d+ - .*${pattern}`, 'mu').test(output)
  if (failed || late) return { verdict: 'noticed', output }
  return { verdict: new RegExp(`^\\s*ok \\d+ - .*${pattern}`, 'mu').test(output) ? 'not noticed' : 'broken', output }
}

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
