import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { SettingsNav } from '../settings/SettingsNav.tsx'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Icon } from '../ui/icons.tsx'
import { Asked, Empty, Page, State, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { ChannelDialog } from './ChannelDialog.tsx'
import { Deliveries, Notices } from './History.tsx'
import type { Channel } from './kinds.ts'
import { Rules } from './Rules.tsx'

const types: Record<Channel['type'], string> = { email: t('E-mail'), slack: 'Slack', webhook: t('Webhook') }

export function NotificationsPage() {
  const works = useMay('write')
  const channels = useCall('notifications.channels', {}, { every: 30_000 })
  const [adding, setAdding] = useState(false)
  const add = works && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
      {t('Add a channel')}
    </Button>
  )
  return (
    <Page title={t('Notifications')} about={t('Where people are told what happened, and what of it.')} actions={add}>
      <SettingsNav here="/settings/notifications" />
      <h2>{t('Channels')}</h2>
      <Asked of={channels} rows={2}>
        {({ channels: all }) =>
          all.length === 0 ? (
            <Empty title={t('No channel yet')} action={add}>
              {t('Until there is one, what happened is only kept here, and nobody is told.')}
            </Empty>
          ) : (
            <>
              <ul className="entries">
                {all.map((channel) => (
                  <Row key={channel.id} channel={channel} />
                ))}
              </ul>
              <h2>{t('Rules')}</h2>
              <Rules channels={all} />
              <h2>{t('Messages')}</h2>
              <Deliveries />
            </>
          )
        }
      </Asked>
      <h2>{t('What happened')}</h2>
      <Notices />
      {adding && <ChannelDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

function Row({ channel }: { channel: Channel }) {
  const works = useMay('write')
  const say = useSay()
  const [asking, setAsking] = useState(false)
  const testing = useDo('notifications.test')
  const removing = useDo('notifications.remove_channel', () => {
    setAsking(false)
    say(t('“{name}” is removed, with its rules.', { name: channel.name }))
  })
  return (
    <li className="entry">
      <div>
        <p>
          <b>{channel.name}</b> <span className="soft">{types[channel.type]}</span>
        </p>
        <p className="soft">
          <T message="{shown} · since {when}" shown={channel.shown} when={<When at={channel.created_at} />} />
        </p>
        <div role="status">
          {testing.data &&
            (testing.data.ok ? (
              <State tone="good">{t('The test message was taken')}</State>
            ) : (
              <>
                <State tone="bad">{t('The test failed')}</State> <span className="soft">{testing.data.error}</span>
              </>
            ))}
          {testing.error && (
            <>
              <State tone="bad">{t('The test could not be made')}</State> <span className="soft">{messageOf(testing.error)}</span>
            </>
          )}
        </div>
      </div>
      {works && (
        <Group gap="xs" align="start">
          <Button
            size="xs"
            variant="default"
            loading={testing.isPending}
            onClick={() => testing.mutate({ channel_id: channel.id })}
            aria-label={t('Send a test message to {name}', { name: channel.name })}
          >
            {t('Test')}
          </Button>
          <Button size="xs" variant="default" onClick={() => setAsking(true)} aria-label={t('Remove {name}', { name: channel.name })}>
            {t('Remove')}
          </Button>
        </Group>
      )}
      {asking && (
        <Confirm
          title={t('Remove “{name}”?', { name: channel.name })}
          verb={t('Remove')}
          working={removing.isPending}
          error={removing.error && messageOf(removing.error)}
          onClose={() => setAsking(false)}
          onConfirm={() => removing.mutate({ channel_id: channel.id })}
        >
          <Text size="sm">{t('Its rules go with it, and what still waits to be sent there.')}</Text>
        </Confirm>
      )}
    </li>
  )
}
