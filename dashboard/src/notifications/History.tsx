import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Item } from '../api.ts'
import { messageOf, useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { More, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { hostOf } from '../words.ts'
import { type Kind, kindOf, kinds } from './kinds.ts'

type Delivery = Item<'notifications.deliveries'>

const states: Record<Delivery['status'], [Tone, string]> = {
  waiting: ['unknown', t('Waiting')],
  sent: ['good', t('Sent')],
  dead: ['bad', t('Given up')],
}

/** What was sent, what waits, and what was given up. */
export function Deliveries() {
  const works = useMay('write')
  const say = useSay()
  const [status, setStatus] = useState<Delivery['status'] | null>(null)
  const sent = usePages('notifications.deliveries', { limit: 20, ...(status && { status }) }, { every: 10_000 })
  const retrying = useDo('notifications.retry', () => say(t('It is tried again.')))
  return (
    <>
      <Select
        label={t('Which messages')}
        clearable
        allowDeselect
        placeholder={t('All')}
        className="medium"
        data={Object.entries(states).map(([value, [, label]]) => ({ value, label }))}
        value={status}
        onChange={(value) => setStatus(value as Delivery['status'] | null)}
      />
      {sent.error && <Trouble error={sent.error} again={() => void sent.refetch()} />}
      {sent.isPending ? (
        <Waiting rows={2} />
      ) : sent.items.length === 0 ? (
        <p className="soft">{status ? t('None is like that.') : t('None was sent yet.')}</p>
      ) : (
        <ul className="entries">
          {sent.items.map((each) => (
            <li className="entry" key={each.id}>
              <div>
                <p>
                  <T
                    message="{state} {things, plural, one {# thing} other {# things}} to {channel_name}"
                    state={<State tone={states[each.status][0]}>{states[each.status][1]}</State>}
                    things={each.notices}
                    channel_name={each.channel_name}
                  />
                </p>
                <p className="soft">
                  {each.sent_at ? (
                    <T message="Sent {when}" when={<When at={each.sent_at} />} />
                  ) : each.status === 'waiting' ? (
                    <T message="Due {when}" when={<When at={each.due_at} />} />
                  ) : (
                    <T message="Begun {when}" when={<When at={each.created_at} />} />
                  )}
                  {each.attempts > 1 && `, ${t('{attempts, plural, one {# attempt} other {# attempts}}', { attempts: each.attempts })}`}
                  {each.error && `: ${each.error}`}
                </p>
              </div>
              {works && each.status === 'dead' && (
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => retrying.mutate({ delivery_id: each.id }, { onError: (error) => say(messageOf(error)) })}
                  aria-label={t('Try again: message to {channel_name}', { channel_name: each.channel_name })}
                >
                  {t('Try again')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <More of={sent}>
        <T message="Show more of {messages, plural, one {# message} other {# messages}}" messages={sent.total} />
      </More>
    </>
  )
}

/** What happened, whoever was told of it. */
export function Notices() {
  const [kind, setKind] = useState<Kind | null>(null)
  const notices = usePages('notifications.list', { limit: 20, ...(kind && { kind }) }, { every: 10_000 })
  return (
    <>
      <Select
        label={t('Kind')}
        clearable
        allowDeselect
        searchable
        placeholder={t('Any')}
        className="medium"
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        value={kind}
        onChange={(value) => setKind(value as Kind | null)}
      />
      {notices.error && <Trouble error={notices.error} again={() => void notices.refetch()} />}
      {notices.isPending ? (
        <Waiting rows={2} />
      ) : notices.items.length === 0 ? (
        <p className="soft">{kind ? t('Nothing of the kind.') : t('Nothing yet.')}</p>
      ) : (
        <ul className="entries">
          {notices.items.map((notice) => (
            <li className="entry" key={notice.id}>
              <div>
                <p>
                  <b>{kindOf(notice.kind)}</b>{' '}
                  {notice.site_id && <Link href={`/sites/${notice.site_id}`}>{notice.site_name || hostOf(notice.site_url ?? '')}</Link>}
                </p>
                <p className="soft">{notice.message}</p>
              </div>
              <span className="soft">
                <When at={notice.happened_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <More of={notices}>
        <T message="Show more of {total}" total={notices.total} />
      </More>
    </>
  )
}
