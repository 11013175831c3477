import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Icon } from '../ui/icons.tsx'
import { Empty, More, Page, Trouble, Waiting, When } from '../ui/parts.tsx'
import type { Client } from './tell.ts'

export function ClientsPage() {
  const clients = usePages('clients.list', { limit: 50 }, { every: 10_000 })
  const [adding, setAdding] = useState(false)
  const mayWrite = useMay('write')
  return (
    <Page
      title={t('Clients')}
      about={t('Whose sites these are, and how the reports for them look. The settings of a site say whose it is.')}
      actions={
        <Group gap="xs">
          <Button variant="default" component={Link} href="/reports">
            {t('Reports')}
          </Button>
          {mayWrite && (
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
              {t('Add a client')}
            </Button>
          )}
        </Group>
      }
    >
      {clients.error && <Trouble error={clients.error} again={() => void clients.refetch()} />}
      {clients.isPending ? (
        <Waiting />
      ) : clients.items.length === 0 ? (
        <Empty title={t('No client')}>{t('Add one here, or name one in the settings of a site.')}</Empty>
      ) : (
        <ClientRows clients={clients.items} />
      )}
      <More of={clients}>
        <T message="Show more of {clients, plural, one {# client} other {# clients}}" clients={clients.total} />
      </More>
      {adding && <AddDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

const ClientRows = ({ clients }: { clients: readonly Client[] }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">{t('Client')}</th>
        <th scope="col">{t('Sites')}</th>
        <th scope="col">{t('Reports go to')}</th>
        <th scope="col">{t('Next draft')}</th>
      </tr>
    </thead>
    <tbody>
      {clients.map(({ id, name, sites, recipients, schedule }) => (
        <tr key={id}>
          <td>
            <Link href={`/clients/${id}`} className="name">
              {name}
            </Link>
          </td>
          <td data-label={t('Sites')}>
            <Link href={`/?client=${encodeURIComponent(name)}`}>{t('{sites, plural, one {# site} other {# sites}}', { sites })}</Link>
          </td>
          <td data-label={t('Reports go to')}>
            {recipients.length > 0 ? recipients.join(', ') : <span className="soft">{t('nobody yet')}</span>}
          </td>
          <td data-label={t('Next draft')}>
            <When at={schedule.next_at} never={t('by hand')} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

function AddDialog({ onClose }: { onClose: () => void }) {
  const [, go] = useLocation()
  const [name, setName] = useState('')
  const adding = useDo('clients.create', ({ id }) => go(`/clients/${id}`))
  return (
    <Dialog onClose={onClose} title={t('Add a client')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          adding.mutate({ name })
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('Name')}
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          {adding.error && <Trouble error={adding.error} />}
          <FormFooter verb={t('Add')} working={adding.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
