// How pages ask: what is on screen is asked again while somebody looks, and after whatever this page changed.
import { keepPreviousData, QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { addressOf, call, callPage, callWhole, Failure, type Input, type ListName, type Name, type Output, type Whole } from './api.ts'
import { earlyData } from './early-answers.ts'
import { hears } from './stream.ts'
import { t } from './text.ts'
import { plainly } from './words.ts'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Whether there is an internet says nothing of a service on this machine or in this network: what does not answer is told.
      networkMode: 'always',
      staleTime: 2000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 2 && error instanceof Failure && (error.status >= 502 || error.status === 429),
    },
    mutations: { networkMode: 'always' },
  },
})

interface Often<Answer = unknown> {
  /** Milliseconds; asked anew only while the page is looked at. */
  every?: number | ((answer: Answer | undefined) => number | false)
  enabled?: boolean
}

/** What the stream tells of need not be asked for again and again; now and then all the same. Looked at with each answer, so that no page is drawn anew when the stream begins. */
const seldomMs = 60_000
function pace<Answer>(name: string, every: Often<Answer>['every']) {
  return ({ state: { data } }: { state: { data: unknown } }): number | false => {
    const ms = typeof every === 'function' ? every(data as Answer | undefined) : (every ?? false)
    return ms === false ? false : hears(name) ? Math.max(ms, seldomMs) : ms
  }
}

export function useCall<Of extends Name>(name: Of, input: Input<Of>, { every, enabled = true }: Often<Output<Of>> = {}) {
  return useQuery<Output<Of>>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, signal),
    initialData: () => earlyData(addressOf(name, input)) as Output<Of> | undefined,
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: pace(name, every),
  })
}

/** A list with what stands beside its items. */
export function useWhole<Of extends ListName>(name: Of, input: Input<Of>, { every, enabled = true }: Often<Whole<Of>> = {}) {
  return useQuery<Whole<Of>>({
    queryKey: [name, input, 'whole'],
    queryFn: ({ signal }) => callWhole(name, input, signal),
    initialData: () => earlyData(addressOf(name, input)) as Whole<Of> | undefined,
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: pace(name, every),
  })
}

/** A list that grows by its next page. */
export function usePages<Of extends Name>(
  name: Of,
  input: Input<Of>,
  { every, enabled = true }: { every?: number; enabled?: boolean } = {},
) {
  const found = useInfiniteQuery({
    queryKey: [name, input, 'pages'],
    queryFn: ({ pageParam, signal }) => callPage(name, { ...input, ...(pageParam !== '' && { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: pace(name, every),
  })
  return { ...found, items: found.data?.pages.flatMap(({ items }) => items) ?? [], total: found.data?.pages[0]?.total ?? 0 }
}

/** What is asked by name, seldom, and outlives what this page changes. */
const lasting = new Set(['session', 'names'])

/** Something that changes: afterwards everything on screen is asked anew, and what is not on screen is forgotten, so that no list shows what was. */
export function useDo<Of extends Name>(name: Of, then?: (answer: Output<Of>) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: Input<Of>) => call(name, input),
    onSuccess: (answer) => {
      const changes = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => !lasting.has(String(queryKey[0])) }
      client.removeQueries({ ...changes, type: 'inactive' })
      void client.invalidateQueries(changes)
      then?.(answer)
    },
  })
}

/** What went wrong, and then what of the fields: a sentence or more each. */
export const linesOf = (error: unknown): string[] => [
  error instanceof Error ? error.message : t('Something went wrong.'),
  ...(error instanceof Failure
    ? Object.entries(error.fields).map(([field, words]) => (field ? `${plainly(field)}: ${words}` : words))
    : []),
]

export const messageOf = (error: unknown) => linesOf(error).join(' ')
