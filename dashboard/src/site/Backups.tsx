import { Button, Menu, Text } from '@mantine/core'
import { useState } from 'react'
import { addressOf } from '../api.ts'
import { messageOf, useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Icon } from '../ui/icons.tsx'
import { Empty, More, SiteSaid, State, type Tone, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { amid, inFull, plainly, size } from '../words.ts'
import { Going } from './Going.tsx'
import { isLacking, Lacking } from './Lacking.tsx'
import { LastRestore } from './LastRestore.tsx'
import type { Backup, Site } from './nouns.ts'
import { RestoreDialog } from './RestoreDialog.tsx'
import { scheduleOf } from './schedule.ts'

const kinds = { full: t('Full: files and database'), db: t('Database only'), files: t('Files only') } as const

export function Backups({ site }: { site: Site }) {
  const works = useMay('write')
  const say = useSay()
  const backups = usePages('backups.list', { site_id: site.id, limit: 25 }, { every: 5000 })
  const starting = useDo('backups.create', () => say(t('The backup has begun.')))
  const start = (type: keyof typeof kinds) => starting.mutate({ site_id: site.id, type }, { onError: (error) => say(messageOf(error)) })
  const now = works && (
    <Menu shadow="md" position="bottom-start">
      <Menu.Target>
        <Button rightSection={<Icon name="down" size={14} />} loading={starting.isPending} disabled={site.status !== 'connected'}>
          {t('Back up now')}
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
          {scheduleOf(site)}
        </Text>
      </div>
      <Going siteId={site.id} type="backup" />
      <Going siteId={site.id} type="restore" />
      <Going siteId={site.id} type="undo_restore" />
      <LastRestore siteId={site.id} />
      {backups.error && <Trouble error={backups.error} again={() => void backups.refetch()} />}
      {backups.isPending ? (
        <Waiting />
      ) : backups.items.length === 0 ? (
        <Empty title={t('No backup yet')}>{t('The first one reads the whole site; later ones only what has changed.')}</Empty>
      ) : (
        <Rows site={site} backups={backups.items} />
      )}
      <More of={backups}>
        <T message="Show more of {total}" total={backups.total} />
      </More>
    </>
  )
}

function stateOf(backup: Backup): [Tone, string] {
  const { status, suspect, lost, verification } = backup
  if (status === 'failed') return ['bad', t('Failed')]
  if (status !== 'completed') return ['unknown', plainly(status)]
  if (lost || verification === 'damaged') return ['bad', t('Damaged')]
  if (suspect) return ['warn', t('Suspect: much smaller')]
  if (isLacking(backup)) return ['warn', t('Completed, not whole')]
  return ['good', t('Completed')]
}

const Rows = ({ site, backups }: { site: Site; backups: Backup[] }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">{t('Backup')}</th>
        <th scope="col">{t('State')}</th>
        <th scope="col">{t('Size')}</th>
        <th scope="col">{t('Verified')}</th>
        <th scope="col">
          <span className="sr">{t('Actions')}</span>
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
  const verifying = useDo('backups.verify', () => say(t('The backup is read back and checked.')))
  const accepting = useDo('backups.accept', () => say(t('It counts as right: older ones go in their time again.')))
  const removing = useDo('backups.delete', () => {
    setDeleting(false)
    say(t('The backup is deleted.'))
  })
  const ids = { site_id: site.id, backup_id: backup.id }
  const what = t('the {type} backup of {time}', { type: amid(plainly(backup.type)), time: inFull(backup.created_at) })
  return (
    <tr>
      <td>
        <b>{backup.type === 'db' ? t('Database') : plainly(backup.type)}</b> <When at={backup.created_at} />
        <div className="soft">
          <T message="{trigger}, by {name}" trigger={plainly(backup.trigger)} name={backup.requested_by.name} />
        </div>
        {backup.error && <div className="soft">{backup.error.message}</div>}
        <SiteSaid text={backup.error?.site_said?.text} />
        <Lacking of={backup} />
      </td>
      <td>
        <State tone={tone}>{words}</State>
      </td>
      <td data-label={t('Size')}>{size(backup.size_bytes)}</td>
      <td data-label={t('Verified')}>
        <When at={backup.verified_at} never={t('not yet')} />
      </td>
      <td className="act">
        {works && backup.status === 'completed' && (
          <Menu shadow="md" position="bottom-end">
            <Menu.Target>
              <Button
                size="xs"
                variant="default"
                rightSection={<Icon name="down" size={12} />}
                aria-label={t('More about {what}', { what })}
              >
                {t('More')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item component="a" href={addressOf('backups.download', ids)} download>
                {t('Download')}
              </Menu.Item>
              <Menu.Item onClick={() => verifying.mutate(ids, { onError: (error) => say(messageOf(error)) })}>{t('Verify')}</Menu.Item>
              <Menu.Item onClick={() => setRestoring(true)}>{t('Restore …')}</Menu.Item>
              {manages && backup.suspect && (
                <Menu.Item onClick={() => accepting.mutate(ids, { onError: (error) => say(messageOf(error)) })}>
                  {t('It is right: the site did shrink')}
                </Menu.Item>
              )}
              {manages && <Menu.Item onClick={() => setDeleting(true)}>{t('Delete …')}</Menu.Item>}
            </Menu.Dropdown>
          </Menu>
        )}
        {deleting && (
          <Confirm
            title={t('Delete this backup?')}
            verb={t('Delete')}
            working={removing.isPending}
            error={removing.error && messageOf(removing.error)}
            onClose={() => setDeleting(false)}
            onConfirm={() => removing.mutate(ids)}
          >
            <Text size="sm">
              <T message="For good: {what}. What other backups need of it stays." what={what} />
            </Text>
          </Confirm>
        )}
        {restoring && <RestoreDialog site={site} backup={backup} onClose={() => setRestoring(false)} />}
      </td>
    </tr>
  )
}
