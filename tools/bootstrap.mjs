// Runs a TypeScript file of this repository on Node 24: node tools/bootstrap.mjs [--dev] [--quiet] <entry.ts> [arguments]
// Plain JavaScript for Node 18 and newer, without a package: it is what installs them. Standard output belongs to the entry.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED_NODE = 24

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const { env } = process

const { dev, quiet, entry, rest } = readArguments(process.argv.slice(2))
if (!isInstalled(dev)) install()
const node = findNode()
// A smaller nursery, and a heap that grows by less than its size before it is collected: a thousand sites asked at once, or a large
// backup, would otherwise leave 100 MB behind that nobody uses. With so small a nursery V8 takes what belongs to a call in flight for
// what stays, and allocates its like among the old ever after: a fifth of the processor time of a list. Nor is it worth waking other
// threads for so small a nursery. Memory outside of the heap counts towards the heap's own limit instead of one of 64 MB: a backup
// of a gigabyte, whose buffers are given back by hand, would mark the whole heap for each 64 MB that pass.
const args = [
  '--max-semi-space-size=2',
  '--heap-growing-percent=34',
  '--no-allocation-site-pretenuring',
  '--external-memory-accounted-in-global-limit',
  '--no-parallel-scavenge',
  path.resolve(root, entry),
  ...rest,
]
const childEnv = {
  ...env,
  PATH: `${path.dirname(node)}${path.delimiter}${env.PATH ?? ''}`,
  // glibc: worker threads that pack backups would otherwise keep a heap of their own each, and buffers would not be given back:
  // the size from which they are would grow with the largest one that ever was. 64 KiB, as the network is read, stays below it.
  MALLOC_ARENA_MAX: env.MALLOC_ARENA_MAX ?? '1',
  MALLOC_MMAP_THRESHOLD_: env.MALLOC_MMAP_THRESHOLD_ ?? '70000',
  MALLOC_TRIM_THRESHOLD_: env.MALLOC_TRIM_THRESHOLD_ ?? '70000',
  // Half of the start would be compiling; a folder that cannot be written is ignored.
  NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? path.join(root, 'node_modules/.cache/compiled'),
}
// npm and its shell do not always pass on that they end: the kernel does.
const guarded = !process.execve || env.npm_lifecycle_event !== undefined
const command = [...(guarded ? dieWithParent() : []), node, ...args]
if (process.execve) process.execve(command[0], command, childEnv)
else runAsChild()

/** @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

function readArguments(argv) {
  const options = { dev: false, quiet: false }
  while (argv[0] === '--dev' || argv[0] === '--quiet') options[argv.shift().slice(2)] = true
  if (!argv[0] || argv[0].startsWith('-')) fail('usage: node tools/bootstrap.mjs [--dev] [--quiet] <entry.ts> [arguments]')
  return { ...options, entry: argv[0], rest: argv.slice(1) }
}

/** npm writes its own record into node_modules last, so an interrupted installation has none and is never taken for complete. */
function isInstalled(withDev) {
  const installed = readPackages('node_modules/.package-lock.json')
  const wanted = Object.entries(readPackages('package-lock.json') ?? fail('package-lock.json is missing or damaged'))
  return wanted.every(([place, one]) => !isNeeded(place, one, withDev) || isSame(installed?.[place], one))
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(path.join(root, file), 'utf8')).packages
  } catch {
    return undefined
  }
}

/** An optional package without a platform is there only for the sake of another optional one, which may not be for us. */
function isNeeded(place, { dev: onlyDev, optional, os: systems, cpu: processors, libc }, withDev) {
  if (!place.includes('node_modules/') || (onlyDev && !withDev) || (optional && !systems && !processors)) return false
  return allows(systems, process.platform) && allows(processors, os.arch()) && allows(libc, 'glibc')
}

function allows(values, value) {
  if (!values) return true
  const list = [values].flat()
  return list.includes(value) || (list.every((one) => one.startsWith('!')) && !list.includes(`!${value}`))
}

function hasOthers() {
  const wanted = readPackages('package-lock.json')
  return Object.keys(readPackages('node_modules/.package-lock.json') ?? {}).some((place) => !(place in wanted))
}

function isSame(found, { version, integrity }) {
  return found !== undefined && found.version === version && found.integrity === integrity
}

function install() {
  const lock = lockInstallation()
  if (isInstalled(dev)) return // Somebody else did it while we waited.
  if (!quiet) process.stderr.write('Installing the packages named in package-lock.json; this happens once …\n')
  const npm = env.npm_execpath ? [process.execPath, env.npm_execpath] : ['npm']
  // Not `npm ci`: it refuses a lockfile made where packages for other platforms were out of reach, and it pulls the packages away
  // from under a running service. `--no-save` keeps to the lockfile all the same, and we look again below.
  const options = ['--no-save', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const [program, ...words] = [...dieWithParent(), ...npm, 'install', ...options, dev ? '--include=dev' : '--omit=dev']
  // npm inherits the lock, so that nobody starts beside it even when we are killed.
  const { status, error } = spawnSync(program, words, { cwd: root, stdio: ['ignore', quiet ? 'ignore' : 2, 2, lock] })
  if (error) fail(`npm could not be started: ${error.message}`)
  if (status !== 0) fail('the packages could not be installed; what npm said is above')
  if (!isInstalled(dev) || hasOthers())
    fail('npm did not install exactly what package-lock.json names; do package.json and the lockfile agree?')
  fs.closeSync(lock)
}

/** Waits until no other bootstrap installs. The kernel drops the lock of whoever dies; where there is no `flock`, nothing is locked. */
function lockInstallation() {
  fs.mkdirSync(path.join(root, 'tmp'), { recursive: true })
  const descriptor = fs.openSync(path.join(root, 'tmp/installing.lock'), 'a')
  spawnSync('flock', ['3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] })
  return descriptor
}

function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= NEEDED_NODE && fs.existsSync(process.execPath)) return process.execPath
  const packaged = path.join(root, `node_modules/node-${process.platform}-${os.arch()}/bin/node`)
  if (!fs.existsSync(packaged)) {
    fail(
      `Node ${NEEDED_NODE} or newer is needed here: for ${process.platform}-${os.arch()} none is included, and this is ${process.version}`,
    )
  }
  const { status, stderr, error } = spawnSync(packaged, ['--version'], { encoding: 'utf8' })
  if (status !== 0)
    fail(`the included Node does not run on this machine: ${(error?.message ?? stderr).trim()}; install Node ${NEEDED_NODE}`)
  return packaged
}

/** The beginning of a command line that is told to end when its parent ends; empty where the machine has no such thing. */
function dieWithParent() {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => fs.existsSync(file))
  const prefix = ['--pdeathsig', 'TERM']
  return setpriv && spawnSync(setpriv, [...prefix, 'true'], { stdio: 'ignore' }).status === 0 ? [setpriv, ...prefix] : []
}

/** Where a process cannot replace itself: the child gets our signals, ends when we end, and we end as it did. */
function runAsChild() {
  const child = spawn(command[0], command.slice(1), { stdio: 'inherit', env: childEnv })
  const forward = (signal) => child.kill(signal)
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, forward)
  // A terminal has sent it to the child already.
  process.on('SIGINT', (signal) => process.stdin.isTTY || forward(signal))
  child.on('error', (error) => fail(`Node could not be started: ${error.message}`))
  child.on('exit', (code, signal) => {
    for (const each of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.removeAllListeners(each)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
}
