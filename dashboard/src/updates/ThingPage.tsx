import { Button, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Output } from '../api.ts'
import { useCall } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Asked, Empty, Page, State } from '../ui/parts.tsx'
import { useSiteNames } from '../ui/siteNames.ts'
import { plainly } from '../words.ts'
import { FleetUpdateDialog } from './FleetUpdateDialog.tsx'
import { onlyIt } from './UpdatesPage.tsx'

type Inventory = Output<'inventory.get'>
type Thing = Inventory['items'][number]
type Which = 'vulnerable' | 'waiting' | 'all'

const isWeak = ({ vulnerabilities_total: known }: Thing) => known != null && known > 0

/** One plugin or theme: on which sites it is, on which it is vulnerable, and an update of only those. */
export function ThingPage({ type, slug }: { type: string; slug: string }) {
  const inventory = useCall('inventory.get', { slug, cached: true, limit: 1000 }, { every: 60_000 })
  const items = (inventory.data?.items ?? []).filter((each) => each.type === type)
  const name = items[0]?.name || slug
  return (
    <Page
      title={name}
      above={<Link href="/updates">{t('Updates')}</Link>}
      about={t('{type}, on {sites, plural, one {# site} other {# sites}} as far as their inventories tell.', {
        type: plainly(type),
        sites: items.length,
      })}
    >
      <Asked of={inventory}>{(known) => <Sites known={known} items={items} thing={{ type: type as Thing['type'], slug, name }} />}</Asked>
    </Page>
  )
}

interface SitesParts {
  known: Inventory
  items: Thing[]
  thing: Pick<Thing, 'type' | 'slug' | 'name'>
}

function Sites({ known, items, thing }: SitesParts) {
  const names = useSiteNames()
  const works = useMay('write') && ['core', 'plugin', 'theme'].includes(thing.type)
  const weak = items.filter(isWeak)
  const [which, setWhich] = useState<Which>(weak.length > 0 ? 'vulnerable' : 'all')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [updating, setUpdating] = useState(false)
  const shown = which === 'vulnerable' ? weak : which === 'waiting' ? items.filter(({ update }) => update !== null) : items
  const chosen = [...new Set(shown.filter(({ update, site_id }) => update !== null && !left.has(site_id)).map(({ site_id }) => site_id))]
  const toggle = (id: string) => {
    const next = new Set(left)
    if (!next.delete(id)) next.add(id)
    setLeft(next)
  }
  return (
    <>
      {known.vulnerability_feed === null && (
        <p className="soft">
          <State tone="unknown">{t('Not known')}</State>{' '}
          {t('There is no feed of vulnerabilities, so nobody knows on which sites it is vulnerable.')}
        </p>
      )}
      {known.unknown ? (
        <p className="soft">
          <T
            message="{sites, plural, one {# more site} other {# more sites}} were never read; whether it is there is not known."
            sites={known.unknown}
          />
        </p>
      ) : null}
      <div className="toolbar">
        <SegmentedControl
          value={which}
          onChange={(value) => setWhich(value as Which)}
          data={[
            { value: 'vulnerable', label: t('Vulnerable ({weak})', { weak: weak.length }) },
            { value: 'waiting', label: t('With an update') },
            { value: 'all', label: t('All ({items})', { items: items.length }) },
          ]}
          aria-label={t('Which sites')}
        />
        {works && (
          <Button disabled={chosen.length === 0} onClick={() => setUpdating(true)}>
            <T message="Update on {sites, plural, one {# site} other {# sites}} …" sites={chosen.length} />
          </Button>
        )}
      </div>
      {shown.length === 0 ? (
        <Empty title={t('No site')}>
          {which === 'vulnerable'
            ? t('No site is known to have a vulnerable version.')
            : t('On no site, as far as their inventories tell.')}
        </Empty>
      ) : (
        <table className="rows stack">
          <thead>
            <tr>
              {works && (
                <th scope="col" className="pick">
                  <span className="sr">{t('Update it')}</span>
                </th>
              )}
              <th scope="col">{t('Site')}</th>
              <th scope="col">{t('Version')}</th>
              <th scope="col">{t('Update')}</th>
              <th scope="col">{t('Known weaknesses')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((item) => (
              <tr key={`${item.site_id} ${item.file}`}>
                {works && (
                  <td className="pick">
                    <input
                      type="checkbox"
                      aria-label={t('Update it on {site}', { site: names(item.site_id ?? '') })}
                      checked={item.update !== null && !left.has(item.site_id ?? '')}
                      disabled={item.update === null}
                      onChange={() => toggle(item.site_id ?? '')}
                    />
                  </td>
                )}
                <td>
                  <Link href={`/sites/${item.site_id}/updates`} className="name">
                    {names(item.site_id ?? '')}
                  </Link>
                  <div className="soft">{item.site}</div>
                </td>
                <td data-label={t('Version')}>
                  {item.version}
                  {item.active === false && <span className="soft">, {t('not active')}</span>}
                </td>
                <td data-label={t('Update')}>
                  {item.update ? (
                    <>
                      <b>{item.update.version}</b>{' '}
                      {item.update.compatible === false && <State tone="warn">{t('Wants newer PHP or WordPress')}</State>}
                    </>
                  ) : (
                    <span className="soft">{t('no offer known')}</span>
                  )}
                </td>
                <td>
                  <Weak item={item} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {known.next_cursor && (
        <p className="soft">
          <T message="There are more than are shown here: {total} in all." total={known.total} />
        </p>
      )}
      {updating && (
        <FleetUpdateDialog
          title={t('Update {name} on {sites, plural, one {# site} other {# sites}}?', { name: thing.name, sites: chosen.length })}
          input={{ site_ids: chosen, ...onlyIt(thing) }}
          onClose={() => setUpdating(false)}
        />
      )}
    </>
  )
}

function Weak({ item }: { item: Thing }) {
  if (item.vulnerabilities_total == null) return <span className="soft">{t('nobody looked')}</span>
  if (item.vulnerabilities_total === 0) return <span className="soft">{t('none known')}</span>
  const worst = item.vulnerabilities?.[0]
  return (
    <>
      <State tone="bad" why={item.vulnerabilities?.map(({ title }) => title).join('; ')}>
        <T message="{vulnerabilities_total} known" vulnerabilities_total={item.vulnerabilities_total} />
      </State>{' '}
      <small>{worst?.fixed_in ? t('fixed in {fixed_in}', { fixed_in: worst.fixed_in }) : t('no fix yet')}</small>
    </>
  )
}
