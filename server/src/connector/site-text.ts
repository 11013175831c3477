// The building blocks of what a site may say: cleaned words, plain numbers, raw paths.
import { z } from 'zod'
import { clean } from './clean.ts'
import { decodeBase64 } from './shapes.ts'

const HARD_CAP = 1024 * 1024

/** Words for people: cleaned, and cut rather than refused. */
export const text = (max: number) =>
  z
    .string()
    .max(HARD_CAP)
    .transform((value) => clean(value, max))

/** A name that is sent back to the site as it came (plugin file, table, column): never altered, so nothing invisible may be in it. */
export const identifier = (max: number) =>
  z
    .string()
    .min(1)
    .refine((value) => value.length <= max && clean(value, max) === value, 'must be a plain name')

/** Only http and https; anything else becomes empty. */
export const link = (max: number) => text(max).transform((value) => (/^https?:\/\//i.test(value) ? value : ''))

export const unix = z.int().min(0).max(99_999_999_999)
export const count = z.int().min(0)

// An empty part, "." or "..".
const UNFIT_PART = /(?:^|\/)\.{0,2}(?:\/|$)/
const isRelativeText = (path: string) => !path.includes('\0') && !UNFIT_PART.test(path)

/** Relative to its root, `/` between the parts. Names that are not UTF-8 travel as base64. Never cleaned: a backup must find the file again. */
export const SitePath = z.union([
  z.string().min(1).max(4096).refine(isRelativeText, 'must be a relative path'),
  z.strictObject({
    b64: z
      .string()
      .max(8192)
      .refine((b64) => isRelative(decodeBase64(b64)), 'must be a relative path in base64'),
  }),
])
export type SitePath = z.infer<typeof SitePath>

/** A place as the site writes it, absolute or relative: for people, and to compare. Where it lies decides nothing here. */
export const Place = z.union([z.string().max(4096), z.strictObject({ b64: z.base64().max(8192) })])
export type Place = z.infer<typeof Place>

/** A folder of the site, by the name that the site gives it. Archives keep WordPress's own folder under `files`. */
export const RootId = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,40}$/)
  .refine((id) => id !== 'files')
export type RootId = z.infer<typeof RootId>

/** The bytes of a path. */
export function pathBytes(path: Place): Buffer {
  return typeof path === 'string' ? Buffer.from(path) : Buffer.from(path.b64, 'base64')
}

/** The shortest way to write the bytes of a path: text when they are UTF-8, base64 otherwise. */
export function sitePath(bytes: Buffer): SitePath {
  const path = bytes.toString()
  return Buffer.from(path).equals(bytes) ? path : { b64: bytes.toString('base64') }
}

/** Walk order: depth first, siblings in byte order, a directory before what is in it. */
export function comparePaths(a: SitePath, b: SitePath): number {
  const [one, other] = [pathBytes(a), pathBytes(b)]
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const [x, y] = [one[at] ?? 0, other[at] ?? 0]
    if (x !== y) return rank(x) - rank(y)
  }
  return one.length - other.length
}

// A separator sorts before every other byte, and 0 cannot occur in a name.
const rank = (byte: number) => (byte === 0x2f ? 0 : byte)

function isRelative(bytes: Buffer | undefined): boolean {
  return bytes !== undefined && isRelativeText(bytes.toString('latin1'))
}
