import { Button, type ButtonProps } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { askSession, type Session } from '../api.ts'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Trouble } from '../ui/parts.tsx'
import { passkeysHere } from './passkeys-here.ts'

/** Signs in with a passkey alone; nothing where this browser has none for this page. */
export function PasskeyButton(props: Pick<ButtonProps, 'mt'>) {
  const { session, enter } = useSession()
  const signing = useMutation({
    mutationFn: async () => {
      const { signWithPasskey } = await import('./passkey.ts')
      return askSession<Session>('/passkey', { response: await signWithPasskey() })
    },
    onSuccess: enter,
  })
  if (!passkeysHere(session.passkeys_at)) return null
  return (
    <>
      <Button variant="default" size="md" fullWidth loading={signing.isPending} onClick={() => signing.mutate()} {...props}>
        {t('Sign in with a passkey')}
      </Button>
      {signing.error && <Trouble error={signing.error} />}
    </>
  )
}
