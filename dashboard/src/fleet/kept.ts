// What somebody chose for this list, kept in this browser: columns, and views by name.
import { useLocalStorage } from '@mantine/hooks'
import { useSession } from '../session.tsx'
import { type ColumnName, columns, usualColumns } from './columns.tsx'

export interface View {
  name: string
  /** The filters, as the address has them. */
  query: string
}

/** Whatever another version, or a hand, left there. */
function read<Kept>(text: string | undefined, isKept: (kept: unknown) => kept is Kept, usual: Kept): Kept {
  try {
    const kept: unknown = JSON.parse(text ?? '')
    return isKept(kept) ? kept : usual
  } catch {
    return usual
  }
}
const isColumns = (kept: unknown): kept is ColumnName[] =>
  Array.isArray(kept) && kept.every((each) => typeof each === 'string' && each in columns)
const isViews = (kept: unknown): kept is View[] =>
  Array.isArray(kept) && kept.every((each) => typeof each?.name === 'string' && typeof each?.query === 'string')

export function useColumns() {
  return useLocalStorage<ColumnName[]>({
    key: 'svc-fleet-columns',
    defaultValue: usualColumns,
    getInitialValueInEffect: false,
    deserialize: (text) => read(text, isColumns, usualColumns),
  })
}

/** Those of this workspace. */
export function useViews() {
  const { session } = useSession()
  return useLocalStorage<View[]>({
    key: `svc-fleet-views-${session.workspace?.id}`,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: (text) => read(text, isViews, []),
  })
}
