// Which columns somebody chose for this list, kept in this browser.
import { useLocalStorage } from '@mantine/hooks'
import { type ColumnName, columns, usualColumns } from './columns.tsx'

const isColumns = (kept: unknown): kept is ColumnName[] =>
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
