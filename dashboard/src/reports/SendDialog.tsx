import { Button, Group, Stack, TagsInput, Text } from '@mantine/core'
import { useState } from 'react'
import type { Output } from '../api.ts'
import { useCall, useDo } from '../queries.ts'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Asked, Facts, Trouble } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'

export function SendDialog({ id, isDraft, onClose }: { id: string; isDraft: boolean; onClose: () => void }) {
  const mail = useCall('reports.mail', { report_id: id })
  return (
    <Dialog onClose={onClose} title={isDraft ? t('The mail') : t('Send by mail')} size="lg">
      <Asked of={mail}>{(known) => <Sending id={id} isDraft={isDraft} mail={known} onClose={onClose} />}</Asked>
    </Dialog>
  )
}

function Sending({ id, isDraft, mail, onClose }: { id: string; isDraft: boolean; mail: Output<'reports.mail'>; onClose: () => void }) {
  const say = useSay()
  const { session } = useSession()
  const [to, setTo] = useState(mail.to)
  const own = session.user?.email ?? ''
  const sending = useDo('reports.send', (sent) => {
    onClose()
    say(t('On its way to {to}.', { to: sent.to.join(', ') }))
  })
  const trying = useDo('reports.test_mail', ({ ok, error }) => say(ok ? t('Sent to {own}.', { own }) : (error ?? t('It was not sent.'))))
  return (
    <Stack gap="md">
      <Facts
        of={[
          [t('From'), mail.from],
          [t('Answers to'), mail.reply_to ?? t('the address it comes from')],
          [t('Subject'), mail.subject],
          ...(isDraft ? [[t('To'), mail.to.join(', ') || t('nobody yet')] satisfies [string, string]] : []),
        ]}
      />
      <Text size="sm" style={{ whiteSpace: 'pre-line' }} className="card">
        {mail.text}
      </Text>
      {!isDraft && (
        <TagsInput
          label={t('To')}
          description={t('Each gets a mail and a link of its own. Enter adds an address.')}
          value={to}
          onChange={setTo}
        />
      )}
      {(sending.error || trying.error) && <Trouble error={sending.error ?? trying.error} />}
      <Group justify="flex-end">
        <Button variant="default" loading={trying.isPending} onClick={() => trying.mutate({ report_id: id, to: own })}>
          {t('Send it to me')}
        </Button>
        {!isDraft && (
          <Button loading={sending.isPending} disabled={to.length === 0} onClick={() => sending.mutate({ report_id: id, to })}>
            {t('Send')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
