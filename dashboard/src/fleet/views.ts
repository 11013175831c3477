// Filters and columns by a name: of whoever may change things on the server, on every device; of others in this browser.
import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { call } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay, useSession } from '../session.tsx'
import { useSay } from '../ui/toasts.tsx'
import type { ColumnName } from './columns.tsx'
import { isColumns, viewsKey } from './kept.ts'

export interface View {
  name: string
  /** The filters, as the address has them. */
  query: string
  /** None: those that are shown anyway. */
  columns?: ColumnName[] | null
}

const isView = (kept: Partial<View> | null) =>
  typeof kept?.name === 'string' && typeof kept.query === 'string' && (kept.columns == null || isColumns(kept.columns))

const isViews = (kept: unknown): kept is View[] => Array.isArray(kept) && kept.every(isView)

/** Whatever another version, or a hand, left there. */
function read(text: string | undefined): View[] {
  try {
    const kept: unknown = JSON.parse(text ?? '')
    return isViews(kept) ? kept : []
  } catch {
    return []
  }
}

const byName = (views: View[]) => views.toSorted((a, b) => a.name.localeCompare(b.name))

export function useViews() {
  const { session } = useSession()
  const say = useSay()
  const lasting = useMay('write')
  const [here, keepHere] = useLocalStorage<View[]>({
    key: viewsKey(session.workspace?.id),
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: read,
  })
  const there = useCall('views.list', {}, { enabled: lasting })
  const saving = useDo('views.save')
  const forgetting = useDo('views.remove')
  const views = there.data
  const { refetch } = there
  const taking = useRef(false)
  useEffect(() => {
    if (!views || here.length === 0 || taking.current) return
    taking.current = true
    void takeOver(here, views).then((left) => {
      taking.current = false
      keepHere(left)
      void refetch()
    })
  }, [views, here, keepHere, refetch])
  if (!lasting)
    return {
      ...{ lasting, views: byName(here), look: () => undefined },
      save: (view: View) => keepHere([...here.filter(({ name }) => name !== view.name), view]),
      forget: (name: string) => keepHere(here.filter((each) => each.name !== name)),
    }
  const failed = { onError: (error: unknown) => say(messageOf(error)) }
  return {
    ...{ lasting, views: byName(views ?? []), look: () => void refetch() },
    save: (view: View) => saving.mutate(asked(view), failed),
    forget(name: string) {
      const view = views?.find((each) => each.name === name)
      if (view) forgetting.mutate({ view_id: view.id }, failed)
    },
  }
}

/** As the service takes it. */
const asked = ({ name, query, columns }: View) => ({ name, query, ...(columns && { columns }) })

/** What this browser kept before the server did, once; what is known there by that name stays. Answers what did not get there. */
async function takeOver(here: View[], there: View[]): Promise<View[]> {
  const left: View[] = []
  for (const view of here) {
    if (there.some((each) => each.name === view.name.trim())) continue
    try {
      await call('views.save', asked(view))
    } catch (error) {
      // One that the server refuses can never get there.
      if (!isRefused(error)) left.push(view)
    }
  }
  return left
}

const isRefused = (error: unknown) => {
  const { status } = error as { status?: number }
  return status !== undefined && status >= 400 && status < 500 && status !== 429
}
