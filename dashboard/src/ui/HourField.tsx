import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../text.ts'
import { localTime } from '../words.ts'

interface Parts {
  of: string
  disabled?: boolean
  error?: string | undefined
  /** The day of the week that it is then where the viewer is. */
  day?: (at: string) => string | undefined
}

/** A time of day in UTC, `at` of its form, and what it is where the viewer is. */
export function HourField({ of, disabled = false, error, day }: Parts) {
  const [at, setAt] = useState(of)
  const weekday = day?.(at)
  const time = localTime(at)
  const here = weekday ? t('{weekday} at {time} your time', { weekday, time }) : t('{time} your time', { time })
  return (
    <TextInput
      label={t('At (UTC)')}
      description={at === '' ? t('A time of day') : here}
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
