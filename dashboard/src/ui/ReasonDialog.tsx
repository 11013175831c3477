import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Trouble } from './parts.tsx'

interface ReasonParts {
  title: string
  verb: string
  working: boolean
  error: unknown
  onClose: () => void
  onReason: (reason: string) => void
}

/** Asks why, before something is taken as it is. */
export function ReasonDialog({ title, verb, working, error, onClose, onReason }: ReasonParts) {
  const [reason, setReason] = useState('')
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onReason(reason)
        }}
      >
        <TextInput
          label="Why"
          description="Colleagues and agents read it."
          required
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        {error != null && <Trouble error={error} />}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={working}>
            {verb}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
