import { useDebouncedValue } from '@mantine/hooks'
import { useCallback, useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { callWhole, type Input } from '../api.ts'
import { useWhole } from '../queries.ts'

export const perPage = 100
/** A pause in typing after which the service is asked. */
const pauseMs = 150

export type Narrowed = Omit<Input<'fleet.list'>, 'limit' | 'cursor'>

/** What the address says is meant, and the page of it that is shown; the service narrows, sorts and counts. */
export function useFleet() {
  const [asked, ask] = useSearchParams()
  const query = asked.toString()
  const narrowed = Object.fromEntries(
    ['q', 'tag', 'client', 'status', 'need', 'order'].flatMap((name) => (asked.get(name) ? [[name, asked.get(name)]] : [])),
  ) as Narrowed
  // The cursors of the pages before: an address can not hold them, because they end.
  const [pages, setPages] = useState<{ query: string; cursors: string[] }>({ query, cursors: [] })
  const cursors = pages.query === query ? pages.cursors : []
  const cursor = cursors.at(-1)
  const fleet = useWhole('fleet.list', { ...narrowed, limit: perPage, ...(cursor && { cursor }) }, { every: 15_000 })
  const set = useCallback(
    (name: string, value: string | null) =>
      ask(
        (before) => {
          const next = new URLSearchParams(before)
          if (value) next.set(name, value)
          else next.delete(name)
          return next
        },
        { replace: true },
      ),
    [ask],
  )
  const next = fleet.data?.next_cursor ?? null
  const turn = (to: string[]) => {
    setPages({ query, cursors: to })
    scrollTo({ top: 0 })
  }
  return {
    fleet,
    narrowed,
    query,
    set,
    show: (query: string) => ask(new URLSearchParams(query)),
    page: cursors.length,
    onNext: next === null ? undefined : () => turn([...cursors, next]),
    onBack: cursors.length === 0 ? undefined : () => turn(cursors.slice(0, -1)),
  }
}

/** What is typed stands there at once; it is looked for when somebody pauses. */
export function useTyped(value: string, onPause: (value: string) => void): [string, (value: string) => void] {
  const [typed, setTyped] = useState(value)
  const [paused] = useDebouncedValue(typed, pauseMs)
  const [passedOn, setPassedOn] = useState(value)
  // The address was changed by something else than typing.
  if (value !== passedOn && value !== paused) {
    setPassedOn(value)
    setTyped(value)
  }
  useEffect(() => {
    if (paused === passedOn) return
    setPassedOn(paused)
    onPause(paused)
  }, [paused, passedOn, onPause])
  return [typed, setTyped]
}

/** Every site that is meant, page by page. */
export async function everyId(narrowed: Narrowed): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof callWhole<'fleet.list'>>> = await callWhole('fleet.list', {
      ...narrowed,
      limit: 200,
      ...(cursor && { cursor }),
    })
    ids.push(...page.sites.map(({ id }) => id))
    cursor = page.next_cursor
  }
  return ids
}
