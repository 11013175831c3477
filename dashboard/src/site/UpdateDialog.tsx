import { Button, Group, Text } from '@mantine/core'
import { useEffect } from 'react'
import type { Input, Output } from '../api.ts'
import { useDo } from '../queries.ts'
import { t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { SiteSaid, Trouble, Waiting } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { lasting } from '../words.ts'
import type { Site } from './nouns.ts'

type Thing = Pick<Output<'inventory.get'>['items'][number], 'type' | 'slug'>

/** Which fields the update names for these; what is not named is left alone. Nothing named would be everything. */
function inputOf(siteId: string, items: Thing[]): Input<'updates.apply'> {
  const of = (type: string) => items.filter((item) => item.type === type).map(({ slug }) => slug)
  const [plugins, themes] = [of('plugin'), of('theme')]
  return {
    site_id: siteId,
    core: items.some(({ type }) => type === 'core'),
    ...(plugins.length > 0 && { plugins }),
    ...(themes.length > 0 && { themes }),
  }
}

const backups: Record<string, string> = { db: t('of the database'), files: t('of the files'), full: t('of files and database') }

/** Says what an update would do, the backup before it, and the risks; then does it. */
export function UpdateDialog({ site, items, onClose }: { site: Site; items: Thing[]; onClose: () => void }) {
  const say = useSay()
  const input = inputOf(site.id, items)
  const planning = useDo('updates.apply')
  const updating = useDo('updates.apply', () => {
    say(t('The update has begun.'))
    onClose()
  })
  const { mutate: plan } = planning
  const preview = () => plan({ ...input, dry_run: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, for what was chosen when the dialog opened
  useEffect(preview, [plan])
  const found = planning.data
  return (
    <Dialog
      onClose={onClose}
      title={t('Update {items}?', { items: items.length === 1 ? t('one item') : t('{items} items', { items: items.length }) })}
      size="lg"
    >
      {planning.error && <Trouble error={planning.error} again={preview} />}
      {!found && !planning.error && <Waiting rows={3} />}
      {found && (
        <>
          <ul className="entries">
            {found.items?.map((item) => (
              <li className="entry" key={`${item.type} ${item.file ?? item.slug}`}>
                <p>
                  <b>{item.name || item.slug}</b> {item.from_version} → {item.to_version}
                  {item.reason && <span className="soft"> {item.reason}</span>}
                </p>
                <span className="soft">{item.will_run ? '' : t('left out')}</span>
                {item.risks?.map((risk) => (
                  <p className="soft" key={risk}>
                    {risk}
                  </p>
                ))}
              </li>
            ))}
          </ul>
          <Text size="sm" mt="sm">
            {found.backup?.type && found.backup.type !== 'none'
              ? found.backup.reused
                ? t('The last backup is fresh enough and protects this.')
                : t('A backup is made first: {backups}.', { backups: backups[found.backup.type] })
              : t('No backup is made first: the schedule says so.')}
            {found.estimated_s ? ` ${t('About {time}.', { time: lasting(found.estimated_s) })}` : ''}
          </Text>
          {found.live_error && <Text size="sm">{found.live_error}</Text>}
          <SiteSaid text={found.site_said?.text} />
        </>
      )}
      {updating.error && <Trouble error={updating.error} />}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('Cancel')}
        </Button>
        <Button disabled={!found} loading={updating.isPending} onClick={() => updating.mutate(input)}>
          {t('Update')}
        </Button>
      </Group>
    </Dialog>
  )
}
