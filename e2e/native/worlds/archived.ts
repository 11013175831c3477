// A downloaded backup held against the site it was made of, the way its owner would: unpacked, and imported.
import { access, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BackUp } from '../../backup.ts'
import type { NativeSite } from '../fleet.ts'
import { importSql, query } from '../mariadb.ts'
import { filesOf, isOwn, tablesIn } from '../site-state.ts'
import type { Seen } from './seen.ts'
import { below, type Ground } from './world.ts'

/** What the archive holds, under the names that the site has it by. */
export async function archived({ native, place, fleet }: Ground, { folder }: BackUp, live: Seen): Promise<Seen> {
  const roots: Record<string, string> = {
    files: below(place, await realpath(native.core)),
    content: below(place, await realpath(native.content)),
    config: below(place, await realpath(dirname(await configOf(native)))),
  }
  const found: Seen = {}
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const files = await filesOf(join(folder, entry.name))
    const root = roots[entry.name] ?? homeOf(Object.keys(files), live)
    if (root === undefined) throw new Error(`The archive has a folder ${entry.name}, which is none of the site's.`)
    for (const [path, what] of Object.entries(files)) found[`file ${join(root, path)}`] = what
  }
  const copy = `copy_${Date.now()}`
  await query(fleet.dir, '', `CREATE DATABASE ${copy} CHARACTER SET utf8mb4`)
  await importSql(fleet.dir, copy, join(folder, 'database.sql'))
  const tables = await tablesIn(fleet.dir, copy, (table) => isOwn(native, table))
  const strangers = await tablesIn(fleet.dir, copy, (table) => !isOwn(native, table))
  await query(fleet.dir, '', `DROP DATABASE ${copy}`)
  return { ...found, ...tables, ...Object.fromEntries(Object.keys(strangers).map((name) => [`${name} of somebody else`, 'there'])) }
}

/** The wp-config.php, in the document root or one above. */
const configOf = ({ dir }: NativeSite) =>
  access(join(dir, 'wp-config.php')).then(
    () => join(dir, 'wp-config.php'),
    () => join(dir, '..', 'wp-config.php'),
  )

/** The folder of the site below which all these paths lie. */
function homeOf(paths: string[], live: Seen): string | undefined {
  const [first = ''] = paths
  const homes = Object.keys(live).flatMap((name) => (name.endsWith(`/${first}`) ? [name.slice('file '.length, -first.length - 1)] : []))
  return ['', ...homes].find((home) => paths.every((path) => live[`file ${join(home, path)}`] !== undefined))
}
