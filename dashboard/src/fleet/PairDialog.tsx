import { Checkbox, List } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import type { Output } from '../api.ts'
import { useCall, useDo } from '../queries.ts'
import { T, t } from '../text.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Trouble } from '../ui/parts.tsx'
import { Snippet } from '../ui/Snippet.tsx'
import { hourOf } from '../words.ts'
import { Arrival } from './Arrival.tsx'
import { CodeEnds } from './CodeEnds.tsx'

/** Pairs a site: a code, where to enter it, and what has come of it. */
export function PairDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Output<'pairing.create_code'>>()
  const making = useDo('pairing.create_code', setMade)
  const { mutate } = making
  useEffect(() => mutate({}), [mutate])
  const [, go] = useLocation()
  const open = (siteId: string) => {
    onClose()
    go(`/sites/${siteId}`)
  }
  return (
    <Dialog onClose={onClose} title={t('Add a site')} size="lg">
      {making.error && <Trouble error={making.error} again={() => mutate({})} />}
      {made && (
        <>
          <List type="ordered" spacing="sm">
            <List.Item>
              <T
                message="Install <a>the plugin</a> in the site’s WordPress: <i>Plugins → Add plugin → Upload</i>, and activate it."
                a={(words) => <a href="/connector/svc-connector.zip">{words}</a>}
                i={(words) => <i>{words}</i>}
              />
            </List.Item>
            <List.Item>
              <T message="There, open <i>Settings → Svc Connector</i>, and enter these two:" i={(words) => <i>{words}</i>} />
              <Snippet label={t('Address of this service')} text={made.service_url} />
              <Snippet label={t('Code')} text={made.code} big />
              <CodeEnds at={made.expires_at} again={() => mutate({})} working={making.isPending} />
            </List.Item>
            <List.Item>
              {t('Or, with WP-CLI, in the site’s folder:')}
              <Snippet
                label={t('Command for WP-CLI')}
                text={`wp svc-connector connect --service=${made.service_url} --code=${made.code}`}
              />
            </List.Item>
          </List>
          <Nightly />
          <Arrival of={made} renew={setMade} open={open} />
        </>
      )}
    </Dialog>
  )
}

/** Asks whether sites are backed up every night, where that was not decided yet. */
function Nightly() {
  const schedule = useCall('schedules.get_default', {})
  const setting = useDo('schedules.set_default')
  if (!schedule.data) return null
  const { enabled, at } = schedule.data
  return (
    <>
      <Checkbox
        mt="md"
        label={t('Back up every site every night')}
        description={enabled ? t('From {at}, a new site too.', { at: hourOf(at) }) : t('No schedule: nothing is backed up by itself.')}
        checked={enabled}
        disabled={setting.isPending}
        onChange={(event) => setting.mutate({ enabled: event.currentTarget.checked })}
      />
      {setting.error && <Trouble error={setting.error} />}
    </>
  )
}
