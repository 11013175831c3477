import { useQuery } from '@tanstack/react-query'
import { call } from '../api.ts'
import { t } from '../text.ts'
import { hostOf } from '../words.ts'

/** Names change seldom, and there may be a thousand. */
const freshMs = 5 * 60_000

/** What a site is called, by its id; not asked where no name is shown. */
export function useSiteNames(enabled = true): (id: string) => string {
  const { data, isPending } = useQuery({
    queryKey: ['names'],
    queryFn: async ({ signal }) => new Map((await call('sites.list', {}, signal)).map(({ id, name, url }) => [id, name || hostOf(url)])),
    staleTime: freshMs,
    enabled,
  })
  return (id) => data?.get(id) ?? (isPending ? '…' : t('a site that is gone'))
}
