import { Button, Menu, Text } from '@mantine/core'
import { useState } from 'react'
import { addressOf, type Item } from '../api.ts'
import { messageOf, useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Icon } from '../ui/icons.tsx'
import { Empty, SiteSaid, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { plainly, size } from '../words.ts'
import { Going } from './Going.tsx'
import { RestoreDialog } from './RestoreDialog.tsx'
import type { Site } from './SitePage.tsx'

export type Backup = Item<'backups.list'>

const kinds = { full: 'Full: files and database', db: 'Database only', files: 'Files only' } as const

export function Backups({ site }: { site: Site }) {
  const works = useMay('write')
  const say = useSay()
  const backups = usePages('backups.list', { site_id: site.id, limit: 25 }, { every: 5000 })
  const starting = useDo('backups.create', () => say('The backup has begun.'))
  const start = (type: keyof typeof kinds) => starting.mutate({ site_id: site.id, type }, { onError: (error) => say(messageOf(error)) })
  const now = works && (
    <Menu shadow="md" position="bottom-start">
      <Menu.Target>
        <Button rightSection={<Icon name="down" size={14} />} loading={starting.isPending} disabled={site.status !== 'connected'}>
          Back up now
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(kinds).map(([type, label]) => (
          <Menu.Item key={type} onClick={() => start(type as keyof typeof kinds)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
  return (
    <>
      <div className="toolbar">
        {now}
        <Text size="sm" c="dimmed">
          {site.schedule
            ? `Backed up daily at ${site.schedule.at} (${site.schedule.type})${site.schedule.inherited ? ', as all sites are' : ''}.`
            : 'No schedule: only what is started by hand.'}
        </Text>
      </div>
      <Going siteId={site.id} type="backup" />
      <Going siteId={site.id} type="restore" />
      {backups.error && <Trouble error={backups.error} again={() => void backups.refetch()} />}
      {backups.isPending ? (
        <Waiting />
      ) : backups.items.length === 0 ? (
        <Empty title="No backup yet">The first one reads the whole site; later ones only what has changed.</Empty>
      ) : (
        <Rows site={site} backups={backups.items} />
      )}
      {backups.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void backups.fetchNextPage()} loading={backups.isFetchingNextPage}>
          Show more of {backups.total}
        </Button>
      )}
    </>
  )
}

function stateOf({ status, suspect, lost, verification }: Backup): [Tone, string] {
  if (status === 'failed') return ['bad', 'Failed']
  if (status !== 'completed') return ['unknown', plainly(status)]
  if (lost || verification === 'damaged') return ['bad', 'Damaged']
  if (suspect) return ['warn', 'Suspect: much smaller']
  return ['good', 'Completed']
}

const Rows = ({ site, backups }: { site: Site; backups: Backup[] }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">Backup</th>
        <th scope="col">State</th>
        <th scope="col">Size</th>
        <th scope="col">Verified</th>
        <th scope="col">
          <span className="sr">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {backups.map((backup) => (
        <Row key={backup.id} site={site} backup={backup} />
      ))}
    </tbody>
  </table>
)

function Row({ site, backup }: { site: Site; backup: Backup }) {
  const [tone, words] = stateOf(backup)
  const works = useMay('write')
  const say = useSay()
  const manages = useMay('manage')
  const [restoring, setRestoring] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const verifying = useDo('backups.verify', () => say('The backup is read back and checked.'))
  const accepting = useDo('backups.accept', () => say('It counts as right: older ones go in their time again.'))
  const removing = useDo('backups.delete', () => {
    setDeleting(false)
    say('The backup is deleted.')
  })
  const ids = { site_id: site.id, backup_id: backup.id }
  const what = `the ${backup.type} backup of ${new Date(backup.created_at).toLocaleString()}`
  return (
    <tr>
      <td>
        <b>{backup.type === 'db' ? 'Database' : plainly(backup.type)}</b> <When at={backup.created_at} />
        <div className="soft">
          {plainly(backup.trigger)}, by {backup.requested_by.name}
        </div>
        {backup.error && <div className="soft">{backup.error.message}</div>}
        <SiteSaid text={backup.error?.site_said?.text} />
      </td>
      <td>
        <State tone={tone}>{words}</State>
      </td>
      <td data-label="Size">{size(backup.size_bytes)}</td>
      <td data-label="Verified">
        <When at={backup.verified_at} never="not yet" />
      </td>
      <td className="act">
        {works && backup.status === 'completed' && (
          <Menu shadow="md" position="bottom-end">
            <Menu.Target>
              <Button size="xs" variant="default" rightSection={<Icon name="down" size={12} />} aria-label={`More about ${what}`}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item component="a" href={addressOf('backups.download', ids)} download>
                Download
              </Menu.Item>
              <Menu.Item onClick={() => verifying.mutate(ids, { onError: (error) => say(messageOf(error)) })}>Verify</Menu.Item>
              <Menu.Item onClick={() => setRestoring(true)}>Restore …</Menu.Item>
              {manages && backup.suspect && (
                <Menu.Item onClick={() => accepting.mutate(ids, { onError: (error) => say(messageOf(error)) })}>
                  It is right: the site did shrink
                </Menu.Item>
              )}
              {manages && <Menu.Item onClick={() => setDeleting(true)}>Delete …</Menu.Item>}
            </Menu.Dropdown>
          </Menu>
        )}
        {deleting && (
          <Confirm
            title="Delete this backup?"
            verb="Delete"
            working={removing.isPending}
            error={removing.error && messageOf(removing.error)}
            onClose={() => setDeleting(false)}
            onConfirm={() => removing.mutate(ids)}
          >
            <Text size="sm">For good: {what}. What other backups need of it stays.</Text>
          </Confirm>
        )}
        {restoring && <RestoreDialog site={site} backup={backup} onClose={() => setRestoring(false)} />}
      </td>
    </tr>
  )
}
