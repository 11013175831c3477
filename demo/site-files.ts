// The files of one demo site: a copy of WordPress, its wp-config.php, and the plugins put into it.
import { createHash, randomBytes } from 'node:crypto'
import { constants, existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Assets } from './assets.ts'

export type ConstantValue = string | number | boolean

/** What a site must remember between starts besides WordPress's own files; `<dir>/site.json`, mode 0600. */
export interface SiteState {
  password: string
  salts: Record<string, string>
  /** Plugin folder name → digest of the source it was copied from. */
  copied: Record<string, string>
}

const SALTS = ['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT']

export const documentRootOf = (dir: string): string => join(dir, 'www')

/** Copies WordPress with the SQLite driver when the folder has none; a killed copy is started again. */
export async function ensureWordPress(dir: string, assets: Assets): Promise<void> {
  const root = documentRootOf(dir)
  if (existsSync(root)) return
  const partial = `${root}.partial`
  await rm(partial, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  await cp(assets.wordpress, partial, { recursive: true, mode: constants.COPYFILE_FICLONE })
  await addSqliteDriver(partial, assets)
  await rename(partial, root)
}

/** Makes the WordPress in `root` keep its tables in wp-content/database/.ht.sqlite. */
export async function addSqliteDriver(root: string, assets: Assets): Promise<void> {
  const content = join(root, 'wp-content')
  await cp(assets.sqlite, join(content, 'mu-plugins', 'sqlite-database-integration'), { recursive: true })
  await writeFile(join(content, 'db.php'), SQLITE_DROPIN)
}

const SQLITE_DROPIN = `<?php
/**
 * Plugin Name: SQLite drop-in
 * Description: Keeps this site's tables in a SQLite file.
 */
define( 'DB_ENGINE', 'sqlite' );
require_once __DIR__ . '/mu-plugins/sqlite-database-integration/wp-includes/sqlite/db.php';
`

export function readState(dir: string, password: string): SiteState {
  const path = join(dir, 'site.json')
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as SiteState
  return { password, salts: newSalts(), copied: {} }
}

/** Eight fresh secrets for a wp-config.php. */
export function newSalts(): Record<string, string> {
  return Object.fromEntries(SALTS.map((name) => [name, randomBytes(48).toString('base64')]))
}

export async function writeState(dir: string, state: SiteState): Promise<void> {
  await replaceFile(join(dir, 'site.json'), `${JSON.stringify(state, null, 2)}\n`, 0o600)
}

/** Written anew at every start, because address and constants may change between starts. */
export async function writeConfig(dir: string, url: string, state: SiteState, extra: Record<string, ConstantValue>): Promise<void> {
  const defined: Record<string, ConstantValue> = {
    DB_NAME: 'wordpress',
    DB_USER: '',
    DB_PASSWORD: '',
    DB_HOST: '',
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    // A write-ahead log needs memory shared between PHP instances, which WebAssembly does not have.
    SQLITE_JOURNAL_MODE: 'DELETE',
    ...state.salts,
    WP_HOME: url,
    WP_SITEURL: url,
    FS_METHOD: 'direct',
    WP_ENVIRONMENT_TYPE: 'local',
    WP_DEBUG: false,
    ...extra,
  }
  await replaceFile(join(documentRootOf(dir), 'wp-config.php'), configFile(defined), 0o644)
}

/** The text of a wp-config.php that defines these constants; `core` is the folder of WordPress below it, where it is not its own. */
export function configFile(defined: Record<string, ConstantValue>, { prefix = 'wp_', core = '' } = {}): string {
  const lines = Object.entries(defined).map(([name, value]) => `define( '${name}', ${phpLiteral(value)} );`)
  const end = [
    `$table_prefix = '${prefix}';`,
    `defined( 'ABSPATH' ) || define( 'ABSPATH', __DIR__ . '/${core === '' ? '' : `${core}/`}' );`,
    "require_once ABSPATH . 'wp-settings.php';",
  ]
  return `<?php\n${[...lines, ...end].join('\n')}\n`
}

/** Copies plugin folders whose source changed since the last start; returns the names of those copied. */
export async function copyPlugins(dir: string, sources: string[], state: SiteState): Promise<string[]> {
  const changed: string[] = []
  for (const source of sources) {
    const name = basename(source)
    const digest = await digestOfFolder(source)
    if (state.copied[name] === digest) continue
    await replaceFolder(source, join(documentRootOf(dir), 'wp-content', 'plugins', name))
    state.copied[name] = digest
    changed.push(name)
  }
  return changed
}

export async function copyMuPlugins(dir: string, sources: string[]): Promise<void> {
  const folder = join(documentRootOf(dir), 'wp-content', 'mu-plugins')
  await mkdir(folder, { recursive: true })
  for (const source of sources) await cp(source, join(folder, basename(source)))
}

async function replaceFolder(source: string, target: string): Promise<void> {
  const partial = `${target}.partial`
  await rm(partial, { recursive: true, force: true })
  await cp(source, partial, { recursive: true })
  await rm(target, { recursive: true, force: true })
  await rename(partial, target)
}

async function replaceFile(path: string, content: string, mode: number): Promise<void> {
  await writeFile(`${path}.partial`, content, { mode })
  await rename(`${path}.partial`, path)
}

async function digestOfFolder(folder: string): Promise<string> {
  const hash = createHash('sha256')
  const names = (await readdir(folder, { recursive: true })).sort()
  for (const name of names) {
    if ((await stat(join(folder, name))).isFile()) hash.update(`${name}\n`).update(await readFile(join(folder, name)))
  }
  return hash.digest('hex')
}

function phpLiteral(value: ConstantValue): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value)
}
