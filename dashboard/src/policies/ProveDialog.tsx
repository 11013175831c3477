import { Button, Group, Modal, PasswordInput, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { askSession } from '../api.ts'
import { fieldsOf } from '../sign-in/SignInPage.tsx'
import { Trouble } from '../ui/parts.tsx'

/** Asks for the password again before something that takes it; `then` does what was to be done. */
export function ProveDialog({ what, onClose, then }: { what: string; onClose: () => void; then: () => void }) {
  const proving = useMutation({
    mutationFn: (body: object) => askSession('/prove', body),
    onSuccess: () => {
      onClose()
      then()
    },
  })
  return (
    <Modal opened onClose={onClose} title="Is it you?">
      <form onSubmit={(event) => proving.mutate(fieldsOf(event))}>
        <Text size="sm" mb="sm">
          {what} Give your password; it counts for ten minutes.
        </Text>
        <PasswordInput label="Password" name="password" autoComplete="current-password" required data-autofocus />
        {proving.error && <Trouble error={proving.error} />}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={proving.isPending}>
            Go on
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
