import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { askSession, Failure, type Session } from '../api.ts'
import { messageOf, useDo } from '../queries.ts'
import { useMay, useSession } from '../session.tsx'
import { fieldsOf, wrongIn } from '../sign-in/SignInPage.tsx'
import { Asked, Page, State, Trouble, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { count } from '../words.ts'
import { SettingsNav } from './SettingsNav.tsx'

export function SettingsPage() {
  const manages = useMay('manage')
  return (
    <Page title="Settings">
      <SettingsNav here="/settings" />
      <div className="cards">
        {manages && (
          <section className="card wide">
            <h2>Workspace</h2>
            <WorkspaceName />
          </section>
        )}
        {manages && (
          <section className="card">
            <h2>Agents and people</h2>
            <ul>
              <li>
                <Link href="/settings/policies">Approval policies</Link>: what agents have done at once, must ask for, or are refused.
              </li>
              <li>
                <Link href="/settings/audit">Audit log</Link>: who called what, and how it ended.
              </li>
            </ul>
          </section>
        )}
        <section className="card">
          <h2>Your password</h2>
          <PasswordForm />
        </section>
        <section className="card wide">
          <h2>Where you are signed in</h2>
          <Sessions />
        </section>
      </div>
    </Page>
  )
}

function WorkspaceName() {
  const { session, enter } = useSession()
  const say = useSay()
  const renaming = useDo('workspaces.rename', ({ name }) => {
    say('The workspace is renamed.')
    const rename = <Each extends { id: string; name: string }>(each: Each) => (each.id === session.workspace?.id ? { ...each, name } : each)
    enter({ ...session, workspace: session.workspace && rename(session.workspace), workspaces: session.workspaces.map(rename) })
  })
  const wrong = renaming.error instanceof Failure ? (renaming.error.fields.name ?? renaming.error.message) : undefined
  return (
    <form onSubmit={(event) => renaming.mutate({ name: fieldsOf(event).name ?? '' })}>
      <Group align="end">
        <TextInput
          label="Name"
          name="name"
          defaultValue={session.workspace?.name}
          required
          maxLength={100}
          error={wrong}
          className="medium"
        />
        <Button type="submit" variant="default" loading={renaming.isPending}>
          Rename
        </Button>
      </Group>
    </form>
  )
}

function PasswordForm() {
  const { enter } = useSession()
  const say = useSay()
  const changing = useMutation({
    mutationFn: (body: object) => askSession<Session>('/password', body),
    onSuccess: (next) => {
      enter(next)
      say('The password is changed. Everywhere else you are signed out.')
    },
  })
  const general = changing.error && !wrongIn(changing.error, 'next')
  return (
    <form
      onSubmit={(event) => {
        const form = event.currentTarget
        changing.mutate(fieldsOf(event), { onSuccess: () => form.reset() })
      }}
    >
      <Stack gap="sm">
        <PasswordInput label="Current password" name="current" autoComplete="current-password" required />
        <PasswordInput
          label="New password"
          description="At least 12 characters."
          name="next"
          autoComplete="new-password"
          required
          error={wrongIn(changing.error, 'next')}
        />
        {general && <Trouble error={changing.error} />}
        <Group>
          <Button type="submit" variant="default" loading={changing.isPending}>
            Change the password
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface OwnSession {
  id: string
  address: string
  agent: string
  begun_at: string
  seen_at: string
  current: boolean
}

function Sessions() {
  const client = useQueryClient()
  const say = useSay()
  const sessions = useQuery({ queryKey: ['session', 'list'], queryFn: () => askSession<OwnSession[]>('/list') })
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

/** What a browser calls itself, in two words. */
function browserOf(agent: string): string {
  const name = [/Edg/, /OPR/, /Firefox/, /Chrom/, /Safari/, /curl/].find((each) => each.test(agent))?.source
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Chrom: 'Chrome' }
  return name ? `${names[name] ?? name}${system ? ` on ${system}` : ''}` : agent || 'not told'
}
