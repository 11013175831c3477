import { Button, Menu } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { messageOf, useDo } from '../queries.ts'
import { Icon } from '../ui/icons.tsx'
import { useSay } from '../ui/toasts.tsx'
import { count } from '../words.ts'
import type { Scan } from './ScanDialog.tsx'

const ScanDialog = lazy(async () => ({ default: (await import('./ScanDialog.tsx')).ScanDialog }))
const FleetUpdateDialog = lazy(async () => ({ default: (await import('../updates/FleetUpdateDialog.tsx')).FleetUpdateDialog }))

interface BulkParts {
  ids: string[]
  total: number
  onAll: () => Promise<void>
  onNone: () => void
}

/** What is done with the chosen sites; each of them ends on its own, and the rollout tells how. */
export function Bulk({ ids, total, onAll, onNone }: BulkParts) {
  const say = useSay()
  const [, go] = useLocation()
  const [adding, setAdding] = useState(false)
  const [updating, setUpdating] = useState(false)
  const [scan, setScan] = useState<Scan>()
  const backing = useDo('backups.create', ({ job_id }) => go(job_id.startsWith('rollout_') ? `/rollouts/${job_id}` : `/jobs/${job_id}`))
  const backUp = (type: 'full' | 'db' | 'files') => backing.mutate({ site_ids: ids, type }, { onError: (error) => say(messageOf(error)) })
  return (
    <section className="bar chosen" aria-label="The chosen sites">
      <p role="status">
        <b>{count(ids.length, 'site')}</b> chosen
      </p>
      <Menu shadow="md" position="bottom-start">
        <Menu.Target>
          <Button size="xs" loading={backing.isPending} rightSection={<Icon name="down" size={12} />}>
            Back up
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => backUp('full')}>Full: files and database</Menu.Item>
          <Menu.Item onClick={() => backUp('db')}>Database only</Menu.Item>
          <Menu.Item onClick={() => backUp('files')}>Files only</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button size="xs" onClick={() => setUpdating(true)}>
        Update …
      </Button>
      <Menu shadow="md" position="bottom-start">
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<Icon name="down" size={12} />}>
            Look
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setScan('security')}>Check their security</Menu.Item>
          <Menu.Item onClick={() => setScan('links')}>Scan their links</Menu.Item>
          <Menu.Item onClick={() => setScan('performance')}>Measure them</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {ids.length < total && (
        <Button
          size="xs"
          variant="default"
          loading={adding}
          onClick={() => {
            setAdding(true)
            onAll().then(
              () => setAdding(false),
              (error: unknown) => {
                setAdding(false)
                say(messageOf(error))
              },
            )
          }}
        >
          Choose all {total}
        </Button>
      )}
      <Button size="xs" variant="default" onClick={onNone}>
        Choose none
      </Button>
      <Suspense>
        {updating && (
          <FleetUpdateDialog title={`Update ${count(ids.length, 'site')}?`} input={{ site_ids: ids }} onClose={() => setUpdating(false)} />
        )}
        {scan && <ScanDialog scan={scan} ids={ids} onClose={() => setScan(undefined)} />}
      </Suspense>
    </section>
  )
}
