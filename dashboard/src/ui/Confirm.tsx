import { Alert, Button, Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../text.ts'

/** Asks before something is done that cannot be taken back. The way out comes first and has the focus. */
export const Confirm = ({ title, verb, working, impossible = false, error, onClose, onConfirm, children }: ConfirmParts) => (
  <Modal opened onClose={onClose} title={title}>
    {children}
    {error && (
      <Alert color="red" variant="outline" role="alert" mt="sm">
        {error}
      </Alert>
    )}
    <Group justify="flex-end" mt="lg">
      <Button variant="default" onClick={onClose} data-autofocus>
        {t('Cancel')}
      </Button>
      <Button className="danger" onClick={onConfirm} loading={working} disabled={impossible}>
        {verb}
      </Button>
    </Group>
  </Modal>
)
interface ConfirmParts {
  title: string
  verb: string
  working: boolean
  /** As long as it is not known to work. */
  impossible?: boolean
  error?: string | null | undefined
  onClose: () => void
  onConfirm: () => void
  children?: ReactNode
}
