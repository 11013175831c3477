import { Button, Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { askSession } from '../api.ts'
import { Snippet, State } from '../ui/parts.tsx'
import { count } from '../words.ts'
import { type Added, type Factors, hasFactor, useAnew } from './ask.ts'
import { useProven, Wrong } from './proving.tsx'

/** The codes, once. */
export const ShownOnce = ({ codes, onClose }: { codes: string[]; onClose: () => void }) => (
  <Modal
    opened
    onClose={onClose}
    title="Keep these recovery codes"
    size="md"
    closeOnClickOutside={false}
    closeOnEscape={false}
    withCloseButton={false}
  >
    <Text size="sm">
      Each lets you in once, when your app or your passkeys are out of reach. They are shown only now: keep them where you keep passwords.
    </Text>
    <Snippet label="Recovery codes" text={codes.join('\n')} />
    <Group justify="flex-end" mt="lg">
      <Button onClick={onClose}>I have kept them</Button>
    </Group>
  </Modal>
)

export function RecoveryCodes({ factors }: { factors: Factors }) {
  const anew = useAnew()
  const [codes, setCodes] = useState<string[] | null>(null)
  const [making, asked] = useProven(
    () => askSession<Added>('/recovery_codes', {}),
    ({ recovery_codes }) => {
      setCodes(recovery_codes)
      anew()
    },
  )
  if (!hasFactor(factors)) return <p className="soft">They come with your first authenticator app or passkey.</p>
  const left = factors.recovery_codes_left
  return (
    <>
      <p>
        <State tone={left > 2 ? 'good' : 'warn'}>{left === 0 ? 'None left' : `${count(left, 'code')} left`}</State>
      </p>
      <Wrong error={making.error} />
      <Button variant="default" onClick={() => making.mutate(undefined)} loading={making.isPending}>
        Make new codes
      </Button>
      <Text size="sm" c="dimmed" mt="xs">
        The older ones then open nothing any more.
      </Text>
      {asked}
      {codes && <ShownOnce codes={codes} onClose={() => setCodes(null)} />}
    </>
  )
}
