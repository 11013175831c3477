import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { FormFooter } from '../ui/FormFooter.tsx'
import { Icon } from '../ui/icons.tsx'
import { Empty, Page, Trouble, Waiting, When } from '../ui/parts.tsx'
import { count } from '../words.ts'
import type { Client } from './tell.ts'

export function ClientsPage() {
  const clients = usePages('clients.list', { limit: 50 }, { every: 10_000 })
  const [adding, setAdding] = useState(false)
  const mayWrite = useMay('write')
  return (
    <Page
      title="Clients"
      about="Whose sites these are, and how the reports for them look. The settings of a site say whose it is."
      actions={
        <Group gap="xs">
          <Button variant="default" component={Link} href="/reports">
            Reports
          </Button>
          {mayWrite && (
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
              Add a client
            </Button>
          )}
        </Group>
      }
    >
      {clients.error && <Trouble error={clients.error} again={() => void clients.refetch()} />}
      {clients.isPending ? (
        <Waiting />
      ) : clients.items.length === 0 ? (
        <Empty title="No client">Add one here, or name one in the settings of a site.</Empty>
      ) : (
        <ClientRows clients={clients.items} />
      )}
      {clients.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void clients.fetchNextPage()} loading={clients.isFetchingNextPage}>
          Show more of {count(clients.total, 'client')}
        </Button>
      )}
      {adding && <AddDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

const ClientRows = ({ clients }: { clients: readonly Client[] }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">Client</th>
        <th scope="col">Sites</th>
        <th scope="col">Reports go to</th>
        <th scope="col">Next draft</th>
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
          <td data-label="Sites">
            <Link href={`/?client=${encodeURIComponent(name)}`}>{count(sites, 'site')}</Link>
          </td>
          <td data-label="Reports go to">{recipients.length > 0 ? recipients.join(', ') : <span className="soft">nobody yet</span>}</td>
          <td data-label="Next draft">
            <When at={schedule.next_at} never="by hand" />
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
    <Modal opened onClose={onClose} title="Add a client">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          adding.mutate({ name })
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          {adding.error && <Trouble error={adding.error} />}
          <FormFooter verb="Add" working={adding.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Modal>
  )
}
