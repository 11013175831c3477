import fs from 'node:fs'
import path from 'node:path'

/** The file of a mutation, relative to the tree: below `server/src` where it names no folder of the root. */
export function locate(tree: string, file: string): string {
  return fs.existsSync(path.join(tree, 'server/src', file)) ? path.join('server/src', file) : file
}
