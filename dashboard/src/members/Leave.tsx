import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { askSession, call, type Session } from '../api.ts'
import { messageOf } from '../queries.ts'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { useSay } from '../ui/toasts.tsx'

/** What is shown once the workspace is none of the person's any more: another one of theirs, or that there is none. */
export function useElsewhere() {
  const { enter } = useSession()
  const [, go] = useLocation()
  return async () => {
    const next = await askSession<Session>('')
    go('/')
    enter(next)
  }
}

/** Ends one's own membership. */
export function Leave({ size = 'sm' }: { size?: 'xs' | 'sm' }) {
  const { session } = useSession()
  const name = session.workspace?.name
  const say = useSay()
  const elsewhere = useElsewhere()
  const [asking, setAsking] = useState(false)
  // Nothing of what is on screen is asked anew: it is not there for the person any more.
  const leaving = useMutation({
    mutationFn: () => call('members.leave', {}),
    onSuccess: ({ name }) => {
      say(t('You are no member of {name} any more.', { name }))
      return elsewhere()
    },
  })
  return (
    <>
      <Button size={size} variant="default" onClick={() => setAsking(true)}>
        {t('Leave {name}', { name })}
      </Button>
      {asking && (
        <Confirm
          title={t('Leave {name}?', { name })}
          verb={t('Leave')}
          working={leaving.isPending}
          error={leaving.error && messageOf(leaving.error)}
          onClose={() => setAsking(false)}
          onConfirm={() => leaving.mutate()}
        >
          <Text size="sm">
            {t(
              'You see nothing of this workspace any more, and come back only by an invitation. Your saved views in it go; tokens you made belong to the workspace and stay.',
            )}
          </Text>
        </Confirm>
      )}
    </>
  )
}
