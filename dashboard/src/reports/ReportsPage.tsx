import { Button, Group, Select } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { Input } from '../api.ts'
import { usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Icon } from '../ui/icons.tsx'
import { Empty, More, Page, Trouble, Waiting } from '../ui/parts.tsx'
import { DraftDialog } from './DraftDialog.tsx'
import { HouseForm } from './HouseForm.tsx'
import { ReportRows } from './ReportRows.tsx'

export function ReportsPage() {
  const [asked, ask] = useSearchParams()
  const [drafting, setDrafting] = useState(false)
  const [mayWrite, manages] = [useMay('write'), useMay('manage')]
  const status = asked.get('status')
  const reports = usePages('reports.list', { limit: 50, ...(status && { status }) } as Input<'reports.list'>, { every: 10_000 })
  return (
    <Page
      title={t('Reports')}
      about={t('What clients are told of their sites. A draft is yours to look at; what is published stays as it is.')}
      actions={
        <Group gap="xs">
          <Button variant="default" component={Link} href="/clients">
            {t('Clients')}
          </Button>
          {mayWrite && (
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDrafting(true)}>
              {t('Draft a report')}
            </Button>
          )}
        </Group>
      }
    >
      <search className="filters">
        <Select
          label={t('State')}
          clearable
          placeholder={t('Any')}
          value={status}
          onChange={(value) => ask(value ? { status: value } : {})}
          data={[
            { value: 'draft', label: t('Draft') },
            { value: 'published', label: t('Published') },
          ]}
        />
      </search>
      {reports.error && <Trouble error={reports.error} again={() => void reports.refetch()} />}
      {reports.isPending ? (
        <Waiting />
      ) : reports.items.length === 0 ? (
        <Empty title={t('No report')}>
          {status ? t('None is like that.') : t('Draft one for a client, or have one come each month: a client says when.')}
        </Empty>
      ) : (
        <ReportRows reports={reports.items} />
      )}
      <More of={reports}>
        <T message="Show more of {reports, plural, one {# report} other {# reports}}" reports={reports.total} />
      </More>
      {manages && <HouseForm />}
      {drafting && <DraftDialog onClose={() => setDrafting(false)} />}
    </Page>
  )
}
