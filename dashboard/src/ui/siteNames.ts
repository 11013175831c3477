import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api.ts'
import { t } from '../text.ts'
import { hostOf } from '../words.ts'

type Names = ReadonlyMap<string, string>

/** Names change seldom, and there may be a thousand. */
const freshMs = 5 * 60_000

/** Sites that had no name when one was looked for. */
const missed = new Set<string>()
/** Those that are looked for, or were a moment ago. */
const sought = new Set<string>()
const gatherMs = 50
const againMs = 30_000

/** The names are asked for anew where some are missing, all at once, and once for each site: one that is gone stays so. */
export function lookForName(client: QueryClient, id: string): void {
  const names = client.getQueryData<Names>(['names'])
  if (!names || names.has(id) || missed.has(id) || sought.has(id)) return
  sought.add(id)
  if (sought.size === 1) setTimeout(() => void seek(client), gatherMs)
}

async function seek(client: QueryClient): Promise<void> {
  const ids = [...sought]
  await client.invalidateQueries({ queryKey: ['names'] })
  const { isInvalidated, status } = client.getQueryState(['names']) ?? {}
  const answered = status === 'success' && !isInvalidated
  if (answered) for (const id of ids) missed.add(id)
  setTimeout(
    () => {
      for (const id of ids) sought.delete(id)
      if (sought.size > 0) void seek(client)
    },
    answered ? 0 : againMs,
  )
}

/** What a site is called, by its id; not asked where no name is shown. */
export function useSiteNames(enabled = true): (id: string) => string {
  const client = useQueryClient()
  const { data, isFetching } = useQuery<Names>({
    queryKey: ['names'],
    queryFn: async ({ signal }) => new Map((await call('sites.list', {}, signal)).map(({ id, name, url }) => [id, name || hostOf(url)])),
    staleTime: freshMs,
    enabled,
  })
  return (id) => {
    const name = data?.get(id)
    if (name !== undefined) return name
    const isKnownToMiss = data !== undefined && missed.has(id)
    // A page is being drawn: what it finds missing is asked for when it is done.
    if (!isKnownToMiss) queueMicrotask(() => lookForName(client, id))
    return isKnownToMiss && !isFetching ? t('a site that is gone') : '…'
  }
}
