import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { useLocation } from 'wouter'
import { askSession, call, Failure, type Session } from '../api.ts'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { LineDialog } from './LineDialog.tsx'
import { useSay } from './toasts.tsx'

/** Makes a further workspace, and goes there. */
export function NewWorkspace({ onClose }: { onClose: () => void }) {
  const { enter } = useSession()
  const [, go] = useLocation()
  const say = useSay()
  // Once it is made, whoever tries again only goes there.
  const made = useRef<string>(undefined)
  const making = useMutation({
    mutationFn: async (name: string) => {
      made.current ??= (await call('workspaces.create', { name })).id
      return askSession<Session>('/workspace', { workspace_id: made.current })
    },
    onSuccess: (next) => {
      onClose()
      enter(next)
      go('/')
      say(t('{name} is made, and you are its owner.', { name: next.workspace?.name }))
    },
  })
  const wrong = making.error instanceof Failure ? making.error.fields.name : undefined
  return (
    <LineDialog
      title={t('New workspace')}
      label={t('Name')}
      description={t(
        'It is empty, and nobody else is in it. Whoever runs this service exports a new recovery kit then, or its backups are lost with the machine.',
      )}
      maxLength={100}
      verb={t('Make')}
      working={making.isPending}
      wrong={wrong}
      error={wrong ? undefined : making.error}
      onClose={onClose}
      onLine={(name) => making.mutate(name)}
    />
  )
}
