// The folders that a backup is made of, as the site tells them.
import { clean } from '../connector/clean.ts'
import type { Hello } from '../connector/commands.ts'
import { type Place, pathBytes } from '../connector/site-text.ts'
import type { Omission, RootPlace } from './engine/manifest.ts'

/** Those that WordPress itself has in any case. */
const USUAL = ['abspath', 'content', 'config']

/** What the site calls its own. An older connector tells neither where that lies nor what leads out of it. */
export function rootsOf({ roots: all, outside }: Hello): { roots: string[]; places: RootPlace[]; outside: Omission[] | undefined } {
  const roots = all.filter(({ was }) => !was)
  const places = roots.flatMap(({ id, path, at = '', only }) => (path === undefined ? [] : [{ id, path, at, ...(only && { only }) }]))
  const named = outside?.map(({ p, at, why }): Omission => {
    return { kind: 'outside', root: 'abspath', path: pathBytes(at), why: `${why}: ${clean(pathBytes(p).toString(), 200)}` }
  })
  return { roots: roots.map(({ id }) => id), places, outside: named }
}

/** What lies elsewhere and was taken as well, for people. */
export const beyond = (places: RootPlace[]): { id: string; path: string }[] =>
  places.filter(({ id }) => !USUAL.includes(id)).map(({ id, path, only }) => ({ id, path: shown(path, only) }))

/** Of a folder of which one name belongs to the site, with that name. */
function shown(path: Place, only: Place[] = []): string {
  const [name] = only.length === 1 ? only : []
  return clean([path, ...(name === undefined ? [] : [name])].map((part) => pathBytes(part).toString()).join('/'), 300)
}
