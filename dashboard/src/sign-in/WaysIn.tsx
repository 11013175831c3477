import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { askSession, type Session } from '../api.ts'
import { useSession } from '../session.tsx'
import { T, t } from '../text.ts'
import { Trouble, Waiting } from '../ui/parts.tsx'
import { amid, plainly } from '../words.ts'
import { fieldsOf, Narrow, wrongIn } from './form.tsx'
import { useEntering } from './SignInPage.tsx'

/** Behind the # of the link: no request carries it but the ones made here. */
const keyOfLink = () => location.hash.slice(1)

interface Invitation {
  email: string
  workspace: string
  role: string
  has_account: boolean
}

export function JoinPage() {
  const key = keyOfLink()
  const [, go] = useLocation()
  const { session, enter } = useSession()
  const accepting = useMutation({
    mutationFn: () => askSession<Session>('/accept', { key }),
    onSuccess: (next) => {
      enter(next)
      go('/', { replace: true })
    },
  })
  const seen = useQuery({
    queryKey: ['session', 'invitation', key],
    queryFn: () => askSession<Invitation>('/invitation', { key }),
    retry: false,
  })
  const entering = useEntering('/join')
  if (seen.error) return <Closed error={seen.error} />
  if (!seen.data) return <Waiting />
  const { email, workspace, role, has_account: known } = seen.data
  if (session.user?.email.toLowerCase() === email.toLowerCase())
    return (
      <Narrow title={t('Join {workspace}', { workspace })}>
        <Text c="dimmed">
          <T message="You are invited as {role}, and signed in as {email}." role={amid(plainly(role))} email={email} />
        </Text>
        {accepting.error && <Trouble error={accepting.error} />}
        <Button mt="md" size="md" fullWidth loading={accepting.isPending} onClick={() => accepting.mutate()}>
          {t('Join')}
        </Button>
      </Narrow>
    )
  return (
    <Narrow title={t('Join {workspace}', { workspace })}>
      <Text c="dimmed">
        <T
          message="You are invited as {role}. {known}"
          role={amid(plainly(role))}
          known={known ? t('Sign in with your password to join.') : t('Choose a password; you sign in with it.')}
        />
      </Text>
      <form
        onSubmit={(event) => entering.mutate({ key, password: fieldsOf(event).password }, { onSuccess: () => go('/', { replace: true }) })}
      >
        <Stack gap="md" mt="md">
          <TextInput label={t('E-mail address')} name="email" value={email} readOnly autoComplete="username" />
          <PasswordInput
            label={known ? t('Your password') : t('A password')}
            description={known ? undefined : t('At least 12 characters.')}
            name="password"
            autoComplete={known ? 'current-password' : 'new-password'}
            required
            error={wrongIn(entering.error, 'password')}
          />
          {entering.error && !wrongIn(entering.error, 'password') && <Trouble error={entering.error} />}
          <Button type="submit" loading={entering.isPending} size="md">
            {t('Join')}
          </Button>
        </Stack>
      </form>
    </Narrow>
  )
}

export function RecoverPage() {
  const key = keyOfLink()
  const [, go] = useLocation()
  const seen = useQuery({
    queryKey: ['session', 'recovery', key],
    queryFn: () => askSession<{ email: string }>('/recovery', { key }),
    retry: false,
  })
  const entering = useEntering('/recover')
  if (seen.error) return <Closed error={seen.error} />
  if (!seen.data) return <Waiting />
  return (
    <Narrow title={t('Choose a new password')}>
      <Text c="dimmed">{t('Everywhere else you will be signed out.')}</Text>
      <form
        onSubmit={(event) => entering.mutate({ key, password: fieldsOf(event).password }, { onSuccess: () => go('/', { replace: true }) })}
      >
        <Stack gap="md" mt="md">
          <TextInput label={t('E-mail address')} name="email" value={seen.data.email} readOnly autoComplete="username" />
          <PasswordInput
            label={t('New password')}
            description={t('At least 12 characters.')}
            name="password"
            autoComplete="new-password"
            required
            error={wrongIn(entering.error, 'password')}
          />
          {entering.error && !wrongIn(entering.error, 'password') && <Trouble error={entering.error} />}
          <Button type="submit" loading={entering.isPending} size="md">
            {t('Set the password and sign in')}
          </Button>
        </Stack>
      </form>
    </Narrow>
  )
}

const Closed = ({ error }: { error: unknown }) => (
  <Narrow title={t('This link is closed')}>
    <Trouble error={error} />
    <a href="/">{t('To the sign-in')}</a>
  </Narrow>
)
