import { spawn } from 'node:child_process'
import { once } from 'node:events'
import os from 'node:os'
import path from 'node:path'
import { startTestServer } from '../server/test/database.ts'
import { runChecks } from './checks.ts'

const ROOT = path.join(import.meta.dirname, '..')
const ALL_TESTS = ['server', 'cli/src', 'mcp/src', 'contract', 'tools', 'demo'].map((folder) => `${folder}/**/*.test.ts`)
/** Only the small suite: what lies in folders below is heavier and has its own command. */
const SMALL_E2E = 'e2e/*.test.ts'

const { env, argv } = process

/** `npm test` checks and tests everything; `npm test -- <files>` only runs those test files. */
async function main(files: string[]): Promise<void> {
  const starting = files.length > 0 && files.every(bringsItsOwn) ? undefined : timed('database', startTestServer())
  const failed = files.length > 0 ? [] : await runChecks()
  const server = await starting
  const testing = spawn(process.execPath, testCommand(files), {
    cwd: ROOT,
    stdio: 'inherit',
    env: testEnvironment(server?.address.socketDir),
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => testing.kill(signal))
  const [code] = await once(testing, 'close')
  await server?.stop()
  if (failed.length > 0) process.stdout.write(`✖ the tests ran, but these checks failed: ${failed.join(', ')}\n`)
  process.exitCode = failed.length > 0 ? 1 : (code ?? 1)
}

function testCommand(files: string[]): string[] {
  // Named files are the heavy ones, each of which wants the machine for itself; of the others some always wait for something.
  const atOnce = files.length > 0 ? 1 : Math.max(2, os.availableParallelism()) + 6
  const options = [
    '--test',
    `--test-concurrency=${atOnce}`,
    '--test-reporter=spec',
    // A test that hangs, not one that is slow: under load everything takes as long as it takes.
    '--test-timeout=900000',
    '--test-force-exit',
    '--disable-warning=ExperimentalWarning',
  ]
  return [...options, ...(files.length > 0 ? files : [...ALL_TESTS, SMALL_E2E])]
}

/** Stories of native sites ask a service with a database of its own. */
const bringsItsOwn = (file: string) => file.startsWith('e2e/native/')

/** What an operator has set for a real service must not reach the tests. */
function testEnvironment(socketDir?: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('SERVICE_') && name !== 'DATABASE_URL')
  return { ...Object.fromEntries(kept), ...(socketDir !== undefined && { SERVICE_TEST_POSTGRES: socketDir }) }
}

async function timed<T>(name: string, work: Promise<T>): Promise<T> {
  const started = performance.now()
  const result = await work
  process.stdout.write(`✔ ${name} ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
  return result
}

await main(argv.slice(2))
