import { pathBytes, SitePath } from '../../connector/site-text.ts'
import { malformed } from '../../connector/slice.ts'

/** For messages: control characters and broken bytes escaped, long ones cut. */
export const showPath = (path: Uint8Array) => JSON.stringify(Buffer.from(path).toString('utf8').slice(0, 200))

/** The bytes of a path the site named, refused where it could leave its root. */
export function trustedPath(path: SitePath): Buffer {
  if (!SitePath.safeParse(path).success) throw malformed('The site named an impossible path.')
  return pathBytes(path)
}

/** Walk order: depth first, siblings in byte order, a directory before its children. */
export function walkOrder(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a[i] ?? 0
    const y = b[i] ?? 0
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

const rank = (byte: number) => (byte === 0x2f ? 0 : byte)

/** The directory a path lies in; empty for the root itself. */
export function parentOf(path: Buffer): Buffer {
  const slash = path.lastIndexOf(0x2f)
  return slash < 0 ? Buffer.alloc(0) : path.subarray(0, slash)
}
