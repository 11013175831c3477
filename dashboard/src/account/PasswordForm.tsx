import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { askSession, type Session } from '../api.ts'
import { useSession } from '../session.tsx'
import { fieldsOf, wrongIn } from '../sign-in/form.tsx'
import { t } from '../text.ts'
import { Trouble } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'

export function PasswordForm() {
  const { enter } = useSession()
  const say = useSay()
  const changing = useMutation({
    mutationFn: (body: object) => askSession<Session>('/password', body),
    onSuccess: (next) => {
      enter(next)
      say(t('The password is changed. Everywhere else you are signed out.'))
    },
  })
  const general = changing.error && !wrongIn(changing.error, 'next')
  return (
    <form
      onSubmit={(event) => {
        const form = event.currentTarget
        changing.mutate(fieldsOf(event), { onSuccess: () => form.reset() })
      }}
    >
      <Stack gap="sm">
        <PasswordInput label={t('Current password')} name="current" autoComplete="current-password" required />
        <PasswordInput
          label={t('New password')}
          description={t('At least 12 characters.')}
          name="next"
          autoComplete="new-password"
          required
          error={wrongIn(changing.error, 'next')}
        />
        {general && <Trouble error={changing.error} />}
        <Group>
          <Button type="submit" variant="default" loading={changing.isPending}>
            {t('Change the password')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
