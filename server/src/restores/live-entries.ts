// What the site has of its files now, as a restore looks at it.
import { listFiles } from '../connector/call.ts'
import type { Result } from '../connector/commands.ts'
import { pathBytes, type SitePath } from '../connector/site-text.ts'
import type { SiteClient } from '../sites/client.ts'
import type { Left } from './left.ts'
import type { LiveRoots } from './live-roots.ts'
import { pathKey, type Scope } from './scope.ts'

const budget_ms = 6_000

export type LiveEntry = {
  root: string
  p: SitePath
  t: 'f' | 'd' | 'l' | 'x'
  m: number
  mt: number
  ct: number
  i: number
  s: number
  to?: SitePath | undefined
  w?: boolean | undefined
}

/** By root and path, what is meant of it. */
export async function liveEntries(
  site: SiteClient,
  { roots, scope, left }: { roots: LiveRoots; scope: Scope; left: Left },
): Promise<Map<string, LiveEntry>> {
  const live = new Map<string, LiveEntry>()
  for (const root of roots.ids)
    for await (const { entries, excluded } of pagesOf(site, root)) {
      left.leave(root, excluded)
      for (const { p, t, m, mt, ct, i, s, to, w } of entries) {
        const path = pathBytes(p)
        if (roots.has(root, path) && (scope.hasPath(root, path) || scope.leadsTo(root, path)))
          live.set(pathKey(root, path), { root, p, t, m, mt, ct, i, s, to, w })
      }
    }
  return live
}

async function* pagesOf(site: SiteClient, root: string): AsyncGenerator<Result<'files.list'>, void, undefined> {
  for (let after: Result<'files.list'>['after'] = null; ; ) {
    site.signal.throwIfAborted()
    const { result }: { result: Result<'files.list'> } = await listFiles(site.wire, site.connection, {
      root,
      after,
      max_items: 5_000,
      budget_ms,
    })
    yield result
    if (result.done) return
    after = result.after
  }
}
