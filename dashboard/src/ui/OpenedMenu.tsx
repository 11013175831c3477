import { Menu, type MenuProps } from '@mantine/core'
import { cloneElement, useEffect, useRef, useState } from 'react'
import type { MenuParts } from './MenuButton.tsx'

/** Opens when it has come; the focus is where it was, so that it goes back there. */
export function OpenedMenu({ button, children, onOpen, ...props }: MenuParts & MenuProps) {
  const [opened, setOpened] = useState(false)
  const ref = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    ref.current?.focus()
    setOpened(true)
  }, [])
  return (
    <Menu shadow="md" opened={opened} onChange={setOpened} {...(onOpen && { onOpen })} {...props}>
      <Menu.Target>{cloneElement(button, { ref })}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
