import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Failure, type Output } from '../api.ts'
import { useCall, useDo } from '../queries.ts'
import { t } from '../text.ts'
import { changedIn } from '../ui/changed.ts'
import { Asked, Trouble } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'

/** Whose reports these are, for owners and admins. */
export function HouseForm() {
  const house = useCall('reports.settings', {})
  return (
    <section>
      <h2>{t('Whose reports these are')}</h2>
      <Asked of={house}>{(known) => <Known key={JSON.stringify(known)} known={known} />}</Asked>
    </section>
  )
}

function Known({ known }: { known: Output<'reports.settings'> }) {
  const say = useSay()
  const [mentions, setMentions] = useState(known.mentions_product)
  const saving = useDo('reports.set_settings', () => say(t('Saved. What was published stays as it is.')))
  const wrong = saving.error instanceof Failure ? saving.error.fields : {}
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const { sender, reply_to, link_base, mentions_product } = known
    const before = { sender: sender ?? '', reply_to: reply_to ?? '', link_base: link_base ?? '', mentions_product }
    const now = { sender: text('sender'), reply_to: text('reply_to'), link_base: text('link_base'), mentions_product: mentions }
    saving.mutate(changedIn(before, now))
  }
  return (
    <form onSubmit={send}>
      <Stack gap="md" maw="52rem">
        <div className="cards">
          <TextInput
            name="sender"
            label={t('From')}
            description={t('Without one, the name of the workspace.')}
            defaultValue={known.sender ?? ''}
            error={wrong.sender}
          />
          <TextInput
            name="reply_to"
            label={t('Answers go to')}
            type="email"
            defaultValue={known.reply_to ?? ''}
            description={t('An e-mail address.')}
            error={wrong.reply_to}
          />
          <TextInput
            name="link_base"
            label={t('Links begin with')}
            placeholder="https://reports.example.com"
            description={t('A domain of yours that leads to this service.')}
            defaultValue={known.link_base ?? ''}
            error={wrong.link_base}
          />
        </div>
        <Checkbox
          label={t('Say what reports were made with')}
          checked={mentions}
          onChange={(event) => setMentions(event.currentTarget.checked)}
        />
        {saving.error && Object.keys(wrong).length === 0 && <Trouble error={saving.error} />}
        <Group>
          <Button type="submit" variant="default" loading={saving.isPending}>
            {t('Save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
