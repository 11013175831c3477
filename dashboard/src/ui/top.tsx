import { ActionIcon, Button, Menu, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { askSession, type Session } from '../api.ts'
import { messageOf } from '../queries.ts'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Icon } from './icons.tsx'
import { useSay } from './toasts.tsx'

export function WorkspaceMenu() {
  const { session, enter } = useSession()
  const [, go] = useLocation()
  const say = useSay()
  const moving = useMutation({
    mutationFn: (workspace_id: string) => askSession<Session>('/workspace', { workspace_id }),
    onSuccess: (next) => {
      enter(next)
      go('/')
    },
    onError: (error) => say(messageOf(error)),
  })
  const name = session.workspace?.name ?? t('No workspace')
  if (session.workspaces.length < 2 && session.workspace !== null)
    return (
      <Text fw={650} truncate maw={{ base: 170, sm: 360 }}>
        {name}
      </Text>
    )
  return (
    <Menu shadow="md" position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="inherit"
          px={8}
          rightSection={<Icon name="down" size={14} />}
          aria-label={t('Workspace: {name}. Change', { name })}
        >
          <Text fw={650} truncate maw={{ base: 130, sm: 320 }} component="span">
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('Workspaces')}</Menu.Label>
        {session.workspaces.map(({ id, name: each, role }) => (
          <Menu.Item
            key={id}
            onClick={() => moving.mutate(id)}
            disabled={id === session.workspace?.id}
            rightSection={<Text size="xs">{role}</Text>}
          >
            {each}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

export function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light') === 'dark'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="inherit"
      size="lg"
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
      aria-label={dark ? t('Show it light') : t('Show it dark')}
    >
      <Icon name={dark ? 'sun' : 'moon'} />
    </ActionIcon>
  )
}

export function PersonMenu() {
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
    <Menu shadow="md" position="bottom-end" width={250}>
      <Menu.Target>
        <ActionIcon variant="default" radius="xl" size={34} aria-label={t('You: {email}', { email })}>
          <Text size="sm" fw={650} component="span">
            {email.charAt(0).toUpperCase()}
          </Text>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {email}
          {session.workspace && `, ${session.workspace.role}`}
        </Menu.Label>
        <Menu.Item onClick={() => go('/account')}>{t('Sign-in and security')}</Menu.Item>
        <Menu.Item onClick={() => leaving.mutate()}>{t('Sign out')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
