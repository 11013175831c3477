import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Nothing } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'

/** Says who helps somebody to whom no workspace is shown. */
export function NoWorkspace() {
  const { session } = useSession()
  if (session.workspaces.length > 0)
    return (
      <Nothing title={t('No workspace to show')}>
        {t('You are no member of this workspace any more. Choose another one above, or ask whoever invited you.')}
      </Nothing>
    )
  const command = `npm run -s admin -- owner create --email "${session.user?.email}" --workspace NAME`
  return (
    <Nothing
      title={t('You are in no workspace')}
      action={<Snippet label={t('Command that makes a workspace and its owner')} text={command} />}
    >
      {t(
        'An owner or admin of a workspace invites you: the link in the invitation leads you in, with the password you have. Or whoever runs this service makes a new one for you with this command:',
      )}
    </Nothing>
  )
}
