import fs from 'node:fs'
import path from 'node:path'

const PLUGIN = 'connector/svc-connector'

/** The file of a mutation, relative to the tree: below `server/src`, or a PHP file of the plugin by its bare name, or below the root. */
export function locate(tree: string, file: string): string {
  if (fs.existsSync(path.join(tree, 'server/src', file))) return path.join('server/src', file)
  if (!/^[\w-]+\.php$/.test(file)) return file
  const found = fs.readdirSync(path.join(tree, PLUGIN), { recursive: true, encoding: 'utf8' }).filter((at) => path.basename(at) === file)
  if (found.length !== 1) throw new RangeError(`${found.length} files of the plugin are called ${file}`)
  return path.join(PLUGIN, String(found[0]))
}
