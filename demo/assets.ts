// What a real WordPress site is made of, fetched once from npm packages into demo/.cache/.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { npm, type Progress, run, startProgress } from './npm.ts'

export const WORDPRESS_VERSION = '7.1.1'

/** Folders and files on this machine's disk. */
export interface Assets {
  wordpress: string
  sqlite: string
  wpCli: string
}

const CACHE = join(import.meta.dirname, '.cache')
const SOURCE = {
  name: 'wp-studio@1.22.0',
  bytes: 67_324_190,
  integrity: 'sha512-boMtahkhgWDKKyNTBA1uTK5ghnAmxXhDY6KeQCO9FmcI3/o+YOSq8JwYW5ZYnxHCxH14Jf/mD6CJTBvTWl2Ytw==',
  root: 'package/dist/cli/wp-files',
}

/** WordPress, the SQLite driver and WP-CLI; downloads 67 MB on the first call, reads the disk afterwards. */
export async function ensureAssets(): Promise<Assets> {
  const folder = join(CACHE, `wordpress-${WORDPRESS_VERSION}`)
  await ensureFolder(folder, `Downloading WordPress ${WORDPRESS_VERSION} (67 MB)`, fetchWordPress)
  return { wordpress: join(folder, 'wordpress'), sqlite: join(folder, 'sqlite-database-integration'), wpCli: join(folder, 'wp-cli.phar') }
}

/** The folder with PHP as WebAssembly (its `node_modules`), installed from a committed lockfile of its own. */
export async function ensureRuntime(phpVersion: string): Promise<string> {
  const source = join(import.meta.dirname, 'runtime', phpVersion)
  const lock = await readFile(join(source, 'package-lock.json')).catch(() => {
    throw new Error(`PHP ${phpVersion} is not among the versions in demo/runtime/.`)
  })
  const folder = join(CACHE, `php-${phpVersion}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`)
  await ensureFolder(folder, `Downloading PHP ${phpVersion} for Node (30 MB)`, async (target, progress) => {
    for (const name of ['package.json', 'package-lock.json']) await copyFile(join(source, name), join(target, name))
    await npm(['ci'], target, (bytes) => progress.update(megabytes(bytes)))
  })
  return folder
}

/** Makes `folder` by filling a temporary one beside it: a killed download leaves nothing that looks finished. */
async function ensureFolder(folder: string, label: string, fill: (target: string, progress: Progress) => Promise<void>): Promise<void> {
  if (await exists(folder)) return
  await removeLeftovers()
  const target = await mkdtemp(join(CACHE, `.partial-${process.pid}-`))
  const progress = startProgress(label)
  try {
    await chmod(target, 0o755)
    await fill(target, progress)
    await rename(target, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error
    })
    progress.done('done')
  } catch (error) {
    progress.done('failed')
    throw new Error(explain(label, error), { cause: error })
  } finally {
    await rm(target, { recursive: true, force: true })
  }
}

/** Removes what downloads left behind whose process was killed. */
async function removeLeftovers(): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  for (const name of await readdir(CACHE)) {
    const pid = Number(/^\.partial-(\d+)-/.exec(name)?.[1])
    if (pid && !isAlive(pid)) await rm(join(CACHE, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function fetchWordPress(target: string, progress: Progress): Promise<void> {
  await npm(['pack', SOURCE.name, '--pack-destination', target], target, (bytes) => progress.update(percent(bytes)))
  const archive = join(target, 'wp-studio-1.22.0.tgz')
  const found = await integrityOf(archive)
  if (found !== SOURCE.integrity) throw new Error(`${SOURCE.name} is not the package we expect: ${found} instead of ${SOURCE.integrity}.`)
  progress.update('unpacking')
  const members = ['latest/wordpress', 'sqlite-database-integration', 'wp-cli/wp-cli.phar'].map((path) => `${SOURCE.root}/${path}`)
  await run('tar', ['-xzf', archive, '-C', target, '--no-same-owner', ...members])
  await rm(archive)
  const unpacked = join(target, SOURCE.root)
  await rename(join(unpacked, 'latest/wordpress'), join(target, 'wordpress'))
  await rename(join(unpacked, 'sqlite-database-integration'), join(target, 'sqlite-database-integration'))
  await rename(join(unpacked, 'wp-cli/wp-cli.phar'), join(target, 'wp-cli.phar'))
  await rm(join(target, 'package'), { recursive: true })
}

async function integrityOf(path: string): Promise<string> {
  const hash = createHash('sha512')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return `sha512-${hash.digest('base64')}`
}

function explain(label: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  return [
    `${label} did not work.`,
    `Tried: npm, with its own settings (registry, proxy, certificates). Said: ${reason}`,
    'What to do: check that `npm view wp-studio version` works on this machine; behind a proxy set',
    '`npm config set proxy` and `https-proxy`; without any network copy the folder demo/.cache/ from',
    'a machine where `npm run demo` has run once. Nothing else is downloaded from anywhere.',
  ].join('\n')
}

const megabytes = (bytes: number) => (bytes > 0 ? `${(bytes / 1e6).toFixed(1)} MB` : '')
const percent = (bytes: number) => (bytes > 0 ? `${Math.min(100, Math.round((bytes / SOURCE.bytes) * 100))} %` : '')
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
