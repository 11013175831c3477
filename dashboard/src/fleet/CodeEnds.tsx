import { Button, Group, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { T, t } from '../text.ts'
import { When } from '../ui/parts.tsx'

interface Parts {
  at: string
  again: () => void
  working: boolean
}

/** Until when a code holds; once it does not, another one with one button. */
export function CodeEnds({ at, again, working }: Parts) {
  const [over, setOver] = useState(false)
  useEffect(() => {
    setOver(false)
    const timer = setTimeout(() => setOver(true), Date.parse(at) - Date.now())
    return () => clearTimeout(timer)
  }, [at])
  if (!over)
    return (
      <Text size="sm" c="dimmed">
        <T message="The code works once, and ends {when}." when={<When at={at} />} />
      </Text>
    )
  return (
    <Group gap="sm" role="status">
      <Text size="sm">{t('This code has ended.')}</Text>
      <Button size="xs" variant="default" loading={working} onClick={again}>
        {t('Make a new code')}
      </Button>
    </Group>
  )
}
