import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { askSession } from '../api.ts'
import { messageOf } from '../queries.ts'
import { Asked, State, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { count } from '../words.ts'
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
  const sessions = useQuery({ queryKey: ['session', 'list'], queryFn: () => askSession<OwnSession[]>('/list') })
  const endingOne = useMutation({
    mutationFn: (id: string) => askSession<{ ended: number }>('/end_one', { id }),
    onSuccess: () => {
      say('That session is ended.')
      void client.invalidateQueries({ queryKey: ['session', 'list'] })
    },
    onError: (error) => say(messageOf(error)),
  })
  const ending = useMutation({
    mutationFn: () => askSession<{ ended: number }>('/end_others', {}),
    onSuccess: ({ ended }) => {
      say(ended === 0 ? 'You were signed in nowhere else.' : `${count(ended, 'other session')} ended.`)
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
                <th scope="col">Browser</th>
                <th scope="col">Address</th>
                <th scope="col">Last used</th>
                <th scope="col">Since</th>
                <th scope="col">
                  <span className="sr">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ id, agent, address, seen_at, begun_at, current }) => (
                <tr key={id}>
                  <td>
                    {browserOf(agent)} {current && <State tone="good">This one</State>}
                  </td>
                  <td data-label="From">{address}</td>
                  <td data-label="Last used">
                    <When at={seen_at} />
                  </td>
                  <td data-label="Since">
                    <When at={begun_at} />
                  </td>
                  <td className="act">
                    {!current && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`End the session of ${browserOf(agent)} from ${address}`}
                        onClick={() => endingOne.mutate(id)}
                      >
                        End
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {all.length > 1 && (
            <Button variant="default" mt="sm" loading={ending.isPending} onClick={() => ending.mutate()}>
              Sign out everywhere else
            </Button>
          )}
        </>
      )}
    </Asked>
  )
}
