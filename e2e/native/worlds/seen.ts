// A world seen whole: every file and every table of the site, and everything of those beside it.
import { dirname } from 'node:path'
import { differing, filesOf, isOwn, tablesIn } from '../site-state.ts'
import { type Ground, isOfSite, type World } from './world.ts'

/** `file …`, or a table, view, trigger or option, to what it is. */
export type Seen = Record<string, string>

const under = (head: string, entries: Seen): Seen => Object.fromEntries(Object.entries(entries).map(([name, it]) => [head + name, it]))

export async function seen({ native, place, fleet }: Ground): Promise<Seen> {
  const tables = await tablesIn(fleet.dir, String(native.database), (table) => isOwn(native, table))
  return { ...under('file ', await filesOf(place, isOfSite)), ...tables }
}

/** What is not the site's: other tables of its database, other sites, and the folders the world names. */
export async function seenBeside(ground: Ground, { untouched }: World): Promise<Seen> {
  const { native, beside, fleet } = ground
  const others = await tablesIn(fleet.dir, String(native.database), (table) => !isOwn(native, table))
  const all = [under(`${native.database}.`, others)]
  for (const other of beside.filter(({ database }) => database !== native.database))
    all.push(under(`${other.database}.`, await tablesIn(fleet.dir, String(other.database), () => true)))
  for (const folder of [...beside.map(({ dir }) => dirname(dir)), ...(untouched?.(ground) ?? [])])
    all.push(under(`${folder}/`, await filesOf(folder, isOfSite)))
  return Object.assign({}, ...all) as Seen
}

export const isBelow = (name: string, paths: string[] = []): boolean =>
  paths.some((path) => name === `file ${path}` || name.startsWith(`file ${path}/`))
export const without = (all: Seen, isLeft: (name: string) => boolean): Seen =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !isLeft(name)))
export const only = (all: Seen, paths: string[]): Seen => without(all, (name) => !isBelow(name, paths))
export const apart = differing

const shown = 12

export function same(when: string, expected: Seen, found: Seen): void {
  const all = apart(expected, found)
  if (all.length > 0) throw new Error(`${when}, ${all.length} are not the same: ${all.slice(0, shown).join('; ')}`)
}
