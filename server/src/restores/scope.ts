// Which paths and tables of a backup are meant.
import type { Manifest } from '../backups/engine/manifest.ts'
import type { BackupType } from '../backups/schema.ts'
import type { Hello } from '../connector/commands.ts'
import { type Place, pathBytes } from '../connector/site-text.ts'
import type { Include } from './schema.ts'

/** Paths are texts of one character per byte, with the root in front, so that no name is lost to an encoding. */
export type Scope = {
  files: boolean
  tables: boolean
  /** Nothing was named: what the backup does not have goes too. */
  whole: boolean
  hasPath(root: string, path: Buffer): boolean
  /** A folder that holds something meant. */
  leadsTo(root: string, path: Buffer): boolean
  hasTable(name: string): boolean
  /** A live table that goes when the backup does not have it. */
  clears(name: string): boolean
}

export const pathKey = (root: string, path: Buffer): string => `${root}/${path.toString('latin1')}`

/** Where roots stand for WordPress; `only`: the first of the names in a root that are the site's, which stands there. */
export type Places = ReadonlyMap<string, { at: string; only: string | undefined }>

/** As the backup has them, else as the site has them now. */
export function placesOf(manifest: Manifest, hello: Hello): Places {
  const places = [...hello.roots, ...(manifest.files?.places ?? [])]
  const text = (place: Place | undefined) => (place === undefined ? undefined : pathBytes(place).toString('latin1'))
  return new Map(
    places.map(({ id, at, only }) => [id, { at: text(at) ?? USUAL[id] ?? '', only: only?.length === 1 ? text(only[0]) : undefined }]),
  )
}
const USUAL: Readonly<Record<string, string>> = { content: 'wp-content' }

type Prefixes = { prefix: string; base_prefix?: string | undefined }

/** `type` narrows what the backup holds, `include` narrows it further. */
export function scopeOf(
  type: 'full' | 'db' | 'files',
  include: Include | undefined,
  { prefix, base_prefix = prefix }: Prefixes,
  places: Places,
): Scope {
  if (!include) {
    const all = () => true
    return { files: type !== 'db', tables: type !== 'files', whole: true, hasPath: all, leadsTo: all, hasTable: all, clears: all }
  }
  const wanted = wantedPaths(include)
  const tables = new Set(named(include, 'table').flatMap((name) => [name, `${prefix}${name}`]))
  const subsites = named(include, 'subsite').map((number) => `${base_prefix}${number}_`)
  const ofSubsite = (name: string) => subsites.some((start) => name.startsWith(start))
  const below = (path: string) => wanted.some((want) => path === want || path.startsWith(`${want}/`))
  return {
    files: type !== 'db' && wanted.length > 0,
    tables: type !== 'files' && tables.size + subsites.length > 0,
    whole: false,
    hasPath: (root, path) => below(inWordPress(places, root, path)),
    leadsTo: (root, path) => wanted.some((want) => want.startsWith(`${inWordPress(places, root, path)}/`)),
    hasTable: (name) => tables.has(name) || ofSubsite(name),
    clears: ofSubsite,
  }
}

/** Where WordPress would look for a file in the usual layout. */
export function inWordPress(places: Places, root: string, path: Buffer): string {
  const { at, only } = places.get(root) ?? { at: USUAL[root] ?? '', only: undefined }
  const text = path.toString('latin1')
  const below = only !== undefined && at !== '' && `${text}/`.startsWith(`${only}/`) ? text.slice(only.length) : `/${text}`
  return `${at}${below}`.replace(/^\//, '')
}

type Half = Exclude<BackupType, 'full'>

/** Which halves of a site a backup, or a restore, of this type is about. */
export const heldBy = (type: BackupType): readonly Half[] => (type === 'full' ? ['files', 'db'] : [type])

/** Which halves the named parts lie in; those of a subsite lie in both, and either will do. */
export const namedBy = (include: Include): readonly Half[] => [
  ...new Set(include.flatMap((part) => (part.startsWith('subsite:') ? [] : part.startsWith('table:') ? 'db' : 'files'))),
]

const named = (include: Include, kind: string): string[] =>
  include.filter((part) => part.startsWith(`${kind}:`)).map((part) => part.slice(kind.length + 1))

function wantedPaths(include: Include): string[] {
  const bytes = (text: string) => Buffer.from(text.replace(/^\/+|\/+$/g, '')).toString('latin1')
  const plugin = (name: string) => (name.includes('/') ? (name.split('/')[0] ?? name) : name)
  return [
    ...named(include, 'plugin').map((name) => `wp-content/plugins/${bytes(plugin(name))}`),
    ...named(include, 'theme').map((name) => `wp-content/themes/${bytes(name)}`),
    ...named(include, 'subsite').flatMap((number) => [`wp-content/uploads/sites/${number}`, `wp-content/blogs.dir/${number}`]),
    ...named(include, 'folder').map(bytes),
  ]
}
