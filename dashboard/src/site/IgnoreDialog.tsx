import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useDo } from '../queries.ts'
import { Trouble } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import type { Finding } from './Security.tsx'

export function IgnoreDialog({ siteId, finding, onClose }: { siteId: string; finding: Finding; onClose: () => void }) {
  const say = useSay()
  const [reason, setReason] = useState('')
  const ignoring = useDo('security.ignore', () => {
    say('It is ignored, with your reason beside it.')
    onClose()
  })
  return (
    <Modal opened onClose={onClose} title={`Ignore “${finding.title}”?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          ignoring.mutate({ site_id: siteId, finding_id: finding.id, reason })
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
        {ignoring.error && <Trouble error={ignoring.error} />}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={ignoring.isPending}>
            Ignore
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
