// The tools that back up a local folder, each into a repository of its own.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../demo/npm.ts'
import { costOfProgram } from '../../server/test/meter.ts'

/** `stored` counts the bytes that a step added. */
export interface Step {
  seconds: number
  cpu: number
  peak: number
  stored: number
}
export interface Rival {
  name: string
  /** Whether it builds on what it stored before. */
  incremental: boolean
  prepare(): Promise<void>
  backUp(): Promise<Step>
  restore(into: string): Promise<Step>
}

export const RIVAL_PACKAGES = ['restic', 'borgbackup', 'zstd']

export const bytesBelow = async (folder: string): Promise<number> => Number((await run('du', ['-sb', folder])).split('\t')[0])

/** All of them back up `source`; what they write goes below `folder`. */
export function rivals(folder: string, source: string): Rival[] {
  return [restic(join(folder, 'restic'), source), borg(join(folder, 'borg'), source), tarZstd(join(folder, 'tar'), source)]
}

async function measured(repository: string, program: string, args: string[], options: Parameters<typeof costOfProgram>[2]): Promise<Step> {
  const before = await bytesBelow(repository)
  const cost = await costOfProgram(program, args, options)
  return { ...cost, stored: (await bytesBelow(repository)) - before }
}

function restic(folder: string, source: string): Rival {
  const repository = join(folder, 'repository')
  const env = { ...process.env, RESTIC_PASSWORD: 'bench', RESTIC_CACHE_DIR: join(folder, 'cache'), RESTIC_REPOSITORY: repository }
  return {
    ...{ name: 'restic', incremental: true },
    async prepare() {
      await mkdir(folder, { recursive: true })
      await run('restic', ['init'], { env })
    },
    backUp: () => measured(repository, 'restic', ['backup', '--quiet', '.'], { env, cwd: source }),
    restore: (into) => measured(repository, 'restic', ['restore', 'latest', '--quiet', '--target', into], { env }),
  }
}

function borg(folder: string, source: string): Rival {
  const repository = join(folder, 'repository')
  const env = { ...process.env, BORG_PASSPHRASE: 'bench', BORG_BASE_DIR: join(folder, 'base'), BORG_RELOCATED_REPO_ACCESS_IS_OK: 'yes' }
  let archives = 0
  return {
    ...{ name: 'borg', incremental: true },
    async prepare() {
      await mkdir(folder, { recursive: true })
      await run('borg', ['init', '--encryption', 'repokey-blake2', repository], { env })
    },
    backUp: () =>
      measured(repository, 'borg', ['create', '--compression', 'zstd,3', `${repository}::${++archives}`, '.'], { env, cwd: source }),
    restore: (into) => measured(repository, 'borg', ['extract', `${repository}::${archives}`], { env, cwd: into }),
  }
}

function tarZstd(folder: string, source: string): Rival {
  const archive = join(folder, 'archive.tar.zst')
  const shell = (command: string, cwd: string) => measured(folder, 'bash', ['-o', 'pipefail', '-c', command, 'bench', archive], { cwd })
  return {
    ...{ name: 'tar+zstd', incremental: false },
    prepare: async () => void (await mkdir(folder, { recursive: true })),
    async backUp() {
      await rm(archive, { force: true })
      return shell('tar -cf - . | zstd -q -3 -o "$1"', source)
    },
    restore: (into) => shell('zstd -qdc "$1" | tar -xf -', into),
  }
}
