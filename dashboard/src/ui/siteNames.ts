import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api.ts'
import { t } from '../text.ts'
import { hostOf } from '../words.ts'

type Names = ReadonlyMap<string, string>

/** Names change seldom, and there may be a thousand. */
const freshMs = 5 * 60_000

/** Sites that had no name when one was looked for. */
const missed = new Set<string>()

/** The names are asked for anew where one is missing; once for each site, for one that is gone stays so. */
export function lookForName(client: QueryClient, id: string): void {
  const names = client.getQueryData<Names>(['names'])
  if (!names || names.has(id) || missed.has(id)) return
  missed.add(id)
  void client.invalidateQueries({ queryKey: ['names'] })
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
