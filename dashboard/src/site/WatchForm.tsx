import { Button, Checkbox, Group, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Failure, type Input, type Output } from '../api.ts'
import { useCall, useDo } from '../queries.ts'
import { t } from '../text.ts'
import { changedIn } from '../ui/changed.ts'
import { Asked, Trouble } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'

type Wanted = Pick<Input<'uptime.set_default'>, 'enabled' | 'interval_s' | 'path' | 'text_wanted' | 'text_refused'>
type Known = Output<'uptime.get'>

const wantedOf = ({ enabled, interval_s, path, text_wanted, text_refused }: Known): Wanted => ({
  enabled,
  interval_s,
  path,
  text_wanted,
  text_refused,
})

/** How all sites are watched that say nothing themselves. */
export function DefaultWatch() {
  const known = useCall('uptime.get_default', {})
  return <Asked of={known}>{(held) => <WatchForm key={JSON.stringify(wantedOf(held))} of={held} />}</Asked>
}

/** The same of one site. */
export function SiteWatch({ siteId }: { siteId: string }) {
  const known = useCall('uptime.get', { site_id: siteId }, { every: 15_000 })
  return <Asked of={known}>{(held) => <WatchForm key={JSON.stringify(wantedOf(held))} of={held} siteId={siteId} />}</Asked>
}

function WatchForm({ of: known, siteId }: { of: Known; siteId?: string }) {
  const say = useSay()
  const [enabled, setEnabled] = useState(known.enabled)
  const done = () => say(t('Saved.'))
  const [one, all] = [useDo('uptime.set', done), useDo('uptime.set_default', done)]
  const saving = siteId ? one : all
  const wrong = saving.error instanceof Failure ? saving.error.fields : {}
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const text = (name: string) => String(given.get(name) ?? '').trim() || null
    const interval = text('interval_s')
    const now = {
      enabled,
      interval_s: interval === null ? null : Number(interval),
      path: text('path'),
      text_wanted: text('text_wanted'),
      text_refused: text('text_refused'),
    }
    const wanted = changedIn<Wanted>(wantedOf(known), now)
    if (Object.keys(wanted).length === 0) say(t('Nothing was changed.'))
    else if (siteId) one.mutate({ site_id: siteId, ...wanted })
    else all.mutate(wanted)
  }
  return (
    <form onSubmit={send}>
      <Checkbox
        label={t('Look whether it answers')}
        description={t('Otherwise nobody knows whether it is up, and nobody is told when it is not.')}
        checked={enabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
      <Group align="start" mt="md" gap="sm" className="fields">
        <TextInput
          label={t('Seconds between two looks')}
          name="interval_s"
          type="number"
          min={30}
          max={3600}
          defaultValue={known.interval_s}
          error={wrong.interval_s}
        />
        <TextInput label={t('Page that is asked for')} name="path" maxLength={500} defaultValue={known.path} error={wrong.path} />
        <TextInput
          label={t('Words that stand there')}
          name="text_wanted"
          maxLength={500}
          defaultValue={known.text_wanted ?? ''}
          error={wrong.text_wanted}
        />
        <TextInput
          label={t('Words that do not')}
          name="text_refused"
          maxLength={500}
          defaultValue={known.text_refused ?? ''}
          error={wrong.text_refused}
        />
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        {siteId
          ? t('What is left empty is as all sites have it.')
          : t('What is left empty is as usual. A site may say otherwise for itself.')}
      </Text>
      {saving.error && Object.keys(wrong).length === 0 && <Trouble error={saving.error} />}
      <Button type="submit" variant="default" mt="sm" loading={saving.isPending}>
        {t('Save')}
      </Button>
    </form>
  )
}
