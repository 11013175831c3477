import { ActionIcon, Button, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { lazy } from 'react'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Icon } from './icons.tsx'
import { MenuButton } from './MenuButton.tsx'

const Workspaces = lazy(async () => ({ default: (await import('./TopMenus.tsx')).Workspaces }))
const Person = lazy(async () => ({ default: (await import('./TopMenus.tsx')).Person }))

export function WorkspaceMenu() {
  const { session } = useSession()
  const name = session.workspace?.name ?? t('No workspace')
  const isOther = ({ id }: { id: string }) => id !== session.workspace?.id
  if (!session.new_workspaces && !session.workspaces.some(isOther)) return <span className="workspace">{name}</span>
  return (
    <MenuButton menu={(button) => <Workspaces button={button} />}>
      <Button
        variant="subtle"
        color="gray"
        c="inherit"
        px={8}
        rightSection={<Icon name="down" size={14} />}
        aria-label={t('Workspace: {name}. Change', { name })}
      >
        <span className="workspace">{name}</span>
      </Button>
    </MenuButton>
  )
}

export function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
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
  const { session } = useSession()
  const email = session.user?.email ?? ''
  return (
    <MenuButton menu={(button) => <Person button={button} />}>
      <ActionIcon variant="default" radius="xl" size={34} aria-label={t('You: {email}', { email })}>
        <Text size="sm" fw={650} component="span">
          {email.charAt(0).toUpperCase()}
        </Text>
      </ActionIcon>
    </MenuButton>
  )
}
