// Which columns somebody chose for this list, kept in this browser.
import { useLocalStorage } from '@mantine/hooks'
import { type ColumnName, columns, usualColumns } from './columns.tsx'

/** Where views by a name are kept, of a workspace. */
export const viewsKey = (workspace: string | undefined) => `svc-fleet-views-${workspace}`

/** Whether this browser has views of its own. */
export const hasViews = (workspace: string | undefined) => !['[]', null].includes(localStorage.getItem(viewsKey(workspace)))

export const isColumns = (kept: unknown): kept is ColumnName[] =>
  Array.isArray(kept) && kept.every((each) => typeof each === 'string' && each in columns)

/** Whatever another version, or a hand, left there. */
function read(text: string | undefined): ColumnName[] {
  try {
    const kept: unknown = JSON.parse(text ?? '')
    return isColumns(kept) ? kept : usualColumns
  } catch {
    return usualColumns
  }
}

export function useColumns() {
  return useLocalStorage<ColumnName[]>({
    key: 'svc-fleet-columns',
    defaultValue: usualColumns,
    getInitialValueInEffect: false,
    deserialize: read,
  })
}
