import { Modal, type ModalProps } from '@mantine/core'
import { useLayoutEffect } from 'react'

/** What opened it: what has the focus, or the button of the menu that has. */
function opener(): HTMLElement | null {
  const active = document.activeElement
  const button = active?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const found = button ? document.getElementById(button) : active
  return found instanceof HTMLElement ? found : null
}

/** What opens over a page as long as it is drawn; afterwards the focus is where it was. */
export function Dialog({ once = false, ...props }: DialogParts) {
  useLayoutEffect(() => {
    const from = opener()
    return () => from?.focus({ preventScroll: true })
  }, [])
  const only = once && { closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false }
  return <Modal opened {...only} {...props} />
}
interface DialogParts extends Omit<ModalProps, 'opened'> {
  /** What it shows is shown only now: nothing but its button closes it. */
  once?: boolean
}
