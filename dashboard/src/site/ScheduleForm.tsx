import { Button, Checkbox, Group, Select, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Failure, type Output } from '../api.ts'
import { useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { changedIn } from '../ui/changed.ts'
import { HourField } from '../ui/HourField.tsx'
import { Trouble, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'

type Known = Output<'schedules.get'> | Output<'schedules.get_default'>
type Kind = 'full' | 'db' | 'files'

const before = { none: t('no backup'), db: t('the database'), files: t('the files'), full: t('files and database') } as const

/** When a site is backed up; without a site when all are that have no schedule of their own. */
export function ScheduleForm({ of: known, siteId, disabled }: { of: Known; siteId?: string; disabled: boolean }) {
  const say = useSay()
  const [enabled, setEnabled] = useState(known.enabled)
  const [type, setType] = useState<Kind>(known.type)
  const done = () => say(t('The schedule is saved.'))
  const [one, all] = [useDo('schedules.set', done), useDo('schedules.set_default', done)]
  const saving = siteId ? one : all
  const wrong = saving.error instanceof Failure ? saving.error.fields : {}
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const at = String(new FormData(event.currentTarget).get('at') ?? '')
    const wanted = changedIn({ enabled: known.enabled, type: known.type, at: known.at }, { enabled, type, at })
    if (siteId) one.mutate({ site_id: siteId, ...wanted })
    else all.mutate(wanted)
  }
  return (
    <form onSubmit={send}>
      <Group align="end" gap="md">
        <Checkbox
          label={t('Back up every day')}
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
          disabled={disabled}
          mb={8}
        />
        <HourField of={known.at} disabled={disabled} error={wrong.at} />
        <Select
          label={t('What')}
          data={[
            { value: 'full', label: t('Files and database') },
            { value: 'db', label: t('Database only') },
            { value: 'files', label: t('Files only') },
          ]}
          value={type}
          onChange={(value) => setType((value ?? 'full') as Kind)}
          disabled={disabled}
        />
        {!disabled && (
          <Button type="submit" variant="default" loading={saving.isPending}>
            {t('Save the schedule')}
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        <T
          message="Kept: {keep_daily} daily, {keep_weekly} weekly, {keep_monthly} monthly. Before an update: {before}."
          keep_daily={known.keep_daily ?? t('all')}
          keep_weekly={known.keep_weekly ?? t('all')}
          keep_monthly={known.keep_monthly ?? t('all')}
          before={before[known.pre_update]}
        />{' '}
        {'inherited' in known && known.inherited && `${t('It is the schedule of all sites.')} `}
        {'next_run_at' in known && known.next_run_at && <T message="Next {when}." when={<When at={known.next_run_at} />} />}
      </Text>
      {saving.error && Object.keys(wrong).length === 0 && <Trouble error={saving.error} />}
    </form>
  )
}
