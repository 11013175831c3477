import { Button, Checkbox, Text } from '@mantine/core'
import { useState } from 'react'
import type { Output } from '../api.ts'
import { offersUnread } from '../fleet/judge.ts'
import { messageOf, useCall, useDo } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Asked, Empty, SiteSaid, State, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { plainly } from '../words.ts'
import { Going } from './Going.tsx'
import type { Site } from './nouns.ts'
import { UpdateDialog } from './UpdateDialog.tsx'

type Thing = Output<'inventory.get'>['items'][number]

export function Updates({ site }: { site: Site }) {
  const inventory = useCall('inventory.get', { site_id: site.id, cached: true, limit: 500 }, { every: 60_000 })
  const say = useSay()
  const reading = useDo('inventory.get', () => say(t('The inventory was read anew.')))
  return (
    <>
      <Going siteId={site.id} type="update" />
      <Asked of={inventory} rows={6}>
        {(known) => (
          <>
            <div className="toolbar">
              <Button
                variant="default"
                loading={reading.isPending}
                onClick={() => reading.mutate({ site_id: site.id, refresh: true }, { onError: (error) => say(messageOf(error)) })}
              >
                {t('Look again')}
              </Button>
              <Text size="sm" c="dimmed">
                <T message="As of {when}." when={<When at={known.collected_at} never={t('never: the inventory was not read yet')} />} />
              </Text>
            </div>
            {known.live_error && <p className="soft">{known.live_error}</p>}
            <SiteSaid text={known.site_said?.text} />
            {known.collected_at === null ? (
              <Empty title={t('Not known yet')}>{t('The site’s plugins and themes were never read.')}</Empty>
            ) : (
              <Choose site={site} items={known.items} asked={known.updates_checked_at !== null} />
            )}
          </>
        )}
      </Asked>
    </>
  )
}

const keyOf = ({ type, file, slug }: Thing) => `${type} ${file || slug}`

/** Where the site never asked, nobody knows what is on offer. */
function Choose({ site, items, asked }: { site: Site; items: Thing[]; asked: boolean }) {
  const works = useMay('write') && site.status === 'connected'
  const waiting = items.filter(({ update }) => update !== null)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [asking, setAsking] = useState(false)
  const chosen = waiting.filter((each) => !left.has(keyOf(each)))
  const toggle = (key: string) => {
    const next = new Set(left)
    if (!next.delete(key)) next.add(key)
    setLeft(next)
  }
  return (
    <>
      {waiting.length === 0 ? (
        <Empty title={asked ? t('Up to date') : t('Not known yet')}>{asked ? t('No update is offered to this site.') : offersUnread}</Empty>
      ) : (
        <>
          <div className="toolbar">
            {works && (
              <Button disabled={chosen.length === 0} onClick={() => setAsking(true)}>
                <T
                  message="Update {chosen} …"
                  chosen={
                    chosen.length === waiting.length
                      ? t('everything')
                      : t('{chosen} of {waiting}', { chosen: chosen.length, waiting: waiting.length })
                  }
                />
              </Button>
            )}
            <Text size="sm" c="dimmed">
              {t('Each is tried beside the site first, watched afterwards, and taken back when it breaks something.')}
            </Text>
          </div>
          <Rows items={waiting} left={left} toggle={works ? toggle : undefined} />
        </>
      )}
      <h2>{t('Installed')}</h2>
      <Rows items={items.filter(({ update }) => update === null)} />
      {asking && <UpdateDialog site={site} items={chosen} onClose={() => setAsking(false)} />}
    </>
  )
}

const Rows = ({ items, left, toggle }: { items: Thing[]; left?: ReadonlySet<string>; toggle?: ((key: string) => void) | undefined }) => (
  <table className="rows stack">
    <thead>
      <tr>
        <th scope="col">{t('Name')}</th>
        <th scope="col">{t('Kind')}</th>
        <th scope="col">{t('Version')}</th>
        <th scope="col">{t('Known weaknesses')}</th>
      </tr>
    </thead>
    <tbody>
      {items.map((item) => (
        <tr key={keyOf(item)}>
          <td>
            {toggle ? (
              <Checkbox
                checked={!left?.has(keyOf(item))}
                onChange={() => toggle(keyOf(item))}
                label={item.name || item.slug}
                aria-label={t('Update {name}', { name: item.name || item.slug })}
              />
            ) : (
              item.name || item.slug
            )}
          </td>
          <td className="kind">
            {plainly(item.type)}
            {item.active === false && <span className="soft">, {t('not active')}</span>}
          </td>
          <td data-label={t('Version')}>
            {item.version}
            {item.update && (
              <>
                {' → '}
                <b>{item.update.version}</b>
                {item.update.compatible === false && <State tone="warn">{t('Wants newer PHP or WordPress')}</State>}
              </>
            )}
          </td>
          <td>
            {item.vulnerabilities_total == null ? (
              <span className="soft">{t('nobody looked')}</span>
            ) : item.vulnerabilities_total === 0 ? (
              <span className="soft">{t('none known')}</span>
            ) : (
              <State tone="bad" why={item.vulnerabilities?.map(({ title }) => title).join('; ')}>
                <T message="{vulnerabilities_total} known" vulnerabilities_total={item.vulnerabilities_total} />
              </State>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
