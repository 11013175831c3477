import { Button, Group, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { Failure, type Output } from '../api.ts'
import { Arrival } from '../fleet/Arrival.tsx'
import { CodeEnds } from '../fleet/CodeEnds.tsx'
import { useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { changedIn } from '../ui/changed.ts'
import { Asked, Trouble } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { useSay } from '../ui/toasts.tsx'
import { hostOf } from '../words.ts'
import { Access } from './Access.tsx'
import type { Site } from './nouns.ts'
import { ScheduleForm } from './ScheduleForm.tsx'

export function SiteSettings({ site }: { site: Site }) {
  const works = useMay('write')
  const manages = useMay('manage')
  const schedule = useCall('schedules.get', { site_id: site.id })
  return (
    <div className="cards">
      <section className="card wide">
        <h2>{t('About this site')}</h2>
        <Labels site={site} disabled={!works} />
      </section>
      <section className="card wide">
        <h2>{t('Backup schedule')}</h2>
        <Asked of={schedule} rows={2}>
          {(known) => <ScheduleForm key={JSON.stringify(known)} of={known} siteId={site.id} disabled={!works} />}
        </Asked>
      </section>
      {manages && (
        <section className="card wide">
          <h2>{t('What lets the service through')}</h2>
          <Access site={site} />
        </section>
      )}
      {manages && (
        <section className="card">
          <h2>{t('Pair anew')}</h2>
          <PairAnew site={site} />
        </section>
      )}
      {manages && (
        <section className="card">
          <h2>{t('Key')}</h2>
          <Key site={site} />
        </section>
      )}
      {manages && (
        <section className="card">
          <h2>{t('Remove')}</h2>
          <Remove site={site} />
        </section>
      )}
    </div>
  )
}

function Labels({ site, disabled }: { site: Site; disabled: boolean }) {
  const say = useSay()
  const [before, setBefore] = useState({ tags: site.tags, client: site.client ?? '', notes: site.notes ?? '' })
  const [tags, setTags] = useState(site.tags)
  const saving = useDo('sites.set', () => say(t('Saved.')))
  const wrong = saving.error instanceof Failure ? saving.error.fields : {}
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const now = { tags, client: String(form.get('client') ?? ''), notes: String(form.get('notes') ?? '') }
    saving.mutate({ site_id: site.id, ...changedIn(before, now) }, { onSuccess: () => setBefore(now) })
  }
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <TagsInput
          label={t('Tags')}
          description={t('Enter adds one. Lists, updates and backups of many sites are narrowed by them.')}
          value={tags}
          onChange={setTags}
          disabled={disabled}
          error={wrong.tags}
        />
        <TextInput
          label={t('Client')}
          name="client"
          defaultValue={site.client ?? ''}
          maxLength={200}
          disabled={disabled}
          error={wrong.client}
        />
        <Textarea
          label={t('Notes')}
          description={t('For colleagues and agents.')}
          name="notes"
          defaultValue={site.notes ?? ''}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={2000}
          disabled={disabled}
          error={wrong.notes}
        />
        {saving.error && Object.keys(wrong).length === 0 && <Trouble error={saving.error} />}
        {!disabled && (
          <Group>
            <Button type="submit" loading={saving.isPending}>
              {t('Save')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

/** What somebody types or pastes as the place a site has moved to. */
const hostIn = (text: string) => (text.includes('://') && URL.canParse(text) ? new URL(text).host : text.trim().replace(/\/.*$/, ''))

function PairAnew({ site }: { site: Site }) {
  const [made, setMade] = useState<Output<'pairing.create_code'>>()
  const [moved, setMoved] = useState('')
  const making = useDo('pairing.create_code', setMade)
  const wrong = making.error instanceof Failure ? making.error.fields : {}
  const make = () => {
    const host = hostIn(moved)
    making.mutate({ site_id: site.id, ...(host && { host }) })
  }
  return (
    <>
      <Text size="sm" c="dimmed">
        {t(
          'For a site that was disconnected, or has moved: a code that is good for this site alone. Its backups and history stay with it.',
        )}
      </Text>
      {made ? (
        <>
          <Snippet label={t('Address of this service')} text={made.service_url} />
          <Snippet label={t('Code')} text={made.code} big />
          <CodeEnds at={made.expires_at} again={make} working={making.isPending} />
          <Arrival of={made} renew={setMade} />
        </>
      ) : (
        <>
          <TextInput
            mt="sm"
            label={t('Moved to')}
            description={t('Its new host, or nothing when its address is the same.')}
            value={moved}
            onChange={(event) => setMoved(event.currentTarget.value)}
            maxLength={255}
            error={wrong.host}
          />
          <Button variant="default" mt="sm" loading={making.isPending} onClick={make}>
            {t('Make a code')}
          </Button>
        </>
      )}
      {making.error && Object.keys(wrong).length === 0 && <Trouble error={making.error} />}
    </>
  )
}

function Key({ site }: { site: Site }) {
  const say = useSay()
  const rotating = useDo('pairing.rotate_keys', ({ keyid }) =>
    say(t('The service uses the key {keyid} with this site from now on.', { keyid })),
  )
  return (
    <>
      <Text size="sm" c="dimmed">
        {t(
          'The service signs whatever it asks of this site. A new key takes the place of the old one without pairing anew, as soon as the site has seen it.',
        )}
      </Text>
      {rotating.error && <Trouble error={rotating.error} />}
      <Button
        variant="default"
        mt="sm"
        loading={rotating.isPending}
        disabled={site.status !== 'connected'}
        onClick={() => rotating.mutate({ site_id: site.id })}
      >
        {t('Use a new key')}
      </Button>
    </>
  )
}

function Remove({ site }: { site: Site }) {
  const host = hostOf(site.url)
  const say = useSay()
  const [, go] = useLocation()
  const [asking, setAsking] = useState(false)
  const removing = useDo('sites.remove', ({ connector_told }) => {
    say(
      connector_told
        ? t('{host} is removed.', { host })
        : t('{host} is removed. It could not be told; deactivate the plugin there.', { host }),
    )
    go('/')
  })
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('The service forgets the site, with its backups and history here. The site itself stays as it is.')}
      </Text>
      <Button className="danger" mt="sm" onClick={() => setAsking(true)}>
        {t('Remove the site …')}
      </Button>
      {asking && (
        <Confirm
          title={t('Remove {host}?', { host })}
          verb={t('Remove')}
          working={removing.isPending}
          typed={host}
          onClose={() => setAsking(false)}
          onConfirm={() => removing.mutate({ site_id: site.id })}
        >
          <Text size="sm">{t('Its backups here are deleted with it. This cannot be taken back.')}</Text>
          {removing.error && <Trouble error={removing.error} />}
        </Confirm>
      )}
    </>
  )
}
