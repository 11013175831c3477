import { Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Failure } from '../api.ts'
import { useDo, usePages } from '../queries.ts'
import { t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Trouble } from '../ui/parts.tsx'

/** Asks of whom and of when, and leads to the draft. */
export function DraftDialog({ client, onClose }: { client?: string; onClose: () => void }) {
  const [, go] = useLocation()
  const clients = usePages('clients.list', { limit: 200 })
  const [whose, setWhose] = useState(client ?? null)
  const [month, setMonth] = useState('')
  const drafting = useDo('reports.draft', ({ id }) => go(`/reports/${id}`))
  const wrong = drafting.error instanceof Failure ? drafting.error.fields : {}
  return (
    <Dialog onClose={onClose} title={t('Draft a report')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (whose) drafting.mutate({ client_id: whose, ...(month && { month }) })
        }}
      >
        <Stack gap="md">
          <Text size="sm">{t('Made of what is known of the client’s sites. Nobody is told before you publish it and send it on.')}</Text>
          <Select
            label={t('Client')}
            required
            searchable
            data={clients.items.map(({ id, name }) => ({ value: id, label: name }))}
            value={whose}
            onChange={setWhose}
            nothingFoundMessage={t('No such client')}
          />
          <TextInput
            label={t('Month')}
            type="month"
            description={t('The last whole month if you choose none.')}
            value={month}
            onChange={(event) => setMonth(event.currentTarget.value)}
            error={wrong.month}
          />
          {drafting.error && !wrong.month && <Trouble error={drafting.error} />}
          <FormFooter verb={t('Draft it')} working={drafting.isPending} disabled={!whose} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
