import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { messageOf, useCall, useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Icon } from '../ui/icons.tsx'
import { Asked, More, Page } from '../ui/parts.tsx'
import { ClientForm } from './ClientForm.tsx'
import { DraftDialog } from './DraftDialog.tsx'
import { ReportRows } from './ReportRows.tsx'
import type { Client } from './tell.ts'

export function ClientPage({ client: id }: { client: string }) {
  const found = useCall('clients.get', { client_id: id })
  return <Asked of={found}>{(client) => <Known key={client.updated_at} client={client} />}</Asked>
}

function Known({ client }: { client: Client }) {
  const { id, name, sites } = client
  const [, go] = useLocation()
  const [asking, setAsking] = useState<'draft' | 'remove'>()
  const [mayWrite, manages] = [useMay('write'), useMay('manage')]
  const reports = usePages('reports.list', { client_id: id, limit: 20 }, { every: 10_000 })
  const removing = useDo('clients.remove', () => go('/clients'))
  return (
    <Page
      title={name}
      above={<Link href="/clients">{t('Clients')}</Link>}
      about={<Link href={`/?client=${encodeURIComponent(name)}`}>{t('{sites, plural, one {# site} other {# sites}}', { sites })}</Link>}
      actions={
        mayWrite && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAsking('draft')}>
            {t('Draft a report')}
          </Button>
        )
      }
    >
      <section>
        <h2>{t('Reports')}</h2>
        {reports.items.length > 0 ? <ReportRows reports={reports.items} ofClient /> : <p className="soft">{t('There is none yet.')}</p>}
        <More of={reports}>
          <T message="Show more of {reports, plural, one {# report} other {# reports}}" reports={reports.total} />
        </More>
      </section>
      <section>
        <h2>{t('How reports look, and when they come')}</h2>
        <ClientForm client={client} disabled={!mayWrite} />
      </section>
      {manages && (
        <Group mt="xl">
          <Button variant="default" onClick={() => setAsking('remove')}>
            {t('Remove this client')}
          </Button>
        </Group>
      )}
      {asking === 'draft' && <DraftDialog client={id} onClose={() => setAsking(undefined)} />}
      {asking === 'remove' && (
        <Confirm
          title={t('Remove {name}?', { name })}
          verb={t('Remove')}
          working={removing.isPending}
          error={removing.error && messageOf(removing.error)}
          onClose={() => setAsking(undefined)}
          onConfirm={() => removing.mutate({ client_id: id })}
        >
          {reports.total > 0 && (
            <Text size="sm" mb="xs">
              {t(
                '{reports, plural, one {Its report goes} other {All of its # reports go}} with it, what was published too: download what is to be kept before. Their links lead nowhere then, and mails that wait are not sent.',
                { reports: reports.total },
              )}
            </Text>
          )}
          <Text size="sm">{t('Its sites stay, and are nobody’s.')}</Text>
        </Confirm>
      )}
    </Page>
  )
}
