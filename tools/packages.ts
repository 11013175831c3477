import fs from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'

export type PackedFile = { bytes: Buffer; mode: number }

const ROOT = path.join(import.meta.dirname, '..')
const PACKAGES = ['cli', 'mcp']
const IMPORT_OF_SOURCE = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"\n]+)\.ts\2/g

/** What `cli/dist` and `mcp/dist` must hold, by path below the repository: their sources without types, and the contract of the first. */
export function packedFiles(): Map<string, PackedFile> {
  const files = new Map(PACKAGES.flatMap(packedSources))
  files.set('cli/dist/operations.json', { bytes: fs.readFileSync(path.join(ROOT, 'contract/operations.json')), mode: 0o644 })
  return files
}

/** What the dist folders hold now. */
export function committedFiles(): Map<string, PackedFile> {
  return new Map(PACKAGES.flatMap((name) => filesBelow(`${name}/dist`)).map((file) => [file, readCommitted(file)]))
}

/** Makes the dist folders hold exactly what they must. */
export function writePackages(): void {
  const packed = packedFiles()
  for (const file of committedFiles().keys()) if (!packed.has(file)) fs.rmSync(path.join(ROOT, file))
  for (const [file, { bytes, mode }] of packed) {
    fs.mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true })
    fs.writeFileSync(path.join(ROOT, file), bytes)
    fs.chmodSync(path.join(ROOT, file), mode)
  }
}

function packedSources(name: string): [string, PackedFile][] {
  const sources = filesBelow(`${name}/src`).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  return sources.map((file) => [file.replace(`${name}/src`, `${name}/dist`).replace(/\.ts$/, '.js'), packSource(file)])
}

function packSource(file: string): PackedFile {
  const source = fs.readFileSync(path.join(ROOT, file), 'utf8')
  const text = stripTypeScriptTypes(source).replace(IMPORT_OF_SOURCE, '$1$2$3.js$2')
  return { bytes: Buffer.from(text), mode: source.startsWith('#!') ? 0o755 : 0o644 }
}

function readCommitted(file: string): PackedFile {
  const { mode } = fs.statSync(path.join(ROOT, file))
  return { bytes: fs.readFileSync(path.join(ROOT, file)), mode: mode & 0o100 ? 0o755 : 0o644 }
}

function filesBelow(folder: string): string[] {
  if (!fs.existsSync(path.join(ROOT, folder))) return []
  const entries = fs.readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name))).sort()
}
