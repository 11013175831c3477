import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Trouble, When } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { NumberField } from './NumberField.tsx'

export function LinkDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const making = useDo('reports.link')
  const [days, setDays] = useState(90)
  const made = making.data
  if (made)
    return (
      <Dialog onClose={onClose} title={t('The private link')} size="lg" once>
        <Text size="sm">
          <T
            message="It is shown only now. Whoever has it can read the report, until it ends {when}."
            when={<When at={made.expires_at} />}
          />
        </Text>
        <Snippet label={t('Private link')} text={made.url} />
        <Group justify="flex-end" mt="lg">
          <Button onClick={onClose}>{t('Done')}</Button>
        </Group>
      </Dialog>
    )
  return (
    <Dialog onClose={onClose} title={t('Make a private link')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          making.mutate({ report_id: id, days: days })
        }}
      >
        <Stack gap="md">
          <NumberField label={t('It ends after so many days')} min={1} max={400} value={days} onChange={setDays} />
          {making.error && <Trouble error={making.error} />}
          <FormFooter verb={t('Make the link')} working={making.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
