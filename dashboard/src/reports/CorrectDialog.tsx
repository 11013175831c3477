import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useDo } from '../queries.ts'
import { Trouble } from '../ui/parts.tsx'

export function CorrectDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [, go] = useLocation()
  const [why, setWhy] = useState('')
  const correcting = useDo('reports.correct', (made) => {
    onClose()
    go(`/reports/${made.id}`)
  })
  return (
    <Modal opened onClose={onClose} title="Correct this report">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          correcting.mutate({ report_id: id, correction: why })
        }}
      >
        <Stack gap="md">
          <TextInput
            label="What is otherwise"
            description="The client reads it. This version stays as it is; links lead to the new one once that is published."
            required
            maxLength={500}
            value={why}
            onChange={(event) => setWhy(event.currentTarget.value)}
            data-autofocus
          />
          {correcting.error && <Trouble error={correcting.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={correcting.isPending}>
              Begin a new version
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
