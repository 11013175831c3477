import { Button, Menu } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { messageOf, useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { Icon } from '../ui/icons.tsx'
import { useSay } from '../ui/toasts.tsx'
import { jobPath } from '../words.ts'
import type { Scan } from './ScanDialog.tsx'

const ScanDialog = lazy(async () => ({ default: (await import('./ScanDialog.tsx')).ScanDialog }))
const FleetUpdateDialog = lazy(async () => ({ default: (await import('../updates/FleetUpdateDialog.tsx')).FleetUpdateDialog }))

interface BulkParts {
  ids: string[]
  total: number
  onAll: () => Promise<void>
  onNone: () => void
}

/** The bar stands still at the lower edge of the window while the page scrolls below it, and so do its menus. */
const aboveBar = { shadow: 'md', position: 'top-start', floatingStrategy: 'fixed' } as const

/** What is done with the chosen sites; each of them ends on its own, and the rollout tells how. */
export function Bulk({ ids, total, onAll, onNone }: BulkParts) {
  const say = useSay()
  const [, go] = useLocation()
  const [adding, setAdding] = useState(false)
  const [updating, setUpdating] = useState(false)
  const [scan, setScan] = useState<Scan>()
  const backing = useDo('backups.create', ({ job_id }) => go(jobPath(job_id)))
  const backUp = (type: 'full' | 'db' | 'files') => backing.mutate({ site_ids: ids, type }, { onError: (error) => say(messageOf(error)) })
  return (
    <section className="bar chosen" aria-label={t('The chosen sites')}>
      <p role="status">
        <T message="<b>{sites, plural, one {# site} other {# sites}}</b> chosen" sites={ids.length} b={(words) => <b>{words}</b>} />
      </p>
      <Menu {...aboveBar}>
        <Menu.Target>
          <Button size="xs" loading={backing.isPending} rightSection={<Icon name="down" size={12} />}>
            {t('Back up')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => backUp('full')}>{t('Full: files and database')}</Menu.Item>
          <Menu.Item onClick={() => backUp('db')}>{t('Database only')}</Menu.Item>
          <Menu.Item onClick={() => backUp('files')}>{t('Files only')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button size="xs" onClick={() => setUpdating(true)}>
        {t('Update …')}
      </Button>
      <Menu {...aboveBar}>
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<Icon name="down" size={12} />}>
            {t('Look')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setScan('security')}>{t('Check their security')}</Menu.Item>
          <Menu.Item onClick={() => setScan('links')}>{t('Scan their links')}</Menu.Item>
          <Menu.Item onClick={() => setScan('performance')}>{t('Measure them')}</Menu.Item>
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
          <T message="Choose all {total}" total={total} />
        </Button>
      )}
      <Button size="xs" variant="default" onClick={onNone}>
        {t('Choose none')}
      </Button>
      <Suspense>
        {updating && (
          <FleetUpdateDialog
            title={t('Update {sites, plural, one {# site} other {# sites}}?', { sites: ids.length })}
            input={{ site_ids: ids }}
            onClose={() => setUpdating(false)}
          />
        )}
        {scan && <ScanDialog scan={scan} ids={ids} onClose={() => setScan(undefined)} />}
      </Suspense>
    </section>
  )
}
