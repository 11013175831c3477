import { Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { askSession, Failure, type Session } from '../api.ts'
import { useSession } from '../session.tsx'
import { T, t } from '../text.ts'
import { Mark } from '../ui/icons.tsx'
import { Snippet, Trouble } from '../ui/parts.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'

/** A page of its own for whoever is not signed in. */
export const Narrow = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="narrow" id="content">
    <title>{t('{title} · Site fleet', { title })}</title>
    <p className="brand">
      <Mark /> {t('Site fleet')}
    </p>
    <Title order={1} mt="lg">
      {title}
    </Title>
    {children}
  </main>
)

/** Sends what a form holds to the session; what comes back is the session it opened. */
export function useEntering(path: string) {
  const { enter } = useSession()
  return useMutation({ mutationFn: (body: object) => askSession<Session>(path, body), onSuccess: enter })
}

export const fieldsOf = (event: FormEvent<HTMLFormElement>) => {
  event.preventDefault()
  return Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>
}

export const wrongIn = (error: unknown, field: string) => (error instanceof Failure ? error.fields[field] : undefined)

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
      {forgotten && <Forgotten />}
    </Narrow>
  )
}

function Forgotten() {
  const { session } = useSession()
  const asking = useMutation({ mutationFn: (body: object) => askSession<{ mailed: string }>('/forgotten', body) })
  if (!session.mail)
    return (
      <div>
        <Text size="sm" mt="md">
          {t('Whoever runs this service prints a link for you with this command. Open it, and choose a new password.')}
        </Text>
        <Snippet label={t('Command of the operator')} text="npm run -s admin -- person reset --email you@example.com" />
      </div>
    )
  if (asking.data)
    return (
      <Text size="sm" mt="md" role="status">
        {asking.data.mailed}
      </Text>
    )
  return (
    <form onSubmit={(event) => asking.mutate(fieldsOf(event))}>
      <Stack gap="sm" mt="md">
        <TextInput
          label={t('Your e-mail address')}
          name="email"
          type="email"
          autoComplete="username"
          required
          error={wrongIn(asking.error, 'email')}
        />
        {asking.error && !wrongIn(asking.error, 'email') && <Trouble error={asking.error} />}
        <Button type="submit" variant="default" loading={asking.isPending}>
          {t('Mail me a link')}
        </Button>
      </Stack>
    </form>
  )
}

const NoOwnerYet = () => (
  <Narrow title={t('Nobody owns this service yet')}>
    <Text mt="sm">
      <T
        message="Open the link that {code} printed in its terminal; it works once, for an hour. This prints a new one:"
        code={<code>npm start</code>}
      />
    </Text>
    <Snippet label={t('Command for a new link')} text="npm run -s admin -- setup link" />
    <Text size="sm" c="dimmed">
      {t('Only somebody at the machine of the service sees that link, so nobody else can take it over.')}
    </Text>
  </Narrow>
)
