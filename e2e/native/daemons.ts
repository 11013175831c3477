// The programs of a native fleet: children of this process, which end with it even when it is killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../demo/npm.ts'
import { PHP_VERSION } from './debian.ts'

/** A running program that can be stopped. */
export interface Daemon {
  pid: number
  stop: () => Promise<void>
}

/** Debian's user for web servers; the database runs under it too, so that no user has to be made. */
export const WEB_USER = 'www-data'

export async function startPhpFpm(folder: string): Promise<Daemon> {
  const config = ['--nodaemonize', '--fpm-config', join(folder, 'fpm.conf'), '-c', join(folder, 'php.ini')]
  return startDaemon(`php-fpm${PHP_VERSION}`, config, {
    folder,
    env: { ...process.env, PHP_INI_SCAN_DIR: extensionsFolder(folder), ...clockOf(folder) },
    isUp: () => existsSync(join(folder, 'run', 'fpm.pid')),
  })
}

const clockFile = (folder: string): string => join(folder, 'clock')

/** Puts the clock of this fleet's PHP wrong from now on, as libfaketime has it: `-20m`, `+3h`; PHP that was started without one has the machine's. */
export const setClock = (folder: string, offset: string): Promise<void> => writeFile(clockFile(folder), offset)

/** Variables for whoever lives by the fleet's clock. Times of files are the machine's, as on a disk over the network. */
export const clockOf = (folder: string): NodeJS.ProcessEnv =>
  existsSync(clockFile(folder))
    ? {
        ...{ LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1', FAKETIME_TIMESTAMP_FILE: clockFile(folder), FAKETIME_NO_CACHE: '1' },
        ...{ NO_FAKE_STAT: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
      }
    : {}

export const extensionsFolder = (folder: string): string => join(folder, 'extensions')
/** Where commands of WP-CLI keep what PHP compiled. */
export const compiledFolder = (folder: string): string => join(folder, 'tmp', 'compiled')

export async function startNginx(folder: string): Promise<Daemon> {
  return startDaemon('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'log', 'nginx.log')], {
    folder,
    isUp: () => existsSync(join(folder, 'run', 'nginx.pid')),
  })
}

export async function startApache(folder: string): Promise<Daemon> {
  return startDaemon('apache2', ['-DFOREGROUND', '-f', join(folder, 'apache.conf')], {
    folder,
    env: { ...process.env, PHP_INI_SCAN_DIR: extensionsFolder(folder) },
    isUp: () => existsSync(join(folder, 'run', 'apache.pid')),
  })
}

/** A MariaDB with a data folder and a socket of its own, and no network; any MariaDB of the machine is not touched. */
export async function startMariadb(folder: string, template: string, more: string[] = []): Promise<Daemon> {
  if (!existsSync(template)) await makeTemplate(template)
  await run('cp', ['-a', '--reflink=auto', template, join(folder, 'mariadb')])
  const temporary = join(folder, 'mariadb-tmp')
  await makeOwn([temporary])
  const settings = [
    '--innodb-buffer-pool-size=64M',
    '--innodb-flush-log-at-trx-commit=0',
    '--performance-schema=OFF',
    '--max-connections=100',
  ]
  return startDaemon(
    'mariadbd',
    [
      ...['--no-defaults', `--datadir=${join(folder, 'mariadb')}`, `--socket=${databaseSocket(folder)}`, '--skip-networking'],
      ...[`--pid-file=${join(folder, 'run', 'mariadb.pid')}`, `--tmpdir=${temporary}`, '--skip-log-bin', ...settings, ...more],
    ],
    { folder, user: WEB_USER, isUp: () => existsSync(databaseSocket(folder)) },
  )
}

export const databaseSocket = (folder: string): string => join(folder, 'run', 'mariadb.sock')

async function makeTemplate(template: string): Promise<void> {
  await mkdir(dirname(template), { recursive: true })
  const partial = await mkdtemp(join(dirname(template), '.partial-'))
  const [data, temporary] = [join(partial, 'data'), join(partial, 'tmp')]
  await makeOwn([partial, data, temporary])
  // Every server that starts removes all temporary tables in its temporary folder, those of others too.
  await run('mariadb-install-db', [
    ...['--no-defaults', `--user=${WEB_USER}`, `--datadir=${data}`, `--tmpdir=${temporary}`],
    ...['--skip-test-db', '--auth-root-authentication-method=normal'],
  ])
  await rename(data, template).catch((error: unknown) => {
    if (!existsSync(template)) throw error // Another process was first, and its copy is as good.
  })
  await rm(partial, { recursive: true, force: true })
}

/** Folders that are the database's. */
async function makeOwn(folders: string[]): Promise<void> {
  const { uid, gid } = await idsOf(WEB_USER)
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await chown(folder, uid, gid)
  }
}

/** Numeric ids of a user of this machine. */
async function idsOf(user: string): Promise<{ uid: number; gid: number }> {
  return { uid: Number(await run('id', ['-u', user])), gid: Number(await run('id', ['-g', user])) }
}

async function startDaemon(
  program: string,
  args: string[],
  options: { folder: string; isUp: () => boolean; user?: string; env?: NodeJS.ProcessEnv },
): Promise<Daemon> {
  const log = join(options.folder, 'log', `${program}.out`)
  const output = openSync(log, 'a')
  const identity = options.user ? [`--reuid=${options.user}`, `--regid=${options.user}`, '--clear-groups'] : []
  const child = spawn('setpriv', [...identity, '--pdeathsig', 'TERM', program, ...args], {
    stdio: ['ignore', output, output],
    env: options.env,
    // In a process group of its own: Apache with mod_php ends all of its group when it ends.
    detached: true,
  })
  closeSync(output)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const said = () => readFileSync(log, 'utf8').trim().slice(-2000)
  // On a busy machine it takes as long as it takes.
  for (; !options.isUp(); await sleep(20))
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${program} ended at once: ${said()}`)
  return { pid: child.pid ?? 0, stop: () => stopDaemon(child, exited) }
}

async function stopDaemon(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await exited
  clearTimeout(timer)
}
