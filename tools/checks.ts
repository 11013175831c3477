import { spawn } from 'node:child_process'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '..')

const CHECKS = [
  { name: 'types', program: 'tsc', args: ['-p', 'tsconfig.json', '--noEmit'] },
  { name: 'types of the dashboard', program: 'tsc', args: ['-p', 'dashboard', '--noEmit'] },
  { name: 'style', program: 'biome', args: ['check', '--colors=off'] },
  { name: 'unused', program: 'knip', args: ['--no-progress'] },
]

/** Runs the checks that need no running code, side by side; says how each went and answers the names of those that failed. */
export async function runChecks(): Promise<string[]> {
  const results = await Promise.all(CHECKS.map(runCheck))
  return results.flatMap((failed) => failed ?? [])
}

async function runCheck({ name, program, args }: (typeof CHECKS)[number]): Promise<string | undefined> {
  const started = performance.now()
  const { code, output } = await run(program, args)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${code === 0 ? '✔' : '✖'} ${name} (${program}) ${seconds} s\n${code === 0 ? '' : `${output.trimEnd()}\n`}`)
  return code === 0 ? undefined : name
}

function run(program: string, args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((done, failed) => {
    const child = spawn(path.join(ROOT, 'node_modules/.bin', program), args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.on('error', failed)
    child.on('close', (code) => done({ code, output }))
  })
}
