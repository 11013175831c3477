import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { askSession } from '../api.ts'
import { messageOf } from '../queries.ts'
import { t } from '../text.ts'
import { Asked, State, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { browserOf } from './browser-of.ts'

interface OwnSession {
  id: string
  address: string
  agent: string
  begun_at: string
  seen_at: string
  current: boolean
}

export function Sessions() {
  const client = useQueryClient()
  const say = useSay()
  const sessions = useQuery({
    queryKey: ['session', 'list'],
    queryFn: () => askSession<OwnSession[]>('/list'),
    refetchInterval: 15_000,
  })
  const endingOne = useMutation({
    mutationFn: (id: string) => askSession<{ ended: number }>('/end_one', { id }),
    onSuccess: () => {
      say(t('That session is ended.'))
      void client.invalidateQueries({ queryKey: ['session', 'list'] })
    },
    onError: (error) => say(messageOf(error)),
  })
  const ending = useMutation({
    mutationFn: () => askSession<{ ended: number }>('/end_others', {}),
    onSuccess: ({ ended }) => {
      say(
        ended === 0
          ? t('You were signed in nowhere else.')
          : t('{sessions, plural, one {# other session} other {# other sessions}} ended.', { sessions: ended }),
      )
      void client.invalidateQueries({ queryKey: ['session', 'list'] })
    },
    onError: (error) => say(messageOf(error)),
  })
  return (
    <Asked of={sessions}>
      {(all) => (
        <>
          <table className="rows stack">
            <thead>
              <tr>
                <th scope="col">{t('Browser')}</th>
                <th scope="col">{t('Address')}</th>
                <th scope="col">{t('Last used')}</th>
                <th scope="col">{t('Since')}</th>
                <th scope="col">
                  <span className="sr">{t('Actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ id, agent, address, seen_at, begun_at, current }) => (
                <tr key={id}>
                  <td>
                    {browserOf(agent)} {current && <State tone="good">{t('This one')}</State>}
                  </td>
                  <td data-label={t('From')}>{address}</td>
                  <td data-label={t('Last used')}>
                    <When at={seen_at} />
                  </td>
                  <td data-label={t('Since')}>
                    <When at={begun_at} />
                  </td>
                  <td className="act">
                    {!current && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={t('End the session of {browserOf} from {address}', { browserOf: browserOf(agent), address })}
                        onClick={() => endingOne.mutate(id)}
                      >
                        {t('End')}
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {all.length > 1 && (
            <Button variant="default" mt="sm" loading={ending.isPending} onClick={() => ending.mutate()}>
              {t('Sign out everywhere else')}
            </Button>
          )}
        </>
      )}
    </Asked>
  )
}
