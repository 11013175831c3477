import { Alert, Button, Checkbox, Group, Modal, Radio, Select, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Failure, type Input, type Output } from '../api.ts'
import { useDo } from '../queries.ts'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Snippet, Trouble } from '../ui/parts.tsx'
import { configurations } from './configurations.ts'
import { type Sees, SeesField } from './SeesField.tsx'

const lives = { '7': '7 days', '30': '30 days', '90': '90 days', '365': 'A year', never: 'Never' }

/** Makes a token. Once it is made it is shown, here and only now. */
export function TokenDialog({ onClose }: { onClose: () => void }) {
  const making = useDo('tokens.create')
  if (making.data) return <Made token={making.data} onClose={onClose} />
  return (
    <Modal opened onClose={onClose} title="Create a token" size="lg">
      <Form error={making.error} working={making.isPending} onSend={making.mutate} onClose={onClose} />
    </Modal>
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
  const wrong = error instanceof Failure ? error.fields : {}
  const send = () =>
    onSend({
      name,
      scope,
      approval_only: scope === 'write' && careful,
      ...(sees && { sees }),
      ...(life !== 'never' && { expires_at: new Date(Date.now() + Number(life) * 86_400_000).toISOString() }),
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
          label="Name"
          description="What it is for: you see it beside everything it does."
          placeholder="Claude on my laptop"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={wrong.name}
          data-autofocus
        />
        <Radio.Group label="It may" value={scope} onChange={(value) => setScope(value as 'read' | 'write')}>
          <Stack gap={8} mt={6}>
            <Radio value="read" label="Read" description="Look at everything, and ask what a change would do. It changes nothing." />
            <Radio
              value="write"
              label="Read and write"
              description="Also back up, restore and update, download backups, and log in as administrator."
            />
          </Stack>
        </Radio.Group>
        {scope === 'write' && (
          <Checkbox
            checked={careful}
            onChange={(event) => setCareful(event.currentTarget.checked)}
            label="Approval only"
            description="Every change waits until a person here approves it. For agents that work on their own."
          />
        )}
        <SeesField onChange={setSees} wrong={Object.entries(wrong).find(([path]) => path.startsWith('sees'))?.[1]} />
        <Select
          label="Ends after"
          data={Object.entries(lives).map(([value, label]) => ({ value, label }))}
          value={life}
          onChange={(value) => setLife(value ?? '90')}
          error={wrong.expires_at}
        />
        {error !== null && Object.keys(wrong).length === 0 && <Trouble error={error} />}
        <FormFooter verb="Create" working={working} onClose={onClose} />
      </Stack>
    </form>
  )
}

function Made({ token, onClose }: { token: Output<'tokens.create'>; onClose: () => void }) {
  const ways = configurations(location.origin, token.token)
  return (
    <Modal opened onClose={onClose} title={`“${token.name}” is made`} size="xl" closeOnClickOutside={false}>
      <Alert color="yellow" variant="outline" title="Shown only now">
        Copy the token, or one of the configurations below. Only its hash is kept, so nobody can show it again.
      </Alert>
      <Snippet label="The token" text={token.token} big />
      <Text fw={600} mt="md" mb={4} component="h2" size="md">
        Ready to paste
      </Text>
      <Tabs defaultValue={ways[0]?.id ?? ''} keepMounted={false}>
        <Tabs.List aria-label="For which program">
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
            <Snippet label={`Configuration for ${name}`} text={text} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose}>I have it</Button>
      </Group>
    </Modal>
  )
}
