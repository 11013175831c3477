// One real WordPress site in its own process: PHP as WebAssembly, SQLite, one loopback port.
//   node tools/bootstrap.mjs demo/site.ts --dir demo/.sites/one --port 8101 --title 'Site one' --user admin --pass secret
//     [--plugin folder]… [--mu file.php]… [--const NAME=<JSON value>]… [--php 8.3]
// Prints one JSON line when it serves. SIGTERM stops it. It ends when the process that started it is gone.
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { ensureAssets, ensureRuntime } from './assets.ts'
import { phpScript, startPhp } from './php.ts'
import {
  type ConstantValue,
  copyMuPlugins,
  copyPlugins,
  documentRootOf,
  ensureWordPress,
  readState,
  writeConfig,
  writeState,
} from './site-files.ts'
import { serveSite } from './site-server.ts'

const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    port: { type: 'string' },
    title: { type: 'string', default: 'Demo site' },
    user: { type: 'string', default: 'admin' },
    pass: { type: 'string' },
    plugin: { type: 'string', multiple: true, default: [] },
    mu: { type: 'string', multiple: true, default: [] },
    const: { type: 'string', multiple: true, default: [] },
    php: { type: 'string', default: '8.3' },
  },
})
if (!values.dir || !values.port) throw new Error('site.ts needs --dir and --port.')
const started = performance.now()
const dir = resolve(values.dir)
const url = `http://127.0.0.1:${values.port}`
const password = values.pass ?? process.env.SITE_PASSWORD ?? 'password'
const constants: Record<string, ConstantValue> = { ...JSON.parse(process.env.SITE_CONSTANTS ?? '{}'), ...constantsFrom(values.const) }

endWithParent()
// php-wasm leaves folders in the temporary folder; give it one of its own, emptied at every start.
process.env.TMPDIR = join(dir, 'tmp')
rmSync(process.env.TMPDIR, { recursive: true, force: true })
mkdirSync(process.env.TMPDIR, { recursive: true })

await ensureWordPress(dir, await ensureAssets())
const state = readState(dir, password)
await writeConfig(dir, url, state, constants)
await copyMuPlugins(dir, values.mu)
const copied = await copyPlugins(dir, values.plugin, state)
const php = await startPhp({ runtime: await ensureRuntime(values.php), version: values.php, root: documentRootOf(dir), url, instances: 2 })
const server = await serveSite({ php, root: documentRootOf(dir), port: Number(values.port) })
const wanted = { title: values.title, user: values.user, password: state.password, activate: copied }
const setup: unknown = JSON.parse(await php.run(phpScript('setup.php'), { SITE_SETUP: JSON.stringify(wanted) }))
// Only now: a start that was killed before this line copies and activates again.
await writeState(dir, state)

process.on('SIGTERM', stop)
// Ctrl-C reaches the whole group; a site that was started by a program waits for that program to stop it.
process.on('SIGINT', () => process.send || stop())
process.on('message', answerParent)
const ready = {
  ready: true,
  url,
  pid: process.pid,
  user: values.user,
  password: state.password,
  setup,
  boot_ms: Math.round(performance.now() - started),
}
process.stdout.write(`${JSON.stringify(ready)}\n`)
process.send?.(ready)

function stop(): void {
  server.close(() => process.exit(0))
  server.closeIdleConnections()
}

/** The parent may run a script in the site: {id, code, env} is answered by {id, printed} or {id, error}. */
function answerParent(message: { id: number; code: string; env: Record<string, string> }): void {
  php.run(message.code, message.env).then(
    (printed) => process.send?.({ id: message.id, printed }),
    (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
  )
}

/** The watch is a thread of its own, because a PHP loop blocks this one. */
function endWithParent(): void {
  process.on('disconnect', () => process.exit(1))
  const watch = `const parent = process.ppid
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 500)`
  new Worker(watch, { eval: true }).unref()
}

function constantsFrom(flags: string[]): Record<string, ConstantValue> {
  return Object.fromEntries(
    flags.map((flag) => [flag.slice(0, flag.indexOf('=')), JSON.parse(flag.slice(flag.indexOf('=') + 1)) as ConstantValue]),
  )
}
