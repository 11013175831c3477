import { Alert, Button, Group, Radio, Stack, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Failure, type Input, type Output } from '../api.ts'
import { useDo } from '../queries.ts'
import { t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Trouble } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { useSay } from '../ui/toasts.tsx'

type Type = Input<'notifications.add_channel'>['type']

const about: Record<Type, [name: string, words: string]> = {
  email: [t('E-mail'), t('By the mail server the service is set up with.')],
  slack: ['Slack', t('By the address of an “incoming webhook”, which Slack gives out for a channel.')],
  webhook: [t('Webhook'), t('A signed POST with JSON to an address of yours (Standard Webhooks).')],
}

/** Adds a channel. The secret a webhook is signed with is shown here and only now. */
export function ChannelDialog({ onClose }: { onClose: () => void }) {
  const say = useSay()
  const adding = useDo('notifications.add_channel', ({ name, secret }) => {
    say(t('“{name}” is added. Test it, and say in a rule what goes there.', { name }))
    if (secret === null) onClose()
  })
  if (adding.data?.secret) return <Made channel={adding.data} secret={adding.data.secret} onClose={onClose} />
  return <Form error={adding.error} working={adding.isPending} onSend={adding.mutate} onClose={onClose} />
}

interface FormParts {
  error: unknown
  working: boolean
  onSend: (input: Input<'notifications.add_channel'>) => void
  onClose: () => void
}

function Form({ error, working, onSend, onClose }: FormParts) {
  const [type, setType] = useState<Type>('email')
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [to, setTo] = useState<string[]>([])
  const fields = error instanceof Failure ? error.fields : {}
  const wrongTo = Object.entries(fields).find(([path]) => path.startsWith('to'))?.[1]
  const known = [fields.name, fields.url, wrongTo].some(Boolean)
  return (
    <Dialog onClose={onClose} title={t('Add a channel')} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onSend({ name, type, ...(type === 'email' ? { to } : { url }) })
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('Name')}
            placeholder={t('The team')}
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fields.name}
            data-autofocus
          />
          <Radio.Group label={t('How')} value={type} onChange={(value) => setType(value as Type)}>
            <Stack gap={8} mt={6}>
              {Object.entries(about).map(([value, [label, words]]) => (
                <Radio key={value} value={value} label={label} description={words} />
              ))}
            </Stack>
          </Radio.Group>
          {type === 'email' ? (
            <TagsInput
              label={t('Addresses')}
              description={t('Enter adds one.')}
              value={to}
              onChange={setTo}
              splitChars={[',', ' ', ';']}
              acceptValueOnBlur
              error={wrongTo}
            />
          ) : (
            <TextInput
              label={t('Address (URL)')}
              description={t('It is kept secret: afterwards only its host is shown.')}
              type="url"
              required
              autoComplete="off"
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
              error={fields.url}
            />
          )}
          {error != null && !known && <Trouble error={error} />}
          <FormFooter verb={t('Add')} working={working} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

const Made = ({ channel, secret, onClose }: { channel: Output<'notifications.add_channel'>; secret: string; onClose: () => void }) => (
  <Dialog onClose={onClose} title={t('“{name}” is added', { name: channel.name })} size="lg" once>
    <Alert color="yellow" variant="outline" title={t('Shown only now')}>
      {t('With this secret your program proves that a message is from this service (Standard Webhooks). Nobody can show it again.')}
    </Alert>
    <Snippet label={t('The secret')} text={secret} big />
    <Group justify="flex-end" mt="lg">
      <Button onClick={onClose}>{t('I have it')}</Button>
    </Group>
  </Dialog>
)
