// For whoever cannot sign in: the password is forgotten, or nobody owns the service yet.
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { askSession } from '../api.ts'
import { useSession } from '../session.tsx'
import { T, t } from '../text.ts'
import { Trouble } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { fieldsOf, Narrow, wrongIn } from './form.tsx'

export function Forgotten() {
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

export const NoOwnerYet = () => (
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
