import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { askSession, Failure, type Half, type Session } from '../api.ts'
import { useSession } from '../session.tsx'
import { T, t } from '../text.ts'
import { Trouble } from '../ui/parts.tsx'
import { fieldsOf, Narrow, wrongIn } from './form.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'

/** Where the person has a second factor: nothing is open before it was shown. */
export function SecondStep({ half }: { half: Half }) {
  const { enter, leave } = useSession()
  const entering = useMutation({
    mutationFn: (body: object) => askSession<Session>('/second', { key: half.key, ...body }),
    onSuccess: enter,
  })
  const codes = half.ways.includes('code') || half.ways.includes('recovery_code')
  const wrong = wrongIn(entering.error, 'code')
  return (
    <Narrow title={t('One more step')}>
      <Text c="dimmed">{t('Your account has a second factor. Show it to go on.')}</Text>
      {half.ways.includes('passkey') && <PasskeyButton mt="md" />}
      {codes && (
        <form onSubmit={(event) => entering.mutate(fieldsOf(event))}>
          <Stack gap="md" mt="md">
            <TextInput
              label={half.ways.includes('code') ? t('Code') : t('Recovery code')}
              description={
                half.ways.includes('code')
                  ? t('Six digits from your authenticator app, or one of your recovery codes.')
                  : t('One you kept when you set the factor up.')
              }
              name="code"
              autoComplete="one-time-code"
              required
              autoFocus
              error={wrong}
            />
            {entering.error && !wrong && <Trouble error={entering.error} />}
            <Button type="submit" size="md" loading={entering.isPending}>
              {t('Go on')}
            </Button>
          </Stack>
        </form>
      )}
      <Button variant="subtle" size="compact-sm" mt="md" onClick={leave}>
        {entering.error instanceof Failure && entering.error.status === 404 ? t('Begin anew') : t('Sign in as somebody else')}
      </Button>
      <Text size="sm" c="dimmed" mt="lg">
        <T
          message="All of it lost? Whoever runs this service can take the factor away: {code}"
          code={<code>npm run -s admin -- person forget-factors</code>}
        />
      </Text>
    </Narrow>
  )
}
