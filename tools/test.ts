import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startTestServer } from '../server/test/database.ts'
import { runChecks } from './checks.ts'
import { heavyFiles } from './heavy.ts'

const ROOT = path.join(import.meta.dirname, '..')
/** Only the small suite of e2e: what lies in folders below is heavier and has its own command. */
const ALL_TESTS = [
  ...['server', 'cli/src', 'mcp/src', 'contract', 'tools', 'demo'].map((folder) => `${folder}/**/*.test.ts`),
  'e2e/*.test.ts',
]
/** What moves the data and the code of a site or watches its pages, what decides on it, and what starts programs of its own: these take longer than all others. */
const worksOnSites = /^server\/src\/(?:backups|restores|updates|rollouts|policies|tweaks|links|performance|uptime)\//
const startsPrograms = /child_process'|\/service-process\.ts'|\/installed\.ts'|startEmbeddedPostgres/
/** To import the service takes longer than most files do: so a process runs many files, and some always wait for something. */
const PROCESSES = Math.max(2, os.availableParallelism()) + 6
/** With more, the visitors that poll the sites of the one keep the other from its end. */
const HEAVY_AT_ONCE = 2
/** More than there are processes, so that none runs long after the others. */
const GROUPS = PROCESSES + 4

/** Whenever a database is dropped it is sought in all of them. */
const smallBuffers = { shared_buffers: '24MB' }

const { env, argv } = process
const running = new Set<ReturnType<typeof spawn>>()
let ended = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    ended = true
    for (const testing of running) testing.kill(signal)
  })

/**
 * `npm test` checks everything and tests all but what `--integration` and `--heavy` test alone; `npm test -- <files>` only runs
 * those test files.
 */
async function main(words: string[]): Promise<void> {
  const [which] = words
  const named = which === '--integration' || which === '--heavy' ? [] : words
  const starting = named.length > 0 && named.every(bringsItsOwn) ? undefined : timed('database', startTestServer(smallBuffers))
  const failed = words.length > 0 ? [] : await runChecks()
  const server = await starting
  const environment = testEnvironment(server?.address.socketDir)
  const passed = await (named.length > 0 ? runNamed(named, environment) : runUnnamed(which, environment))
  await server?.stop()
  if (failed.length > 0) process.stdout.write(`✖ the tests ran, but these checks failed: ${failed.join(', ')}\n`)
  process.exitCode = passed && failed.length === 0 ? 0 : 1
}

const allFiles = () => fs.globSync(ALL_TESTS, { cwd: ROOT, exclude: ['**/node_modules'] }).toSorted()
const integrates = (file: string) => worksOnSites.test(file) || startsPrograms.test(textOf(file))
const textOf = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8')

const OPTIONS = ['--test-reporter=spec', '--test-force-exit', '--disable-warning=ExperimentalWarning']
/** A process for each file. */
const APART = [...OPTIONS, '--test', '--test-concurrency=1', '--test-timeout=900000']

async function runNamed(files: string[], environment: NodeJS.ProcessEnv): Promise<boolean> {
  const { code } = await run([...APART, ...files], environment, 'inherit')
  return code === 0
}

async function runUnnamed(which: string | undefined, environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (which === '--heavy')
    return runAll(
      heavyFiles().map((file) => [...APART, file]),
      HEAVY_AT_ONCE,
      environment,
    )
  const isIntegration = which === '--integration'
  const groups = groupsOf(allFiles().filter((file) => integrates(file) === isIntegration))
  const grouped = groups.map((group) => [...OPTIONS, ...(group.length > 1 ? ['tools/test-group.ts'] : []), ...group])
  return runAll(grouped, PROCESSES, environment)
}

/** Groups that take about as long as each other. */
function groupsOf(files: string[]): string[][] {
  const groups: string[][] = Array.from({ length: GROUPS }, () => [])
  const [alone, many] = [files.filter(waitsAtItsTop), files.filter((file) => !waitsAtItsTop(file))]
  // A long file takes long. There and back, so that no group has the longer one each time.
  const rounds = many.toSorted((a, b) => lengthOf(b) - lengthOf(a)).entries()
  for (const [i, file] of rounds) {
    const [round, place] = [Math.floor(i / GROUPS), i % GROUPS]
    groups[round % 2 === 0 ? place : GROUPS - 1 - place]?.push(file)
  }
  return [...groups, ...alone.map((file) => [file])]
}

/** So many processes at once; what each said is printed when it ends, and what failed once more at the end. */
async function runAll(commands: string[][], atOnce: number, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const totals = new Map<string, number>()
  const failures: string[] = []
  const turn = commands.values()
  const work = async () => {
    for (const command of turn) {
      if (ended) return
      const began = performance.now()
      const { code, output } = await run(command, environment, 'pipe')
      const [told = '', failing = ''] = output.split(/^✖ failing tests:$/m)
      const files = command.filter((word) => word.endsWith('.test.ts'))
      if (files.length === 1) process.stdout.write(`=== ${files[0]} ${Math.round((performance.now() - began) / 1000)} s\n`)
      process.stdout.write(told.replace(/^ℹ .*\n/gm, ''))
      for (const [, name = '', count] of told.matchAll(/^ℹ (tests|pass|fail|cancelled|skipped|todo) (\d+)$/gm))
        totals.set(name, (totals.get(name) ?? 0) + Number(count))
      if (code !== 0) failures.push(failing || `\nThese ended with ${code}:\n${files.join('\n')}\n${output.slice(-4000)}\n`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  for (const [name, count] of totals) process.stdout.write(`ℹ ${name} ${count}\n`)
  if (failures.length > 0) process.stdout.write(`\n✖ failing tests:\n${failures.join('')}`)
  return failures.length === 0 && !ended
}

/** The dashboard waits for its language before it says a word; such a file is a process of its own. */
const waitsAtItsTop = (file: string) => /from '[./]+\/dashboard\/src\//.test(textOf(file))

const lengthOf = (file: string) => fs.statSync(path.join(ROOT, file)).size

async function run(args: string[], environment: NodeJS.ProcessEnv, stdout: 'inherit' | 'pipe') {
  const testing = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', stdout, 'inherit'], env: environment })
  running.add(testing)
  let output = ''
  testing.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(testing, 'close')
  running.delete(testing)
  return { code, output }
}

/** Stories of native sites ask a service with a database of its own. */
const bringsItsOwn = (file: string) => file.startsWith('e2e/native/')

/**
 * What an operator has set for a real service must not reach the tests. Nor must what keeps the memory of one small
 * (tools/bootstrap.mjs): to take and give back the same pages again and again is a quarter of the time of tests that move data,
 * and more of the browsers, web servers and databases that they start.
 */
function testEnvironment(socketDir?: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(SERVICE_|MALLOC_|DATABASE_URL$)/.test(name))
  return { ...Object.fromEntries(kept), ...(socketDir !== undefined && { SERVICE_TEST_POSTGRES: socketDir }) }
}

async function timed<T>(name: string, work: Promise<T>): Promise<T> {
  const started = performance.now()
  const result = await work
  process.stdout.write(`✔ ${name} ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
  return result
}

await main(argv.slice(2))
