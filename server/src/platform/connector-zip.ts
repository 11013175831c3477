import fs from 'node:fs'
import path from 'node:path'
import { zip } from './zip.ts'

const PLUGIN = path.join(import.meta.dirname, '../../../connector/svc-connector')

/** The plugin as WordPress installs it. The same sources give the same bytes on every machine. */
export function connectorZip(): Buffer {
  const files = fs
    .readdirSync(PLUGIN, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  return zip(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return { name: `svc-connector/${path.relative(PLUGIN, file).split(path.sep).join('/')}`, bytes: fs.readFileSync(file) }
    }),
  )
}
