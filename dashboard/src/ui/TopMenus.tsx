import { Menu, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { askSession, type Session } from '../api.ts'
import { messageOf } from '../queries.ts'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { amid, plainly } from '../words.ts'
import type { MenuParts } from './MenuButton.tsx'
import { NewWorkspace } from './NewWorkspace.tsx'
import { OpenedMenu } from './OpenedMenu.tsx'
import { useSay } from './toasts.tsx'

export function Workspaces({ button }: MenuParts) {
  const { session, enter } = useSession()
  const [, go] = useLocation()
  const say = useSay()
  const [making, setMaking] = useState(false)
  const moving = useMutation({
    mutationFn: (workspace_id: string) => askSession<Session>('/workspace', { workspace_id }),
    onSuccess: (next) => {
      enter(next)
      go('/')
    },
    onError: (error) => say(messageOf(error)),
  })
  return (
    <>
      <OpenedMenu button={button} position="bottom-start" width={260}>
        <Menu.Label>{t('Workspaces')}</Menu.Label>
        {session.workspaces.map(({ id, name: each, role }) => (
          <Menu.Item
            key={id}
            onClick={() => moving.mutate(id)}
            disabled={id === session.workspace?.id}
            rightSection={<Text size="xs">{amid(plainly(role))}</Text>}
          >
            {each}
          </Menu.Item>
        ))}
        {session.new_workspaces && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => setMaking(true)}>{t('New workspace …')}</Menu.Item>
          </>
        )}
      </OpenedMenu>
      {making && <NewWorkspace onClose={() => setMaking(false)} />}
    </>
  )
}

export function Person({ button }: MenuParts) {
  const { session, enter } = useSession()
  const [, go] = useLocation()
  const say = useSay()
  const leaving = useMutation({
    mutationFn: () => askSession<Session>('/end', {}),
    onSuccess: (next) => {
      go('/')
      enter({ ...next, workspace: null, workspaces: [], scopes: [], csrf: '' })
    },
    onError: (error) => say(messageOf(error)),
  })
  const email = session.user?.email ?? ''
  return (
    <OpenedMenu button={button} position="bottom-end" width={250}>
      <Menu.Label>
        {email}
        {session.workspace && `, ${amid(plainly(session.workspace.role))}`}
      </Menu.Label>
      <Menu.Item onClick={() => go('/account')}>{t('Sign-in and security')}</Menu.Item>
      <Menu.Item onClick={() => leaving.mutate()}>{t('Sign out')}</Menu.Item>
    </OpenedMenu>
  )
}
