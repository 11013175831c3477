import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../text.ts'
import { localTime } from '../words.ts'

interface Parts {
  of: string
  disabled?: boolean
  error?: string | undefined
}

/** A time of day in UTC, `at` of its form, and what it is where the viewer is. */
export function HourField({ of, disabled = false, error }: Parts) {
  const [at, setAt] = useState(of)
  return (
    <TextInput
      label={t('At (UTC)')}
      description={at === '' ? t('A time of day') : t('{time} your time', { time: localTime(at) })}
      name="at"
      type="time"
      value={at}
      onChange={(event) => setAt(event.currentTarget.value)}
      required
      disabled={disabled}
      error={error}
    />
  )
}
