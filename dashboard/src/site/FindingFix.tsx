import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Item } from '../api.ts'
import { useCall } from '../queries.ts'
import { t } from '../text.ts'
import type { Site } from './nouns.ts'
import { TweakDialog } from './Tweaks.tsx'
import { UpdateDialog } from './UpdateDialog.tsx'

type Finding = Item<'security.list'>

/** What ends a finding, where something of ours does: a tweak that is not in effect, or an update. */
export function FindingFix({ finding: { fix, title }, site }: { finding: Finding; site: Site }) {
  const [asking, setAsking] = useState(false)
  const tweakId = fix && 'tweak_id' in fix ? fix.tweak_id : undefined
  const tweaks = useCall('tweaks.list', { site_id: site.id, cached: true }, { enabled: tweakId !== undefined })
  const tweak = tweaks.data?.tweaks.find(({ id, state }) => id === tweakId && state !== 'applied' && state !== 'not_applicable')
  const update = fix && 'update' in fix ? fix.update : undefined
  if (!tweak && !update) return null
  const close = () => setAsking(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)} aria-label={t('Fix: {title}', { title })}>
        {t('Fix …')}
      </Button>
      {asking && tweak && <TweakDialog tweak={tweak} site={site} onClose={close} />}
      {asking && update && <UpdateDialog site={site} items={[update]} onClose={close} />}
    </>
  )
}
