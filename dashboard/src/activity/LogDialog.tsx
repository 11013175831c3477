import { Checkbox, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Failure, type Input } from '../api.ts'
import { useDo } from '../queries.ts'
import { t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Trouble } from '../ui/parts.tsx'
import { SiteSelect } from '../ui/SiteSelect.tsx'
import { useSay } from '../ui/toasts.tsx'
import { plainly } from '../words.ts'
import { categories } from './categories.ts'

/** Records what was done outside of the service; without a site it asks on which. */
export function LogDialog({ siteId, onClose }: { siteId?: string | undefined; onClose: () => void }) {
  const [site, setSite] = useState(siteId ?? null)
  const say = useSay()
  const [category, setCategory] = useState<string>('maintenance')
  const logging = useDo('activity.log', () => {
    say(t('It is recorded.'))
    onClose()
  })
  const wrong = logging.error instanceof Failure ? logging.error.fields : {}
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    if (site === null) return
    logging.mutate({
      site_id: site,
      summary: text('summary'),
      category: category as Input<'activity.log'>['category'],
      internal: form.has('internal'),
      ...(text('notes') && { notes: text('notes') }),
      ...(text('performed_by') && { performed_by: text('performed_by') }),
      ...(text('performed_at') && { performed_at: new Date(text('performed_at')).toISOString() }),
    })
  }
  return (
    <Dialog onClose={onClose} title={t('Log maintenance')} size="lg">
      <form onSubmit={send}>
        <Stack gap="sm">
          {siteId === undefined && <SiteSelect value={site} onChange={setSite} error={wrong.site_id} />}
          <TextInput
            label={t('What was done')}
            description={t('One line; the client reads it.')}
            name="summary"
            required
            maxLength={200}
            error={wrong.summary}
            data-autofocus={siteId !== undefined || undefined}
          />
          <Select
            label={t('Kind of work')}
            data={categories.map((value) => ({ value, label: plainly(value) }))}
            value={category}
            onChange={(value) => setCategory(value ?? 'maintenance')}
          />
          <Textarea
            label={t('Notes')}
            description={t('For colleagues; never in reports.')}
            name="notes"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={2000}
            error={wrong.notes}
          />
          <TextInput
            label={t('Done by')}
            description={t('You, if left empty.')}
            name="performed_by"
            maxLength={100}
            error={wrong.performed_by}
          />
          <TextInput
            label={t('When')}
            description={t('Now, if left empty; at most 180 days ago.')}
            name="performed_at"
            type="datetime-local"
            error={wrong.performed_at}
          />
          <Checkbox label={t('Internal: not in client reports')} name="internal" />
          {logging.error && Object.keys(wrong).length === 0 && <Trouble error={logging.error} />}
          <FormFooter verb={t('Record')} working={logging.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
