import { Button, Checkbox, Group, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { addressOf, Failure, type Input } from '../api.ts'
import { useCall, useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { changedIn } from '../ui/changed.ts'
import { Trouble, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { ZoneSelect } from '../ui/ZoneSelect.tsx'
import { NumberField } from './NumberField.tsx'
import { type Client, type Section, sectionNames, sections } from './tell.ts'

/** A language in its own words, as whoever reads it looks for it. */
const languageName = (code: string) => new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code
const modes = [
  { value: 'off', label: t('By hand only') },
  { value: 'draft', label: t('A draft comes each month') },
  { value: 'send', label: t('Drafted, then published and sent') },
]

/** A file as base64. */
const read = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

const settingsOf = ({ name, language, time_zone, paper, colour, recipients, hidden, shows_names, schedule }: Client) => {
  const { next_at: _, ...plan } = schedule
  return { name, language, time_zone, paper, colour, recipients, hidden, shows_names, schedule: plan }
}

export function ClientForm({ client, disabled }: { client: Client; disabled: boolean }) {
  const say = useSay()
  const [before, setBefore] = useState(client)
  const [set, setSet] = useState(client)
  const [logo, setLogo] = useState<File | null>(null)
  const saving = useDo('clients.set', () => say(t('Saved.')))
  const wrong = saving.error instanceof Failure ? saving.error.fields : {}
  const change = (part: Partial<Client>) => setSet((before) => ({ ...before, ...part }))
  const { schedule } = set
  const { next_at } = schedule
  const { languages = [], sends_mail = true } = useCall('reports.settings', {}).data ?? {}
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const changed = changedIn(settingsOf(before), settingsOf(set))
    const given = { client_id: client.id, ...changed, ...(logo && { logo: await read(logo) }) } as Input<'clients.set'>
    saving.mutate(given, { onSuccess: () => setBefore(set) })
  }
  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack gap="md" maw="52rem">
        <div className="cards">
          <TextInput
            label={t('Name')}
            description={t('Its sites follow a new one.')}
            required
            value={set.name}
            disabled={disabled}
            error={wrong.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <TagsInput
            label={t('Reports go to')}
            description={t('E-mail addresses; Enter adds one.')}
            value={set.recipients}
            disabled={disabled}
            error={Object.entries(wrong).find(([field]) => field.startsWith('recipients'))?.[1]}
            onChange={(recipients) => change({ recipients })}
          />
          <Select
            label={t('Language')}
            data={[...new Set([...languages, client.language])].map((code) => ({ value: code, label: languageName(code) }))}
            value={set.language}
            allowDeselect={false}
            disabled={disabled}
            onChange={(language) => change({ language: (language ?? 'en') as Client['language'] })}
          />
          <ZoneSelect value={set.time_zone} disabled={disabled} error={wrong.time_zone} onChange={(zone) => change({ time_zone: zone })} />
          <TextInput
            label={t('Colour')}
            type="color"
            value={set.colour}
            disabled={disabled}
            onChange={(event) => change({ colour: event.currentTarget.value })}
          />
          <Select
            label={t('Paper')}
            data={[
              { value: 'a4', label: 'A4' },
              { value: 'letter', label: t('Letter') },
            ]}
            value={set.paper}
            allowDeselect={false}
            disabled={disabled}
            onChange={(paper) => change({ paper: (paper ?? 'a4') as Client['paper'] })}
          />
        </div>
        <Group align="end">
          <TextInput
            label={t('Logo')}
            description={t('PNG or JPEG, at most 200 KB.')}
            type="file"
            accept="image/png,image/jpeg"
            disabled={disabled}
            error={wrong.logo}
            onChange={(event) => setLogo(event.currentTarget.files?.[0] ?? null)}
            maw={360}
          />
          {client.logo && (
            <img
              src={`${addressOf('clients.logo', { client_id: client.id })}?${client.updated_at}`}
              alt={t('The logo')}
              style={{ maxHeight: 56, maxWidth: 180 }}
            />
          )}
        </Group>
        <Checkbox.Group
          label={t('Sections that new drafts leave out')}
          value={set.hidden}
          onChange={(hidden) => change({ hidden: hidden as Section[] })}
        >
          <Group mt={6} gap="md">
            {sections.map((section) => (
              <Checkbox key={section} value={section} label={sectionNames[section]} disabled={disabled} />
            ))}
          </Group>
        </Checkbox.Group>
        <Checkbox
          label={t('Say who did the work')}
          description={t('Names of people and agents, as they were logged.')}
          checked={set.shows_names}
          disabled={disabled}
          onChange={(event) => change({ shows_names: event.currentTarget.checked })}
        />
        <div className="cards">
          <Select
            label={t('Each month')}
            data={modes}
            value={schedule.mode}
            allowDeselect={false}
            disabled={disabled}
            onChange={(mode) => change({ schedule: { ...schedule, mode: (mode ?? 'off') as typeof schedule.mode } })}
          />
          {schedule.mode !== 'off' && (
            <>
              <NumberField
                label={t('On day')}
                min={1}
                max={28}
                value={schedule.day}
                disabled={disabled}
                onChange={(day) => change({ schedule: { ...schedule, day } })}
              />
              <NumberField
                label={t('At hour')}
                description={t('In the client’s time zone.')}
                min={0}
                max={23}
                value={schedule.hour}
                disabled={disabled}
                onChange={(hour) => change({ schedule: { ...schedule, hour } })}
              />
            </>
          )}
          {schedule.mode === 'send' && (
            <NumberField
              label={t('Sent days later')}
              min={0}
              max={14}
              value={schedule.wait_days}
              disabled={disabled}
              onChange={(wait_days) => change({ schedule: { ...schedule, wait_days } })}
            />
          )}
        </div>
        {schedule.mode === 'send' && (!sends_mail || set.recipients.length === 0) && (
          <Text size="sm" role="note">
            {sends_mail
              ? t('Nobody gets these reports yet: until an address is named above, each stays a draft.')
              : t('The operator has set no mail server: each stays a draft.')}
          </Text>
        )}
        {next_at && (
          <Text size="sm" c="dimmed">
            <T message="The next draft comes {when}." when={<When at={next_at} />} />
          </Text>
        )}
        {saving.error && <Trouble error={saving.error} />}
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
