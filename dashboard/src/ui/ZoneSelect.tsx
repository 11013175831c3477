import { Select } from '@mantine/core'
import { t } from '../text.ts'

const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

interface Parts {
  value: string
  disabled?: boolean
  error?: string | undefined
  onChange: (zone: string) => void
}

/** A time zone, by its name. */
export const ZoneSelect = ({ value, disabled = false, error, onChange }: Parts) => (
  <Select
    label={t('Time zone')}
    searchable
    data={zones.includes(value) ? zones : [value, ...zones]}
    value={value}
    allowDeselect={false}
    disabled={disabled}
    error={error}
    onChange={(zone) => onChange(zone ?? 'UTC')}
  />
)
