import { Button, Group, MultiSelect, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Failure, type Input, type Output } from '../api.ts'
import { timeZone } from '../days.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { useLabels } from '../ui/labels.ts'
import { Asked, Empty, Trouble } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'
import { ZoneSelect } from '../ui/ZoneSelect.tsx'
import { type Channel, type Kind, kindOf, kinds } from './kinds.ts'

type Rule = Output<'notifications.rules'>['rules'][number]

export function Rules({ channels }: { channels: Channel[] }) {
  const works = useMay('write')
  const rules = useCall('notifications.rules', {}, { every: 30_000 })
  const [adding, setAdding] = useState(false)
  const add = works && (
    <Button variant="default" onClick={() => setAdding(true)}>
      {t('Add a rule')}
    </Button>
  )
  return (
    <>
      <Asked of={rules} rows={2}>
        {({ rules: all }) =>
          all.length === 0 ? (
            <Empty title={t('No rule yet')} action={add}>
              {t('A rule says what goes to which channel. Without one nothing is sent.')}
            </Empty>
          ) : (
            <>
              <ul className="entries">
                {all.map((rule) => (
                  <Row
                    key={rule.id}
                    rule={rule}
                    channel={channels.find(({ id }) => id === rule.channel_id)?.name ?? t('a channel that is gone')}
                  />
                ))}
              </ul>
              <Group mt="sm">{add}</Group>
            </>
          )
        }
      </Asked>
      {adding && <RuleDialog channels={channels} onClose={() => setAdding(false)} />}
    </>
  )
}

function Row({ rule, channel }: { rule: Rule; channel: string }) {
  const works = useMay('write')
  const say = useSay()
  const names = useSiteNames()
  const removing = useDo('notifications.remove_rule', () => say(t('The rule is removed.')))
  const sites = [
    rule.site_id && names(rule.site_id),
    rule.tag && t('sites tagged {tag}', { tag: rule.tag }),
    rule.client && t('sites of {client}', { client: rule.client }),
  ].filter(Boolean)
  return (
    <li className="entry">
      <div>
        <p>
          <T
            message="{kinds} to {channel}"
            kinds={<b>{rule.kinds === null ? t('Everything') : rule.kinds.map(kindOf).join('; ')}</b>}
            channel={<b>{channel}</b>}
          />
        </p>
        <p className="soft">
          {sites.length === 0 ? t('Of all sites') : t('Of {sites}', { sites: sites.join(', ') })}
          {rule.quiet && ` · ${t('quiet from {from} to {to} ({time_zone}), told at its end', rule.quiet)}`}
        </p>
      </div>
      {works && (
        <Button
          size="xs"
          variant="default"
          loading={removing.isPending}
          onClick={() => removing.mutate({ rule_id: rule.id }, { onError: (error) => say(messageOf(error)) })}
          aria-label={t('Remove the rule to {channel}', { channel })}
        >
          {t('Remove')}
        </Button>
      )}
    </li>
  )
}

function RuleDialog({ channels, onClose }: { channels: Channel[]; onClose: () => void }) {
  const say = useSay()
  const labels = useLabels()
  const [channel, setChannel] = useState(channels[0]?.id ?? '')
  const [chosen, setChosen] = useState<string[]>([])
  const [tag, setTag] = useState<string | null>(null)
  const [client, setClient] = useState<string | null>(null)
  const [isQuiet, setQuiet] = useState(false)
  const [quiet, setHours] = useState({ from: '22:00', to: '06:00', time_zone: timeZone })
  const adding = useDo('notifications.add_rule', () => {
    say(t('The rule holds from now on.'))
    onClose()
  })
  const wrong = adding.error instanceof Failure ? adding.error.fields : {}
  const input: Input<'notifications.add_rule'> = {
    channel_id: channel,
    ...(chosen.length > 0 && { kinds: chosen as Kind[] }),
    ...(tag && { tag }),
    ...(client && { client }),
    ...(isQuiet && { quiet }),
  }
  return (
    <Dialog onClose={onClose} title={t('Add a rule')} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          adding.mutate(input)
        }}
      >
        <Stack gap="md">
          <Select
            label={t('To')}
            data={channels.map(({ id, name }) => ({ value: id, label: name }))}
            value={channel}
            onChange={(value) => setChannel(value ?? '')}
            error={wrong.channel_id}
          />
          <MultiSelect
            label={t('What')}
            description={t('Nothing chosen: everything.')}
            data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
            value={chosen}
            onChange={setChosen}
            searchable
            clearable
            error={wrong.kinds}
          />
          <Group grow>
            <Select
              label={t('Only sites tagged')}
              clearable
              allowDeselect
              placeholder={t('Any')}
              data={labels.data?.tags ?? []}
              value={tag}
              onChange={setTag}
            />
            <Select
              label={t('Only sites of')}
              clearable
              allowDeselect
              placeholder={t('Any')}
              data={labels.data?.clients ?? []}
              value={client}
              onChange={setClient}
            />
          </Group>
          <Switch checked={isQuiet} onChange={(event) => setQuiet(event.currentTarget.checked)} label={t('Quiet hours')} />
          {isQuiet && (
            <>
              <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
                {(['from', 'to'] as const).map((end) => (
                  <TextInput
                    key={end}
                    type="time"
                    label={end === 'from' ? t('From') : t('Until')}
                    required
                    value={quiet[end]}
                    onChange={(event) => setHours({ ...quiet, [end]: event.currentTarget.value })}
                    error={wrong[`quiet.${end}`]}
                  />
                ))}
                <ZoneSelect
                  value={quiet.time_zone}
                  onChange={(time_zone) => setHours({ ...quiet, time_zone })}
                  error={wrong['quiet.time_zone']}
                />
              </SimpleGrid>
              <Text size="sm" c="dimmed">
                {t('By the clock there, in summer time too. What happens then is told at its end.')}
              </Text>
            </>
          )}
          {adding.error && Object.keys(wrong).length === 0 && <Trouble error={adding.error} />}
          <FormFooter verb={t('Add')} working={adding.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
