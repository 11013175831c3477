// Which paths and tables of a backup are meant.
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
}

export const pathKey = (root: string, path: Buffer): string => `${root}/${path.toString('latin1')}`

/** `type` narrows what the backup holds, `include` narrows it further. */
export function scopeOf(type: 'full' | 'db' | 'files', include: Include | undefined, prefix: string): Scope {
  if (!include) {
    const all = () => true
    return { files: type !== 'db', tables: type !== 'files', whole: true, hasPath: all, leadsTo: all, hasTable: all }
  }
  const wanted = wantedPaths(include)
  const tables = new Set(named(include, 'table').flatMap((name) => [name, `${prefix}${name}`]))
  const below = (path: string) => wanted.some((want) => path === want || path.startsWith(`${want}/`))
  return {
    files: type !== 'db' && wanted.length > 0,
    tables: type !== 'files' && tables.size > 0,
    whole: false,
    hasPath: (root, path) => below(pathKey(root, path)),
    leadsTo: (root, path) => wanted.some((want) => want.startsWith(`${pathKey(root, path)}/`)),
    hasTable: (name) => tables.has(name),
  }
}

const named = (include: Include, kind: string): string[] =>
  include.filter((part) => part.startsWith(`${kind}:`)).map((part) => part.slice(kind.length + 1))

function wantedPaths(include: Include): string[] {
  const bytes = (text: string) => Buffer.from(text.replace(/^\/+|\/+$/g, '')).toString('latin1')
  const plugin = (name: string) => (name.includes('/') ? (name.split('/')[0] ?? name) : name)
  const inContent = (folder: string) => [`abspath/wp-content/${folder}`, `content/${folder}`]
  return [
    ...named(include, 'plugin').flatMap((name) => inContent(`plugins/${bytes(plugin(name))}`)),
    ...named(include, 'theme').flatMap((name) => inContent(`themes/${bytes(name)}`)),
    ...named(include, 'folder').flatMap((name) => [
      `abspath/${bytes(name)}`,
      ...(bytes(name).startsWith('wp-content/') ? [`content/${bytes(name).slice(11)}`] : []),
    ]),
  ]
}
