import { Alert, Button, Checkbox, Group, Radio, Select, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Failure, type Input, type Output } from '../api.ts'
import { endOf } from '../days.ts'
import { useDo } from '../queries.ts'
import { t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Trouble } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { configurations } from './configurations.ts'
import { type Sees, SeesField } from './SeesField.tsx'

const lives = {
  '7': t('7 days'),
  '30': t('30 days'),
  '90': t('90 days'),
  '365': t('A year'),
  day: t('A day of your choice'),
  never: t('Never'),
}

/** When it ends: so many days from now, or with a day of the viewer. */
function endsAt(life: string, day: string): { expires_at?: string } {
  if (life === 'never') return {}
  return { expires_at: life === 'day' ? endOf(day) : new Date(Date.now() + Number(life) * 86_400_000).toISOString() }
}

/** Makes a token. Once it is made it is shown, here and only now. */
export function TokenDialog({ onClose }: { onClose: () => void }) {
  const making = useDo('tokens.create')
  if (making.data) return <Made token={making.data} onClose={onClose} />
  return (
    <Dialog onClose={onClose} title={t('Create a token')} size="lg">
      <Form error={making.error} working={making.isPending} onSend={making.mutate} onClose={onClose} />
    </Dialog>
  )
}

interface FormParts {
  error: unknown
  working: boolean
  onSend: (input: Input<'tokens.create'>) => void
  onClose: () => void
}

function Form({ error, working, onSend, onClose }: FormParts) {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<'read' | 'write'>('read')
  const [careful, setCareful] = useState(true)
  const [sees, setSees] = useState<Sees>()
  const [life, setLife] = useState<string>('90')
  const [day, setDay] = useState('')
  const wrong = error instanceof Failure ? error.fields : {}
  const send = () =>
    onSend({
      name,
      scope,
      approval_only: scope === 'write' && careful,
      ...(sees && { sees }),
      ...endsAt(life, day),
    })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t('Name')}
          description={t('What it is for: you see it beside everything it does.')}
          placeholder={t('Claude on my laptop')}
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={wrong.name}
          data-autofocus
        />
        <Radio.Group label={t('It may')} value={scope} onChange={(value) => setScope(value as 'read' | 'write')}>
          <Stack gap={8} mt={6}>
            <Radio
              value="read"
              label={t('Read')}
              description={t('Look at everything, and ask what a change would do. It changes nothing.')}
            />
            <Radio
              value="write"
              label={t('Read and write')}
              description={t('Also back up, restore and update, download backups, and log in as administrator.')}
            />
          </Stack>
        </Radio.Group>
        {scope === 'write' && (
          <Checkbox
            checked={careful}
            onChange={(event) => setCareful(event.currentTarget.checked)}
            label={t('Approval only')}
            description={t('Every change waits until a person here approves it. For agents that work on their own.')}
          />
        )}
        <SeesField onChange={setSees} wrong={Object.entries(wrong).find(([path]) => path.startsWith('sees'))?.[1]} />
        <Select
          label={t('Ends after')}
          data={Object.entries(lives).map(([value, label]) => ({ value, label }))}
          value={life}
          onChange={(value) => setLife(value ?? '90')}
          error={life !== 'day' && wrong.expires_at}
        />
        {life === 'day' && (
          <TextInput
            label={t('Last day')}
            description={t('It works until that day is over where you are.')}
            type="date"
            required
            value={day}
            onChange={(event) => setDay(event.currentTarget.value)}
            error={wrong.expires_at}
          />
        )}
        {error !== null && Object.keys(wrong).length === 0 && <Trouble error={error} />}
        <FormFooter verb={t('Create')} working={working} onClose={onClose} />
      </Stack>
    </form>
  )
}

function Made({ token, onClose }: { token: Output<'tokens.create'>; onClose: () => void }) {
  const ways = configurations(location.origin, token.token)
  return (
    <Dialog onClose={onClose} title={t('“{name}” is made', { name: token.name })} size="xl" once>
      <Alert color="yellow" variant="outline" title={t('Shown only now')}>
        {t('Copy the token, or one of the configurations below. Only its hash is kept, so nobody can show it again.')}
      </Alert>
      <Snippet label={t('The token')} text={token.token} big />
      <Text fw={600} mt="md" mb={4} component="h2" size="md">
        {t('Ready to paste')}
      </Text>
      <Tabs defaultValue={ways[0]?.id ?? ''} keepMounted={false}>
        <Tabs.List aria-label={t('For which program')}>
          {ways.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {ways.map(({ id, name, about, text }) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <Text size="sm" c="dimmed">
              {about}
            </Text>
            <Snippet label={t('Configuration for {name}', { name })} text={text} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose}>{t('I have it')}</Button>
      </Group>
    </Dialog>
  )
}
