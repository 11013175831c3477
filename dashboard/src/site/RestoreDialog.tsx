import { Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { hostOf } from '../words.ts'
import type { Backup, Site } from './nouns.ts'
import { RestorePlan } from './RestorePlan.tsx'

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
      {found && <RestorePlan found={found} />}
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
