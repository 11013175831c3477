import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Failure } from '../api.ts'
import { useDo } from '../queries.ts'
import { useSession } from '../session.tsx'
import { T, t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Trouble, When } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { type Role, roles } from './roles.ts'
import { type Sees, SeesSelect } from './SeesSelect.tsx'

const wasMailed = {
  sent: t('They are mailed this link.'),
  failed: t('The mail server did not take the mail: hand the link over yourself.'),
  off: t('Nobody is mailed: hand it over yourself.'),
}

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { session } = useSession()
  const inviting = useDo('members.invite')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [sees, setSees] = useState<Sees>(null)
  const wrong = inviting.error instanceof Failure ? inviting.error.fields : {}
  const made = inviting.data
  if (made)
    return (
      <Dialog
        onClose={onClose}
        title={
          made.mailed === 'sent' ? t('{email} is invited', { email: made.email }) : t('Send this link to {email}', { email: made.email })
        }
        size="lg"
        once
      >
        <Text size="sm">
          {wasMailed[made.mailed]} <T message="It is shown only now, works once, and ends {when}." when={<When at={made.expires_at} />} />
        </Text>
        <Snippet label={t('Link of the invitation')} text={made.link} />
        <Group justify="flex-end" mt="lg">
          <Button onClick={onClose}>{t('Done')}</Button>
        </Group>
      </Dialog>
    )
  return (
    <Dialog onClose={onClose} title={t('Invite a person')} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          inviting.mutate({ email, role, ...(role === 'viewer' && sees && { sees }) })
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('E-mail address')}
            type="email"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={wrong.email}
            data-autofocus
          />
          <Radio.Group label={t('Role')} value={role} onChange={(value) => setRole(value as Role)}>
            <Stack gap={8} mt={6}>
              {roles
                .filter(({ value }) => value !== 'owner' || session.workspace?.role === 'owner')
                .map(({ value, label, about }) => (
                  <Radio key={value} value={value} label={label} description={about} />
                ))}
            </Stack>
          </Radio.Group>
          {role === 'viewer' && <SeesSelect sees={sees} label={t('Sites they see')} onChange={setSees} />}
          {inviting.error && Object.keys(wrong).length === 0 && <Trouble error={inviting.error} />}
          <FormFooter verb={t('Make the link')} working={inviting.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
