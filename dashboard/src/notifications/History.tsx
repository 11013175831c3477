import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Item } from '../api.ts'
import { messageOf, useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { count, hostOf } from '../words.ts'
import { type Kind, kindOf, kinds } from './kinds.ts'

type Delivery = Item<'notifications.deliveries'>

const states: Record<Delivery['status'], [Tone, string]> = {
  waiting: ['unknown', 'Waiting'],
  sent: ['good', 'Sent'],
  dead: ['bad', 'Given up'],
}

/** What was sent, what waits, and what was given up. */
export function Deliveries() {
  const works = useMay('write')
  const say = useSay()
  const [status, setStatus] = useState<Delivery['status'] | null>(null)
  const sent = usePages('notifications.deliveries', { limit: 20, ...(status && { status }) }, { every: 10_000 })
  const retrying = useDo('notifications.retry', () => say('It is tried again.'))
  return (
    <>
      <Select
        label="Which messages"
        clearable
        allowDeselect
        placeholder="All"
        className="medium"
        data={Object.entries(states).map(([value, [, label]]) => ({ value, label }))}
        value={status}
        onChange={(value) => setStatus(value as Delivery['status'] | null)}
      />
      {sent.error && <Trouble error={sent.error} again={() => void sent.refetch()} />}
      {sent.isPending ? (
        <Waiting rows={2} />
      ) : sent.items.length === 0 ? (
        <p className="soft">{status ? 'None is like that.' : 'None was sent yet.'}</p>
      ) : (
        <ul className="entries">
          {sent.items.map((each) => (
            <li className="entry" key={each.id}>
              <div>
                <p>
                  <State tone={states[each.status][0]}>{states[each.status][1]}</State> {count(each.notices, 'thing')} to{' '}
                  {each.channel_name}
                </p>
                <p className="soft">
                  {each.sent_at ? (
                    <>
                      Sent <When at={each.sent_at} />
                    </>
                  ) : each.status === 'waiting' ? (
                    <>
                      Due <When at={each.due_at} />
                    </>
                  ) : (
                    <>
                      Begun <When at={each.created_at} />
                    </>
                  )}
                  {each.attempts > 1 && `, ${each.attempts} attempts`}
                  {each.error && `: ${each.error}`}
                </p>
              </div>
              {works && each.status === 'dead' && (
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => retrying.mutate({ delivery_id: each.id }, { onError: (error) => say(messageOf(error)) })}
                  aria-label={`Try again: message to ${each.channel_name}`}
                >
                  Try again
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {sent.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void sent.fetchNextPage()} loading={sent.isFetchingNextPage}>
          Show more of {count(sent.total, 'message')}
        </Button>
      )}
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
        label="Kind"
        clearable
        allowDeselect
        searchable
        placeholder="Any"
        className="medium"
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        value={kind}
        onChange={(value) => setKind(value as Kind | null)}
      />
      {notices.error && <Trouble error={notices.error} again={() => void notices.refetch()} />}
      {notices.isPending ? (
        <Waiting rows={2} />
      ) : notices.items.length === 0 ? (
        <p className="soft">{kind ? 'Nothing of the kind.' : 'Nothing yet.'}</p>
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
      {notices.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void notices.fetchNextPage()} loading={notices.isFetchingNextPage}>
          Show more of {notices.total}
        </Button>
      )}
    </>
  )
}
