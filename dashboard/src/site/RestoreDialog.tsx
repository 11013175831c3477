import { Text } from '@mantine/core'
import { useCallback, useEffect } from 'react'
import { useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { hostOf } from '../words.ts'
import type { Backup, Site } from './nouns.ts'
import { RestorePlan } from './RestorePlan.tsx'

/** Says what a restore would do, and does it once the site's address was typed. */
export function RestoreDialog({ site, backup, onClose }: { site: Site; backup: Backup; onClose: () => void }) {
  const say = useSay()
  const host = hostOf(site.url)
  const ids = { site_id: site.id, backup_id: backup.id }
  const planning = useDo('restores.create')
  const restoring = useDo('restores.create', () => {
    say(t('The restore has begun. The site is backed up first.'))
    onClose()
  })
  const { mutate: plan } = planning
  const preview = useCallback(() => plan({ site_id: site.id, backup_id: backup.id, dry_run: true }), [plan, site.id, backup.id])
  useEffect(preview, [preview])
  const found = planning.data
  return (
    <Confirm
      title={t('Restore this backup?')}
      size="lg"
      verb={t('Restore')}
      working={restoring.isPending}
      impossible={!found || Boolean(found.plan?.obstacle)}
      typed={host}
      onClose={onClose}
      onConfirm={() => restoring.mutate(ids)}
    >
      <Text size="sm">
        <T
          message="{host} becomes what it was {when}. What was written since then, orders and comments too, is gone from the live site; a safety backup is made first, and the restore can be undone."
          host={<b>{host}</b>}
          when={<When at={backup.created_at} />}
        />
      </Text>
      {planning.error && <Trouble error={planning.error} again={preview} />}
      {!found && !planning.error && <Waiting rows={3} />}
      {found && <RestorePlan plan={found.plan} />}
      {restoring.error && <Trouble error={restoring.error} />}
    </Confirm>
  )
}
