import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Input } from '../api.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { t } from '../text.ts'
import { HourField } from '../ui/HourField.tsx'
import { Asked, Trouble, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { hourOf, localTime, localWeekday } from '../words.ts'
import { given } from './given.ts'

const days = [t('Sundays'), t('Mondays'), t('Tuesdays'), t('Wednesdays'), t('Thursdays'), t('Fridays'), t('Saturdays')]

/** When a window opens; its day of the week is that of UTC, and told as the viewer's too where that is another. */
function opens({ weekday, at }: { weekday: number | null; at: string }): string {
  if (weekday === null) return t('Daily at {at}', { at: hourOf(at) })
  const here = localWeekday(weekday, at)
  const day = days[weekday] ?? ''
  if (here === weekday) return t('{weekday} at {at}', { weekday: day, at: hourOf(at) })
  return t('{weekday} at {at} UTC ({weekday_here} at {here} your time)', {
    weekday: day,
    at,
    weekday_here: days[here] ?? '',
    here: localTime(at),
  })
}

/** When updates begin by themselves. */
export function UpdateWindows() {
  const works = useMay('write')
  const windows = useCall('updates.windows', {}, { every: 30_000 })
  const say = useSay()
  const removing = useDo('updates.remove_window', () => say(t('Nothing begins at that hour any more.')))
  return (
    <Asked of={windows}>
      {(known) => (
        <>
          {known.length === 0 ? (
            <p className="soft">
              {t('Nothing is updated by itself. At the hour of a window everything that waits and that the rules let through is.')}
            </p>
          ) : (
            <table className="rows stack">
              <thead>
                <tr>
                  <th scope="col">{t('When')}</th>
                  <th scope="col">{t('Sites')}</th>
                  <th scope="col">{t('Next')}</th>
                  <th scope="col">{t('Last')}</th>
                  <th scope="col">
                    <span className="sr">{t('Actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {known.map((window) => (
                  <tr key={window.id}>
                    <td>
                      <b>{opens(window)}</b>
                    </td>
                    <td data-label={t('Sites')}>{window.tag ? t('Tag {tag}', { tag: window.tag }) : t('All')}</td>
                    <td data-label={t('Next')}>
                      <When at={window.next_at} />
                    </td>
                    <td data-label={t('Last')}>
                      <When at={window.last_at} never={t('not yet')} />{' '}
                      {window.last_reason ??
                        (window.last_rollout_id && <Link href={`/rollouts/${window.last_rollout_id}`}>{t('What became of it')}</Link>)}
                    </td>
                    <td className="act">
                      {works && (
                        <Button
                          size="xs"
                          variant="default"
                          aria-label={t('Remove the window at {at}', { at: window.at })}
                          onClick={() => removing.mutate({ window_id: window.id }, { onError: (error) => say(messageOf(error)) })}
                        >
                          {t('Remove')}
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {works && <NewWindow />}
        </>
      )}
    </Asked>
  )
}

function NewWindow() {
  const say = useSay()
  const [weekday, setWeekday] = useState('')
  const adding = useDo('updates.add_window', () => say(t('The window is added.')))
  const send = (event: FormEvent<HTMLFormElement>) => {
    adding.mutate({ ...given(event), ...(weekday && { weekday: Number(weekday) }) } as Input<'updates.add_window'>)
  }
  return (
    <form onSubmit={send}>
      <Group align="end" mt="md" gap="sm" className="fields">
        <NativeSelect
          label={t('On')}
          value={weekday}
          onChange={(event) => setWeekday(event.currentTarget.value)}
          data={[{ value: '', label: t('Every day') }, ...days.map((label, value) => ({ value: String(value), label }))]}
        />
        <HourField of="02:00" day={(at) => (weekday === '' ? undefined : days[localWeekday(Number(weekday), at)])} />
        <TextInput label={t('Only sites with the tag')} name="tag" placeholder={t('All sites')} maxLength={100} />
        <Button type="submit" variant="default" loading={adding.isPending}>
          {t('Add the window')}
        </Button>
      </Group>
      {adding.error && <Trouble error={adding.error} />}
    </form>
  )
}
