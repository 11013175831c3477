// Migrations that have landed, in their order: wherever a database met one, it is neither changed nor preceded by another.
import fs from 'node:fs'
import path from 'node:path'
import { checksums } from './released.ts'

const FILE = path.join(import.meta.dirname, 'landed-migrations.sha256')

const howToLand = 'node server/test/write-landed.ts'

/** Name and checksum, as `sha256sum` writes them, a line each. */
export const landed = (): [name: string, checksum: string][] =>
  fs
    .readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [checksum = '', name = ''] = line.split('  ')
      return [name, checksum]
    })

/** What is wrong with the migrations there are, beside those that landed; undefined: nothing. */
export function wrongSince(before: [string, string][], now: Record<string, string>): string | undefined {
  const changed = before.find(([name, checksum]) => now[name] !== checksum)
  if (changed) return `${changed[0]} has landed and is another one now, or gone: what comes next is a migration of its own`
  const names = Object.keys(now)
  const early = names.slice(0, before.length).find((name, at) => name !== before[at]?.[0])
  if (early) return `${early} comes before one that has landed: take the next free number, and put the lines of the list into their order`
  const missing = names.slice(before.length)
  return missing.length > 0 ? `${missing} is not among those that landed: ${howToLand}` : undefined
}

/** Adds those that come after the last. */
export function writeLanded(): string[] {
  const known = new Set(landed().map(([name]) => name))
  const fresh = Object.entries(checksums()).filter(([name]) => !known.has(name))
  fs.appendFileSync(FILE, fresh.map(([name, checksum]) => `${checksum}  ${name}\n`).join(''))
  return fresh.map(([name]) => name)
}
