import { TextInput } from '@mantine/core'

interface Parts {
  label: string
  description?: string
  min: number
  max: number
  value: number
  disabled?: boolean
  onChange: (value: number) => void
}

/** A whole number, as the browser asks for one. */
export const NumberField = ({ value, onChange, ...rest }: Parts) => (
  <TextInput type="number" required step={1} value={value} onChange={(event) => onChange(event.currentTarget.valueAsNumber)} {...rest} />
)
