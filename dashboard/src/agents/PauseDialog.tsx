import { Text } from '@mantine/core'
import { messageOf, useDo } from '../queries.ts'
import { t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { useSay } from '../ui/toasts.tsx'

/** Asks before every agent of the workspace is stopped. */
export function PauseDialog({ onClose }: { onClose: () => void }) {
  const say = useSay()
  const pausing = useDo('agents.pause', () => {
    onClose()
    say(t('All agents are paused.'))
  })
  return (
    <Confirm
      title={t('Pause all agents?')}
      verb={t('Pause them')}
      working={pausing.isPending}
      error={pausing.error && messageOf(pausing.error)}
      onClose={onClose}
      onConfirm={() => pausing.mutate({})}
    >
      <Text size="sm">
        {t('Every token of this workspace is refused at once, until you let them work again. Work that has begun goes on.')}
      </Text>
    </Confirm>
  )
}
