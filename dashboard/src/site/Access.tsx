import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { Failure, type Output } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { t } from '../text.ts'
import { Asked, Trouble } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { useAsking } from './AskNow.tsx'
import type { Site } from './nouns.ts'

/** What the web server in front of a site wants to see before it lets anybody through. */
export function Access({ site }: { site: Site }) {
  const access = useCall('pairing.get_access', { site_id: site.id })
  return (
    <>
      <Text size="sm" c="dimmed">
        {t(
          'For a site that lets nobody through without a password, as many staging sites do, or whose firewall wants to see a header. It is kept sealed, sent to this site alone, and never shown again.',
        )}
      </Text>
      <Asked of={access} rows={2}>
        {(kept) => <Form site={site} kept={kept} />}
      </Asked>
    </>
  )
}

function Form({ site, kept }: { site: Site; kept: Output<'pairing.get_access'> }) {
  const say = useSay()
  const asking = useAsking()
  const keeping = useDo('pairing.set_access', () => say(t('It is kept, and the site is asked with it.')))
  const forgetting = useDo('pairing.set_access', () => say(t('It is forgotten.')))
  const wrong = keeping.error instanceof Failure ? keeping.error.fields : {}
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const given = new FormData(form)
    const text = (name: string) => String(given.get(name) ?? '')
    const basic = text('user') || text('password') ? { user: text('user'), password: text('password') } : null
    const header = text('header') || text('value') ? { name: text('header'), value: text('value') } : null
    if (!basic && !header) {
      say(t('Nothing was changed.'))
      return
    }
    const done = () => {
      form.reset()
      asking.mutate({ site_id: site.id })
    }
    keeping.mutate({ site_id: site.id, basic, header }, { onSuccess: done })
  }
  const parts = [
    kept.user !== null && t('user {user}', { user: kept.user }),
    kept.header !== null && t('header {header}', { header: kept.header }),
  ]
  const list = parts.filter(Boolean).join(', ')
  return (
    <form onSubmit={send}>
      <Stack gap="sm" mt="sm">
        <Text size="sm">{list ? t('Kept: {list}. What you give here takes its place.', { list }) : t('Nothing is kept.')}</Text>
        <Group grow align="end">
          <TextInput label={t('User name')} name="user" maxLength={255} autoComplete="off" error={wrong['basic.user']} />
          <PasswordInput
            label={t('Password')}
            name="password"
            maxLength={1000}
            autoComplete="new-password"
            error={wrong['basic.password']}
          />
        </Group>
        <Group grow align="end">
          <TextInput label={t('Name of the header')} name="header" maxLength={100} autoComplete="off" error={wrong['header.name']} />
          <PasswordInput label={t('Its value')} name="value" maxLength={4000} autoComplete="new-password" error={wrong['header.value']} />
        </Group>
        {keeping.error && Object.keys(wrong).length === 0 && <Trouble error={keeping.error} />}
        {asking.error && <Trouble error={asking.error} />}
        <Group gap="xs">
          <Button type="submit" variant="default" loading={keeping.isPending || asking.isPending}>
            {t('Keep it, and ask the site')}
          </Button>
          {list && (
            <Button
              variant="default"
              loading={forgetting.isPending}
              onClick={() => forgetting.mutate({ site_id: site.id }, { onError: (error) => say(messageOf(error)) })}
            >
              {t('Forget it')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
