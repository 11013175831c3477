import { Alert, Button, Group, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../text.ts'
import { Dialog } from './Dialog.tsx'

/** Asks before something is done that cannot be taken back. The way out comes first and has the focus. */
export function Confirm({ title, size, verb, working, impossible = false, typed, error, onClose, onConfirm, children }: ConfirmParts) {
  const [words, setWords] = useState('')
  return (
    <Dialog onClose={onClose} title={title} {...(size && { size })}>
      {children}
      {typed !== undefined && (
        <TextInput
          mt="md"
          label={t('Type {name} to confirm', { name: typed })}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          autoComplete="off"
        />
      )}
      {error && (
        <Alert color="red" variant="outline" role="alert" mt="sm">
          {error}
        </Alert>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('Cancel')}
        </Button>
        <Button
          className="danger"
          onClick={onConfirm}
          loading={working}
          disabled={impossible || (typed !== undefined && words.trim() !== typed)}
        >
          {verb}
        </Button>
      </Group>
    </Dialog>
  )
}
interface ConfirmParts {
  title: string
  size?: 'lg'
  verb: string
  working: boolean
  /** As long as it is not known to work. */
  impossible?: boolean
  /** What has to be typed first. */
  typed?: string
  error?: string | null | undefined
  onClose: () => void
  onConfirm: () => void
  children?: ReactNode
}
