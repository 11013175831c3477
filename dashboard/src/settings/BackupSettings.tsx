import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Failure, type Input, type Output } from '../api.ts'
import { useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { ScheduleForm } from '../site/ScheduleForm.tsx'
import { T, t } from '../text.ts'
import { changedIn } from '../ui/changed.ts'
import { Asked, Page, State, Trouble } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { useSay } from '../ui/toasts.tsx'
import { inFull } from '../words.ts'
import { SettingsNav } from './SettingsNav.tsx'
import { StorageUsed } from './StorageUsed.tsx'

type Known = Output<'schedules.get_default'>

export function BackupSettings() {
  const works = useMay('write')
  const manages = useMay('manage')
  const schedule = useCall('schedules.get_default', {})
  return (
    <Page title={t('Backups and retention')} about={t('For all sites that have no schedule of their own.')}>
      <SettingsNav here="/settings/backups" />
      <Asked of={schedule} rows={4}>
        {(known) => (
          <div className="cards">
            <section className="card wide">
              <h2>{t('When')}</h2>
              <ScheduleForm key={JSON.stringify(known)} of={known} disabled={!works} />
            </section>
            <section className="card wide">
              <h2>{t('How many are kept')}</h2>
              <Keep key={JSON.stringify(known)} known={known} disabled={!manages} />
            </section>
          </div>
        )}
      </Asked>
      <section className="card after">
        <h2>{t('The store')}</h2>
        <StorageUsed />
        <p className="soft">
          {t(
            'Once a day each workspace’s store is looked through: every pack is looked for, some are read back, and what no backup needs any more is let go. Where it lies, in a folder or a bucket, is said when the service is started. Whoever operates it looks at all of it with',
          )}
        </p>
        <Snippet label={t('Command that checks the store')} text="npm run -s admin -- storage check" />
      </section>
    </Page>
  )
}

const amounts = { keep_daily: t('Daily ones'), keep_weekly: t('Weekly ones'), keep_monthly: t('Monthly ones') } as const
type Amount = keyof typeof amounts

function Keep({ known, disabled }: { known: Known; disabled: boolean }) {
  const say = useSay()
  const { keep_daily, keep_weekly, keep_monthly, pre_update } = known
  const [wanted, setWanted] = useState({ keep_daily, keep_weekly, keep_monthly })
  const [before, setBefore] = useState(pre_update)
  const saving = useDo('schedules.set_default', () => say(t('Saved. What is no longer kept goes with the next look through the store.')))
  const wrong = saving.error instanceof Failure ? saving.error.fields : {}
  const kept = known.kept_before
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const changed = changedIn({ keep_daily, keep_weekly, keep_monthly, pre_update }, { ...wanted, pre_update: before })
        // A schedule that is set by nothing would begin to delete.
        if (Object.keys(changed).length === 0) say(t('Nothing was changed.'))
        else saving.mutate(changed as Input<'schedules.set_default'>)
      }}
    >
      <Stack gap="sm">
        {!known.set && (
          <p>
            <State tone="unknown">{t('Not said yet')}</State>{' '}
            {t('So nothing is deleted, but for copies made before updates and restores, which live 14 days.')}
          </p>
        )}
        <Group grow align="start">
          {Object.entries(amounts).map(([field, label]) => (
            <TextInput
              key={field}
              type="number"
              label={label}
              min={1}
              max={1000}
              placeholder={t('all')}
              required={known[field as Amount] !== null}
              value={wanted[field as Amount] ?? ''}
              onChange={({ currentTarget: { value } }) => setWanted({ ...wanted, [field]: value === '' ? null : Number(value) })}
              disabled={disabled}
              error={wrong[field]}
            />
          ))}
        </Group>
        <Select
          label={t('Before an update')}
          description={t('When that backup fails, nothing is updated.')}
          className="medium"
          data={[
            { value: 'full', label: t('Files and database') },
            { value: 'db', label: t('The database') },
            { value: 'files', label: t('The files') },
            { value: 'none', label: t('No backup') },
          ]}
          value={before}
          onChange={(value) => setBefore((value ?? 'full') as Known['pre_update'])}
          disabled={disabled}
          error={wrong.pre_update}
        />
        {kept && (
          <Text size="sm">
            <T
              message="The numbers were lowered within the last day. Until {until} the ones before still hold: {keep_daily} daily, {keep_weekly} weekly, {keep_monthly} monthly. Set back before then, nothing is deleted."
              until={inFull(kept.until)}
              keep_daily={kept.keep_daily ?? t('all')}
              keep_weekly={kept.keep_weekly ?? t('all')}
              keep_monthly={kept.keep_monthly ?? t('all')}
            />
          </Text>
        )}
        {saving.error && Object.keys(wrong).length === 0 && <Trouble error={saving.error} />}
        {disabled ? (
          <Text size="sm" c="dimmed">
            {t('An owner or admin changes them.')}
          </Text>
        ) : (
          <Group>
            <Button type="submit" variant="default" loading={saving.isPending}>
              {t('Save')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
