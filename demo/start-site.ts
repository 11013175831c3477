// Starts real WordPress sites from a program: the demo and the end-to-end tests.
import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type ConstantValue, documentRootOf } from './site-files.ts'

export interface SiteOptions {
  /** State folder of the site; kept between starts. */
  dir: string
  /** A free one when absent. */
  port?: number
  title: string
  /** Plugin folders; copied in and activated. Copied again only when the source has changed. */
  plugins?: string[]
  /** Must-use plugin files. */
  muPlugins?: string[]
  /** Defined in wp-config.php. */
  constants?: Record<string, ConstantValue>
  user?: string
  /** Used by the first start only; later starts keep what the site has. */
  pass?: string
  phpVersion?: string
}

export interface Site {
  url: string
  adminUser: string
  adminPassword: string
  /** Host folder of the WordPress files. */
  dir: string
  pid: number
  /** Runs a PHP script inside the site and returns what it printed; `/wordpress/wp-load.php` is WordPress. */
  runPhp: (code: string, env?: Record<string, string>) => Promise<string>
  stop: () => Promise<void>
}

interface Ready {
  ready: true
  url: string
  user: string
  password: string
}
interface Answer {
  id: number
  printed?: string
  error?: string
}

/** Resolves when the site answers; rejects with what it said when it could not start. */
export async function startSite(options: SiteOptions): Promise<Site> {
  const port = options.port ?? (await freePort())
  const env = { ...process.env, SITE_PASSWORD: options.pass ?? 'password', SITE_CONSTANTS: JSON.stringify(options.constants ?? {}) }
  const child = fork(join(import.meta.dirname, 'site.ts'), siteArguments(options, port), {
    env,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ready = await firstMessage(child)
  return {
    url: ready.url,
    adminUser: ready.user,
    adminPassword: ready.password,
    dir: documentRootOf(options.dir),
    pid: child.pid ?? 0,
    runPhp: phpRunner(child),
    stop: () => stopChild(child, exited),
  }
}

function siteArguments(options: SiteOptions, port: number): string[] {
  const single = {
    dir: options.dir,
    port: String(port),
    title: options.title,
    user: options.user ?? 'admin',
    php: options.phpVersion ?? '8.3',
  }
  return [
    ...Object.entries(single).flatMap(([name, value]) => [`--${name}`, value]),
    ...(options.plugins ?? []).flatMap((folder) => ['--plugin', folder]),
    ...(options.muPlugins ?? []).flatMap((file) => ['--mu', file]),
  ]
}

function firstMessage(child: ChildProcess): Promise<Ready> {
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-4000)
  })
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Ready))
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`The site did not start (${code ?? signal}): ${said.trim()}`)))
  })
}

function phpRunner(child: ChildProcess): Site['runPhp'] {
  const waiting = new Map<number, { resolve: (text: string) => void; reject: (error: Error) => void }>()
  let last = 0
  child.on('message', (message) => {
    const answer = message as Answer
    const asked = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (answer.error === undefined) asked?.resolve(answer.printed ?? '')
    else asked?.reject(new Error(answer.error))
  })
  child.once('exit', () => {
    for (const asked of waiting.values()) asked.reject(new Error('The site has stopped.'))
  })
  return (code, env = {}) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject })
      child.send({ id: last, code, env }, (error) => error && reject(error))
    })
}

/** SIGTERM first; a site caught in an endless PHP loop hears only SIGKILL. */
async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await exited
  clearTimeout(timer)
}

/** A loopback port nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('No port.'))))
    })
  })
}
