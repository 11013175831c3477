// What the native fleet takes from Debian: PHP-FPM, nginx, MariaDB, and an old WordPress.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, startProgress } from '../../demo/npm.ts'

export const PHP_VERSION = '8.2'
const OLD_WORDPRESS_VERSION = '6.1.9'

const EXTENSIONS = ['curl', 'gd', 'intl', 'mbstring', 'mysql', 'sqlite3', 'xml', 'zip']
const PACKAGES = [
  ...['fpm', 'cli', ...EXTENSIONS].map((name) => `php${PHP_VERSION}-${name}`),
  ...['nginx-light', 'mariadb-server-core', 'mariadb-client-core', 'apache2-bin'],
]
// Debian's WordPress links to these instead of carrying their files.
const OLD_WORDPRESS_PACKAGES = ['wordpress', 'wordpress-theme-twentytwentythree', 'php-getid3', 'libjs-underscore', 'libjs-cropper']

/** A line for each package that dpkg has heard of. */
const STATES = `--showformat=\${db:Status-Status} \${Package}\n`

/** Installs the packages that are missing; waits up to ten minutes while somebody else uses dpkg. */
export async function ensurePackages(packages: string[] = PACKAGES): Promise<void> {
  const installed = new Set((await run('dpkg-query', ['--show', STATES])).split('\n'))
  const missing = packages.filter((name) => !installed.has(`installed ${name}`))
  if (missing.length === 0) return
  const progress = startProgress(`Installing ${missing.length} Debian packages`)
  // With RUNLEVEL=1 the packages' own services are not started.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  try {
    await aptGet(['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=600', ...missing], env)
  } finally {
    progress.done()
  }
}

/** Unpacks Debian's WordPress below `cache`, its links replaced by the files they mean. */
export async function ensureOldWordPress(cache: string): Promise<void> {
  const folder = oldWordPressFolder(cache)
  if (existsSync(folder)) return
  await mkdir(cache, { recursive: true })
  const partial = await mkdtemp(join(cache, '.partial-'))
  try {
    await aptGet(['download', ...OLD_WORDPRESS_PACKAGES], process.env, partial)
    for (const name of await readdir(partial)) await run('dpkg', ['-x', join(partial, name), join(partial, 'tree')])
    const source = join(partial, 'tree', 'usr', 'share', 'wordpress')
    for (const name of ['wp-config.php', '.htaccess', 'wp-includes/certificates/ca-bundle.crt'])
      await rm(join(source, name), { force: true })
    await run('cp', ['-rL', source, join(partial, 'plain')])
    await rename(join(partial, 'plain'), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error // Another process was first, and its copy is as good.
    })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

export const oldWordPressFolder = (cache: string): string => join(cache, `wordpress-${OLD_WORDPRESS_VERSION}`)

/** Once more after refreshing the package lists, which a fresh container does not have. */
async function aptGet(args: string[], env: NodeJS.ProcessEnv, cwd = '/'): Promise<void> {
  const install = () => run('apt-get', args, { cwd, env })
  await install().catch(async () => {
    await sleep(2000)
    await run('apt-get', ['update'], { env })
    await install()
  })
}
