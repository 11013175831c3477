// How pages ask: what is on screen is asked again while somebody looks, and after whatever this page changed.
import { keepPreviousData, QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, callPage, Failure, type Input, type Name, type Output } from './api.ts'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 2 && error instanceof Failure && (error.status >= 502 || error.status === 429),
    },
  },
})

interface Often<Answer = unknown> {
  /** Milliseconds; asked anew only while the page is looked at. */
  every?: number | ((answer: Answer | undefined) => number | false)
  enabled?: boolean
}

export function useCall<Of extends Name>(name: Of, input: Input<Of>, { every, enabled = true }: Often<Output<Of>> = {}) {
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, signal),
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: typeof every === 'function' ? (query) => every(query.state.data as Output<Of> | undefined) : (every ?? false),
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
    refetchInterval: every ?? false,
  })
  return { ...found, items: found.data?.pages.flatMap(({ items }) => items) ?? [], total: found.data?.pages[0]?.total ?? 0 }
}

/** Something that changes: afterwards everything on screen is asked anew. */
export function useDo<Of extends Name>(name: Of, then?: (answer: Output<Of>) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: Input<Of>) => call(name, input),
    onSuccess: (answer) => {
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
      then?.(answer)
    },
  })
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'Something went wrong.')
