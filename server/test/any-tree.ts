// Files with any name, size and mode, as a careless backup or restore would spoil them.
import fc from 'fast-check'

export interface AnyFile {
  path: string
  bytes: Buffer
  mode: number
  /** Seconds. */
  mtime: number
}

const word = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
  fc.constantFrom('caf\u00e9', 'cafe\u0301', 'line\nbreak', '-rf', 'Case', 'case', ' ', "'", '"', '%', 'a'.repeat(244)),
)
const name = word.filter((text) => /^[^/\0\\]+$/.test(text) && !/^\.+$/.test(text) && Buffer.byteLength(text) < 250 && text.isWellFormed())
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }).map((array) => Buffer.from(array)),
  fc.integer({ min: 0, max: 200_000 }).map((size) => Buffer.alloc(size, 'A line of text, and another.\n')),
)
const mode = fc.constantFrom(0o644, 0o600, 0o444, 0o755)
const large = 5 << 20

/** So many files in these folders, and one longer than one piece, different at each place; the same for the same seed. */
export function anyFiles(many: number, seed: number, folders: string[]): AnyFile[] {
  const drawn = fc.sample(fc.tuple(fc.constantFrom(...folders), name, bytes, mode), { seed: seed * 10, numRuns: many })
  const files = new Map<string, AnyFile>()
  for (const [folder, base, content, bits] of drawn) {
    const path = `${folder}/${base}`
    if (folders.some((other) => `${other}/`.startsWith(`${path}/`))) continue
    files.set(path, { path, bytes: content, mode: bits, mtime: 1_700_000_000 + content.length })
  }
  const path = `${folders[0]}/large.bin`
  files.set(path, {
    path,
    bytes: Buffer.from(Array.from({ length: large }, (_, i) => (i * seed) % 251)),
    mode: 0o644,
    mtime: 1_700_000_000,
  })
  return [...files.values()]
}
