import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { askSession, Failure, type Session } from '../api.ts'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Trouble } from '../ui/parts.tsx'
import { fieldsOf, Narrow, wrongIn } from './form.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'

const Forgotten = lazy(async () => ({ default: (await import('./WithoutWay.tsx')).Forgotten }))
const NoOwnerYet = lazy(async () => ({ default: (await import('./WithoutWay.tsx')).NoOwnerYet }))

/** Sends what a form holds to the session; what comes back is the session it opened. */
export function useEntering(path: string) {
  const { enter } = useSession()
  return useMutation({ mutationFn: (body: object) => askSession<Session>(path, body), onSuccess: enter })
}

export function SignInPage() {
  const { session } = useSession()
  const entering = useEntering('')
  const [forgotten, setForgotten] = useState(false)
  if (session.has_owner === false) return <NoOwnerYet />
  const { error } = entering
  const general = error && !(error instanceof Failure && Object.keys(error.fields).length > 0)
  return (
    <Narrow title={t('Sign in')}>
      <form onSubmit={(event) => entering.mutate(fieldsOf(event))}>
        <Stack gap="md" mt="md">
          <TextInput
            label={t('E-mail address')}
            name="email"
            type="email"
            autoComplete="username"
            required
            error={wrongIn(error, 'email')}
          />
          <PasswordInput
            label={t('Password')}
            name="password"
            autoComplete="current-password"
            required
            error={wrongIn(error, 'password')}
          />
          {general && <Trouble error={error} />}
          <Button type="submit" loading={entering.isPending} size="md">
            {t('Sign in')}
          </Button>
          <PasskeyButton />
          <Button variant="subtle" size="compact-sm" onClick={() => setForgotten(!forgotten)} aria-expanded={forgotten}>
            {t('Forgotten the password?')}
          </Button>
        </Stack>
      </form>
      <Suspense>{forgotten && <Forgotten />}</Suspense>
    </Narrow>
  )
}
