// One site of the native fleet: its files, its database, its installation.
import { cp, mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Assets } from '../../demo/assets.ts'
import { run } from '../../demo/npm.ts'
import { addSqliteDriver, type ConstantValue, configFile, newSalts } from '../../demo/site-files.ts'
import type { Place } from './config-files.ts'
import { clockOf, compiledFolder, databaseSocket, WEB_USER } from './daemons.ts'
import { PHP_VERSION } from './debian.ts'

export interface NewSite {
  /** Folder of the fleet. */
  fleet: string
  place: Place
  url: string
  admin: { user: string; password: string }
  /** The WordPress to copy. */
  wordpress: string
  assets: Assets
  db: 'mariadb' | 'sqlite'
  plugins?: string[]
  muPlugins?: string[]
  constants?: Record<string, ConstantValue>
}

/** What WordPress itself writes for Apache. */
const PERMALINKS = `# BEGIN WordPress
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
# END WordPress
`

export async function makeSite(site: NewSite): Promise<void> {
  const { dir } = site.place
  for (const name of ['tmp', 'log']) await mkdir(join(dir, name), { recursive: true })
  await copyFiles(site)
  const database = site.db === 'mariadb' ? await makeDatabase(site) : { DB_NAME: 'wordpress' }
  await writeFile(join(dir, 'www', 'wp-config.php'), configFile(constantsOf(site, database), site.place))
  if (site.place.apache) await writeFile(join(dir, 'www', '.htaccess'), PERMALINKS)
  await run('chown', ['-R', `${WEB_USER}:`, dir])
  const cli = (args: string[]) => wpCli(site.place, site.url, args)
  const { user, password } = site.admin
  const admin = [`--admin_user=${user}`, `--admin_password=${password}`, '--admin_email=admin@example.invalid', '--skip-email']
  await cli(['core', 'install', `--url=${site.url}`, `--title=Native ${site.place.number}`, ...admin])
  await cli(['rewrite', 'structure', '/%postname%/'])
  const names = (site.plugins ?? []).map((folder) => basename(folder))
  if (names.length > 0) await cli(['plugin', 'activate', ...names])
}

/** Runs WP-CLI as the web user, without the web server's limits. */
export async function wpCli(place: Place, url: string, args: string[]): Promise<string> {
  const { dir } = place
  const identity = [`--reuid=${WEB_USER}`, `--regid=${WEB_USER}`, '--clear-groups']
  // What is compiled once is not compiled again by the next command.
  const settings = [
    ...['memory_limit=512M', 'error_reporting=E_ALL&~E_DEPRECATED'],
    ...['opcache.enable_cli=1', 'opcache.file_cache_only=1', `opcache.file_cache=${compiledFolder(join(dir, '..'))}`],
    'opcache.file_cache_consistency_checks=0',
  ]
  const php = [`php${PHP_VERSION}`, ...settings.flatMap((setting) => ['-d', setting]), join(dir, '..', 'wp-cli.phar')]
  // Memory in pieces of 2 MiB, which is half of what a command costs where a page fault is dear.
  const env = { PATH: process.env.PATH, USE_ZEND_ALLOC_HUGE_PAGES: '1', HOME: join(dir, 'tmp'), TMPDIR: join(dir, 'tmp') }
  // Set by the web user: libfaketime keeps what it shares with children under whoever begins.
  const clock = ['env', ...Object.entries(clockOf(join(dir, '..'))).map(([name, value]) => `${name}=${value}`)]
  return (
    await run('setpriv', [...identity, ...clock, ...php, `--path=${coreOf(place)}`, `--url=${url}`, ...args], { cwd: dir, env })
  ).trim()
}

async function copyFiles(site: NewSite): Promise<void> {
  const { place } = site
  const [root, content] = [coreOf(place), contentOf(place)]
  await mkdir(root, { recursive: true })
  await run('cp', ['-rT', '--reflink=auto', site.wordpress, root])
  if (content !== join(root, 'wp-content')) await rename(join(root, 'wp-content'), content)
  if (place.core !== '')
    await writeFile(
      join(place.dir, 'www', 'index.php'),
      `<?php\ndefine( 'WP_USE_THEMES', true );\nrequire __DIR__ . '/${place.core}/wp-blog-header.php';\n`,
    )
  await mkdir(join(content, 'mu-plugins'), { recursive: true })
  if (site.db === 'sqlite') await addSqliteDriver(root, site.assets)
  for (const folder of site.plugins ?? []) await cp(folder, join(content, 'plugins', basename(folder)), { recursive: true })
  for (const file of site.muPlugins ?? []) await cp(file, join(content, 'mu-plugins', basename(file)))
}

export const databaseOf = ({ livesIn }: Place): string => `wp_${livesIn}`
/** Host folder of WordPress itself. */
export const coreOf = ({ dir, core }: Place): string => join(dir, 'www', core)
/** Host folder of plugins, themes and uploads. */
export const contentOf = ({ dir, content }: Place): string => join(dir, 'www', content)

/** A database and a user with rights to nothing else. */
async function makeDatabase(site: NewSite): Promise<Record<string, string>> {
  const name = databaseOf(site.place)
  const sql = `CREATE DATABASE IF NOT EXISTS ${name} CHARACTER SET utf8mb4; GRANT ALL ON ${name}.* TO '${name}'@'localhost' IDENTIFIED BY 'password';`
  await run('mariadb', ['--no-defaults', `--socket=${databaseSocket(site.fleet)}`, '--user=root', '--execute', sql])
  return { DB_NAME: name, DB_USER: name, DB_PASSWORD: 'password', DB_HOST: `localhost:${databaseSocket(site.fleet)}` }
}

function addressesOf({ url, place }: NewSite): Record<string, ConstantValue> {
  const moved = place.content !== join(place.core, 'wp-content')
  return {
    ...{ WP_HOME: url, WP_SITEURL: place.core === '' ? url : `${url}/${place.core}` },
    ...(moved && { WP_CONTENT_DIR: contentOf(place), WP_CONTENT_URL: `${url}/${place.content}` }),
  }
}

function constantsOf(site: NewSite, database: Record<string, string>): Record<string, ConstantValue> {
  return {
    ...{ DB_NAME: '', DB_USER: '', DB_PASSWORD: '', DB_HOST: '', DB_CHARSET: 'utf8mb4', DB_COLLATE: '' },
    ...database,
    ...newSalts(),
    ...addressesOf(site),
    ...{ FS_METHOD: 'direct', WP_ENVIRONMENT_TYPE: 'production' },
    // Without these the first visit of every site waits for wordpress.org.
    ...{ DISABLE_WP_CRON: true, WP_HTTP_BLOCK_EXTERNAL: true, WP_ACCESSIBLE_HOSTS: '127.0.0.1,localhost' },
    ...site.constants,
  }
}
