import { Alert, Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { Output } from '../api.ts'
import { useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { SiteSaid, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { hostOf, lasting, size } from '../words.ts'
import type { Backup } from './Backups.tsx'
import type { Site } from './SitePage.tsx'

/** Says what a restore would do, and does it once the site's address was typed. */
export function RestoreDialog({ site, backup, onClose }: { site: Site; backup: Backup; onClose: () => void }) {
  const say = useSay()
  const host = hostOf(site.url)
  const [typed, setTyped] = useState('')
  const ids = { site_id: site.id, backup_id: backup.id }
  const planning = useDo('restores.create')
  const restoring = useDo('restores.create', () => {
    say(t('The restore has begun. The site is backed up first.'))
    onClose()
  })
  const { mutate: plan } = planning
  useEffect(() => plan({ site_id: site.id, backup_id: backup.id, dry_run: true }), [plan, site.id, backup.id])
  const found = planning.data
  return (
    <Modal opened onClose={onClose} title={t('Restore this backup?')} size="lg">
      <Text size="sm">
        <T
          message="{host} becomes what it was {when}. What was written since then, orders and comments too, is gone from the live site; a safety backup is made first, and the restore can be undone."
          host={<b>{host}</b>}
          when={<When at={backup.created_at} />}
        />
      </Text>
      {planning.error && <Trouble error={planning.error} />}
      {!found && !planning.error && <Waiting rows={3} />}
      {found && <Plan found={found} />}
      {restoring.error && <Trouble error={restoring.error} />}
      <TextInput
        mt="md"
        label={t('Type {host} to confirm', { host })}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
      />
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('Cancel')}
        </Button>
        <Button
          className="danger"
          disabled={typed.trim() !== host || !found || Boolean(found.plan?.obstacle)}
          loading={restoring.isPending}
          onClick={() => restoring.mutate(ids)}
        >
          {t('Restore')}
        </Button>
      </Group>
    </Modal>
  )
}

/** What would come, go and stay, as the service found it just now. */
function Plan({ found: { plan } }: { found: Output<'restores.create'> }) {
  if (!plan) return null
  const { files, tables, bytes_to_send, seconds, warnings, obstacle, lost, kept } = plan
  const rows = (what: string) => tables?.filter((table) => table.what === what).length ?? 0
  return (
    <>
      {obstacle && (
        <Alert color="red" variant="outline" mt="sm" title={t('It cannot be restored')}>
          {obstacle}
        </Alert>
      )}
      <ul>
        {files && (
          <li>
            <T
              message="Files: {replace} replaced, {add} added, {remove} removed, {unchanged} as they are"
              replace={files.replace}
              add={files.add}
              remove={files.remove}
              unchanged={files.unchanged}
            />
          </li>
        )}
        {tables && (
          <li>
            <T
              message="Tables: {replaced} replaced, {added} added, {removed} removed"
              replaced={rows('replace')}
              added={rows('add')}
              removed={rows('remove')}
            />
          </li>
        )}
        <li>
          <T message="{bytes_to_send} to send, about {seconds}" bytes_to_send={size(bytes_to_send)} seconds={lasting(seconds)} />
        </li>
        {kept.length > 0 && (
          <li>
            <T message="Stays as it is: {kept}" kept={kept.slice(0, 5).join(', ')} />
          </li>
        )}
        {lost && (
          <li>
            <T
              message="Damaged in the backup, and left out: {tables, plural, one {# file or table} other {# files and tables}}"
              tables={lost.files + lost.tables}
            />
          </li>
        )}
      </ul>
      {warnings.map((warning) => (
        <Text size="sm" key={warning}>
          {warning}
        </Text>
      ))}
      <SiteSaid text={plan.site_said?.text} />
    </>
  )
}
