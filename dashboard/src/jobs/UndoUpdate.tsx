import { Button, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { messageOf, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { RestorePlan } from '../site/RestorePlan.tsx'
import { T, t } from '../text.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Trouble, Waiting } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { useSay } from '../ui/toasts.tsx'
import { itemsOf } from './item-done.ts'
import type { Job } from './tell.tsx'

/** What a backup of the files holds by itself. */
const isHeld = ({ type }: { type: string }) => type !== 'core'

/** The way back to the versions before an update, or why there is none; for those who may take it. */
export function UndoUpdate({ job }: { job: Job }) {
  const works = useMay('write')
  const [asking, setAsking] = useState(false)
  const updated = itemsOf(job).filter(({ status }) => status === 'updated')
  const input = job.next_steps?.find(({ tool, input }) => tool === 'restore_backup' && Array.isArray(input.include))?.input
  if (!works || updated.length === 0 || job.next_steps === null) return null
  if (!updated.some(isHeld))
    return <p className="soft">{t('WordPress itself is undone with the whole site only: restore a full backup from before it.')}</p>
  if (!input) return <p className="soft">{t('It cannot be undone: there is no sound backup of the files from before it.')}</p>
  const include = Array.isArray(input.include) ? input.include.map(String) : []
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('Undo the update …')}
      </Button>
      {asking && (
        <UndoDialog
          what={{ site_id: String(input.site_id), backup_id: String(input.backup_id), include }}
          names={updated.filter(isHeld).map(({ name, slug }) => name || slug)}
          rest={updated.length - include.length}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

interface UndoParts {
  what: { site_id: string; backup_id: string; include: string[] }
  names: string[]
  /** Items that stay in their new version. */
  rest: number
  onClose: () => void
}

function UndoDialog({ what, names, rest, onClose }: UndoParts) {
  const say = useSay()
  const siteNames = useSiteNames()
  const planning = useDo('restores.create')
  const undoing = useDo('restores.create', () => {
    say(t('The update is being undone. The site is backed up first.'))
    onClose()
  })
  const { mutate: plan } = planning
  const preview = () => plan({ ...what, dry_run: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when the dialog opened
  useEffect(preview, [plan])
  const found = planning.data
  return (
    <Confirm
      title={t('Undo this update?')}
      verb={t('Undo update')}
      working={undoing.isPending}
      impossible={!found || Boolean(found.plan?.obstacle)}
      error={undoing.error && messageOf(undoing.error)}
      onClose={onClose}
      onConfirm={() => undoing.mutate(what)}
    >
      <Text size="sm">
        <T
          message="On {site} the files of {names} become what they were in the last backup before the update. The database stays as it is now, with what the new versions changed in it. The site is backed up first, and the undo can be undone for 24 hours."
          site={<b>{siteNames(what.site_id)}</b>}
          names={<b>{names.join(', ')}</b>}
        />
      </Text>
      {rest > 0 && (
        <Text size="sm" mt="xs">
          {t('WordPress itself stays in its new version.')}
        </Text>
      )}
      {planning.error && <Trouble error={planning.error} again={preview} />}
      {!found && !planning.error && <Waiting rows={3} />}
      {found && <RestorePlan plan={found.plan} />}
    </Confirm>
  )
}
