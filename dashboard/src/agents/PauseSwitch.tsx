import { Alert, Button, Text } from '@mantine/core'
import { useState } from 'react'
import { messageOf, useCall, useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { Trouble, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { PauseDialog } from './PauseDialog.tsx'

/** Stops every agent of the workspace with one switch. */
export function PauseSwitch() {
  const say = useSay()
  const [asking, setAsking] = useState(false)
  const state = useCall('agents.get', {}, { every: 10_000 })
  const resuming = useDo('agents.resume', () => say(t('Agents work again.')))
  const pause = state.data
  if (state.error && !pause) return <Trouble error={state.error} again={() => void state.refetch()} />
  if (!pause) return null
  if (pause.paused_at)
    return (
      <Alert color="yellow" variant="outline" title={t('All agents are paused')} mb="md">
        <Text size="sm">
          <T
            message="{name} paused them {when}. No token of this workspace is let in."
            name={pause.paused_by?.name ?? t('Somebody')}
            when={<When at={pause.paused_at} />}
          />
        </Text>
        <Button
          size="xs"
          variant="default"
          mt="xs"
          loading={resuming.isPending}
          onClick={() => resuming.mutate({}, { onError: (error) => say(messageOf(error)) })}
        >
          {t('Let them work again')}
        </Button>
      </Alert>
    )
  return (
    <>
      <Button variant="default" size="xs" mb="md" onClick={() => setAsking(true)}>
        {t('Pause all agents')}
      </Button>
      {asking && <PauseDialog onClose={() => setAsking(false)} />}
    </>
  )
}
