// Real WordPress sites on Debian's PHP-FPM, nginx and MariaDB, with the limits of a cheap shared host. Needs root on Debian.
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureAssets } from '../../demo/assets.ts'
import { run } from '../../demo/npm.ts'
import type { ConstantValue } from '../../demo/site-files.ts'
import { makeCertificate } from './certificate.ts'
import { type Apache, apacheConfig, fpmConfig, nginxConfig, type Place, PORT, phpIni } from './config-files.ts'
import {
  compiledFolder,
  type Daemon,
  extensionsFolder,
  setClock,
  startApache,
  startMariadb,
  startNginx,
  startPhpFpm,
  WEB_USER,
} from './daemons.ts'
import { ensureOldWordPress, ensurePackages, oldWordPressFolder, PHP_VERSION } from './debian.ts'
import { ensureLightWordPress, lightWordPressFolder } from './light.ts'
import { contentOf, coreOf, databaseOf, makeSite, wpCli } from './native-site.ts'

/** The SQLite driver does not load in WordPress 6.1. */
export type SiteSpec = ({ wp: '7.1.1'; db: 'mariadb' | 'sqlite' } | { wp: '6.1.9'; db: 'mariadb' }) & {
  /** php.ini settings over the usual limits, for example `{ display_errors: '1' }`; `{place}` is the site's folder on the host. */
  php?: Record<string, string>
  /** PHP opens nothing outside of the site's folder (open_basedir), and looks at every folder above a file each time: a page takes twice as long. */
  confined?: true
  /** Apache in the place of nginx, and what its .htaccess files may say: `All`, `None`, `FileInfo AuthConfig`. */
  apache?: Apache
  /** Its address is then `http://127.1.x.y`, and https answers there too; folder with `ca.pem` and `ca.key`. */
  https?: { ca: string }
  /** Lines for this site's nginx. */
  nginx?: string
  /** Defined in this site's wp-config.php, over those of all. */
  constants?: Record<string, ConstantValue>
  /** A full-page cache stands in front of it: it keeps pages whatever their query and headers say, and gives them when the site is dead. */
  pageCache?: boolean
  /** nginx has no rule against files whose names begin with a dot, as it comes. */
  dotFiles?: boolean
  /** Largest request body nginx takes; 1m by default. */
  bodies?: string
  /** More lines for the site's pool of PHP-FPM. */
  pool?: string[]
  /** Of its tables; `wp_` by default. */
  prefix?: string
  /** It keeps its tables in the database of the site with this place among the specs. */
  sharesDatabaseOf?: number
  /** WordPress in a folder of its own below the document root, for example `core`. */
  core?: string
  /** Its content in this folder below the document root. */
  content?: string
}
export interface FleetOptions {
  /** Plugin folders; copied in and activated. */
  plugins?: string[]
  /** Must-use plugin files. */
  muPlugins?: string[]
  /** Defined in every wp-config.php, over the usual ones. */
  constants?: Record<string, ConstantValue>
  /** PHP extensions these sites lack, for example `['zip']`. */
  withoutExtensions?: string[]
  /** The database writes all names of tables in small letters. */
  smallNames?: boolean
  /** The clock of its PHP is wrong by so much from the beginning on, as libfaketime has it: `-20m`; `setClock` changes it. */
  clock?: string
  /** Without what only browsers fetch and two idle themes: a third of the bytes, where a test moves sites and no browser looks at them. */
  light?: boolean
  /** The folder its own is made in. PHP with open_basedir looks at every folder above a file: where files are counted, few are above. */
  parent?: string
}
export interface NativeSite {
  url: string
  adminUser: string
  adminPassword: string
  /** Host folder that is the document root; WordPress lies in it where it has no folder of its own. */
  dir: string
  /** Host folder of WordPress itself. */
  core: string
  /** Host folder of plugins, themes and uploads. */
  content: string
  /** What the names of its tables begin with. */
  prefix: string
  /** What those of other sites in the same database begin with. */
  otherPrefixes: string[]
  /** Name in the fleet's MariaDB; null for SQLite. */
  database: string | null
  /** Runs WP-CLI as the site's user and returns what it printed. */
  wpCli: (args: string[]) => Promise<string>
}
export interface Fleet {
  sites: NativeSite[]
  /** Folder with logs and configuration; removed by `stop`. */
  dir: string
  /** The processes it runs; each may have children. */
  pids: { php: number; nginx: number; mariadb: number | null }
  stop: () => Promise<void>
}

const CACHE = join(import.meta.dirname, '..', '.cache')

/** Resolves when every site answers. Several fleets may run at once. */
export async function startFleet(specs: SiteSpec[], options: FleetOptions = {}): Promise<Fleet> {
  if (process.getuid?.() !== 0) throw new Error('The native fleet needs root (PHP pools and the web server run as www-data).')
  await ensurePackages()
  if (specs.some((spec) => spec.apache?.module)) await ensurePackages([`libapache2-mod-php${PHP_VERSION}`])
  if (options.clock !== undefined) await ensurePackages(['faketime'])
  if (specs.some((spec) => spec.wp === '6.1.9')) await ensureOldWordPress(CACHE)
  if (options.light) await ensureLightWordPress(CACHE, (await ensureAssets()).wordpress)
  const dir = await makeFleetFolder(options.parent)
  if (options.clock !== undefined) await setClock(dir, options.clock)
  const daemons: Daemon[] = []
  const stop = async () => {
    for (const daemon of daemons.toReversed()) await daemon.stop()
    await rm(dir, { recursive: true, force: true })
  }
  try {
    const settings = options.smallNames ? ['--lower-case-table-names=1'] : []
    const needed = specs.some((spec) => spec.db === 'mariadb')
    const mariadb = needed ? await startMariadb(dir, join(CACHE, 'mariadb-template'), settings) : null
    if (mariadb) daemons.push(mariadb)
    const places = await choosePlaces(dir, specs)
    const sites = await all(places.map((place, index) => buildSite(dir, place, specs[index], options)))
    await writeFile(join(dir, 'php.ini'), phpIni())
    await linkExtensions(dir, options.withoutExtensions ?? [])
    await writeFile(join(dir, 'fpm.conf'), fpmConfig(dir, places))
    await writeFile(join(dir, 'nginx.conf'), nginxConfig(dir, places))
    const php = await startPhpFpm(dir)
    daemons.push(php)
    const nginx = await startNginx(dir)
    daemons.push(nginx)
    if (places.some((place) => place.apache)) {
      await writeFile(join(dir, 'apache.conf'), apacheConfig(dir, places))
      daemons.push(await startApache(dir))
    }
    return { sites, dir, pids: { php: php.pid, nginx: nginx.pid, mariadb: mariadb?.pid ?? null }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Like `Promise.all`, but a failure is reported only when nothing is running any more. */
async function all<T>(promises: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

async function buildSite(fleet: string, place: Place, spec: SiteSpec | undefined, options: FleetOptions): Promise<NativeSite> {
  if (!spec) throw new Error('A place without a site.')
  const assets = await ensureAssets()
  const wordpress = spec.wp === '6.1.9' ? oldWordPressFolder(CACHE) : options.light ? lightWordPressFolder(CACHE) : assets.wordpress
  const url = place.https ? `http://${place.address}` : `http://${place.address}:${PORT}`
  if (spec.https) await makeCertificate(spec.https.ca, place.address, place.dir)
  const admin = { user: 'admin', password: 'password' }
  await makeSite({
    fleet,
    place,
    url,
    admin,
    wordpress,
    assets,
    db: spec.db,
    ...options,
    constants: { ...options.constants, ...spec.constants },
  })
  return {
    ...{ url, adminUser: admin.user, adminPassword: admin.password, dir: join(place.dir, 'www') },
    ...{ core: coreOf(place), content: contentOf(place), otherPrefixes: place.otherPrefixes },
    prefix: options.smallNames ? place.prefix.toLowerCase() : place.prefix,
    database: spec.db === 'mariadb' ? databaseOf(place) : null,
    wpCli: (args) => wpCli(place, url, args),
  }
}

/** PHP-FPM loads the extensions named in this folder instead of Debian's own. */
async function linkExtensions(dir: string, without: string[]): Promise<void> {
  const debian = `/etc/php/${PHP_VERSION}/fpm/conf.d`
  await mkdir(extensionsFolder(dir))
  for (const name of await readdir(debian)) {
    if (!without.some((extension) => name.endsWith(`-${extension}.ini`)))
      await symlink(join(debian, name), join(extensionsFolder(dir), name))
  }
}

/** Below e2e/.cache/ if nothing else is said, or in the temporary folder where the web user may not enter that. */
async function makeFleetFolder(wanted = CACHE): Promise<string> {
  await mkdir(CACHE, { recursive: true })
  const mayEnter = await run('setpriv', [`--reuid=${WEB_USER}`, `--regid=${WEB_USER}`, '--clear-groups', 'test', '-x', wanted]).then(
    () => true,
    () => false,
  )
  const parent = mayEnter ? wanted : tmpdir()
  await removeLeftovers(parent)
  const dir = await mkdtemp(join(parent, `fleet-${process.pid}-`))
  await run('chmod', ['755', dir])
  for (const name of ['run', 'log', 'tmp']) await mkdir(join(dir, name))
  await mkdir(compiledFolder(dir))
  // Here the web user can read it wherever the project lies.
  await copyFile((await ensureAssets()).wpCli, join(dir, 'wp-cli.phar'))
  await run('chown', ['-R', `${WEB_USER}:`, ...['run', 'log', 'tmp'].map((name) => join(dir, name))])
  return dir
}

/** Folders of fleets whose process was killed. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = /^fleet-(\d+)-/.exec(name)?.[1]
    if (pid && !existsSync(`/proc/${pid}`)) await rm(join(parent, name), { recursive: true, force: true })
  }
}

/** A range 127.1.x.* that is this process's until it ends: a service takes a second site at the same address for the first. */
async function choosePlaces(dir: string, specs: SiteSpec[]): Promise<Place[]> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const range = randomInt(1, 255)
    if (!(await isFree(`127.1.${range}.1`)) || !(await keep(`127.1.${range}.255`))) continue
    return specs.map((spec, index) => ({
      number: index + 1,
      address: `127.1.${range}.${index + 1}`,
      dir: join(dir, `site${index + 1}`),
      php: spec.php ?? {},
      confined: spec.confined ?? false,
      https: spec.https !== undefined,
      ...{ core: spec.core ?? '', content: spec.content ?? join(spec.core ?? '', 'wp-content') },
      ...livingIn(specs, index),
      ...(spec.apache && { apache: spec.apache }),
      ...(spec.nginx !== undefined && { nginx: spec.nginx }),
      pageCache: spec.pageCache ?? false,
      dotFiles: spec.dotFiles ?? false,
      ...(spec.bodies !== undefined && { bodies: spec.bodies }),
      ...(spec.pool && { pool: spec.pool }),
    }))
  }
  throw new Error(`Port ${PORT} is in use on every loopback address tried; something listens on 0.0.0.0:${PORT}.`)
}

function livingIn(specs: SiteSpec[], index: number): Pick<Place, 'prefix' | 'livesIn' | 'otherPrefixes'> {
  const [home, prefixes] = [specs.map((spec, at) => spec.sharesDatabaseOf ?? at), specs.map((spec) => spec.prefix ?? 'wp_')]
  const otherPrefixes = prefixes.filter((_, at) => at !== index && home[at] === home[index])
  return { prefix: prefixes[index] ?? 'wp_', livesIn: (home[index] ?? index) + 1, otherPrefixes }
}

/** Listens, which nobody else can do from then on; false where somebody does. */
function keep(address: string): Promise<Server | false> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(PORT, address, () => resolve(server.unref()))
  })
}

async function isFree(address: string): Promise<boolean> {
  const server = await keep(address)
  if (server) await new Promise((closed) => server.close(closed))
  return server !== false
}
