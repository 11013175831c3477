import { Button, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Output } from '../api.ts'
import { useCall } from '../queries.ts'
import { useMay } from '../session.tsx'
import { Asked, Empty, Page, State } from '../ui/parts.tsx'
import { count, plainly } from '../words.ts'
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
      above={<Link href="/updates">Updates</Link>}
      about={`${plainly(type)}, on ${count(items.length, 'site')} as far as their inventories tell.`}
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
          <State tone="unknown">Not known</State> There is no feed of vulnerabilities, so nobody knows on which sites it is vulnerable.
        </p>
      )}
      {known.unknown ? (
        <p className="soft">{count(known.unknown, 'more site')} were never read; whether it is there is not known.</p>
      ) : null}
      <div className="toolbar">
        <SegmentedControl
          value={which}
          onChange={(value) => setWhich(value as Which)}
          data={[
            { value: 'vulnerable', label: `Vulnerable (${weak.length})` },
            { value: 'waiting', label: 'With an update' },
            { value: 'all', label: `All (${items.length})` },
          ]}
          aria-label="Which sites"
        />
        {works && (
          <Button disabled={chosen.length === 0} onClick={() => setUpdating(true)}>
            Update on {count(chosen.length, 'site')} …
          </Button>
        )}
      </div>
      {shown.length === 0 ? (
        <Empty title="No site">
          {which === 'vulnerable' ? 'No site is known to have a vulnerable version.' : 'On no site, as far as their inventories tell.'}
        </Empty>
      ) : (
        <table className="rows stack">
          <thead>
            <tr>
              {works && (
                <th scope="col" className="pick">
                  <span className="sr">Update it</span>
                </th>
              )}
              <th scope="col">Site</th>
              <th scope="col">Version</th>
              <th scope="col">Update</th>
              <th scope="col">Known weaknesses</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((item) => (
              <tr key={`${item.site_id} ${item.file}`}>
                {works && (
                  <td className="pick">
                    <input
                      type="checkbox"
                      aria-label={`Update it on ${item.site ?? item.site_id}`}
                      checked={item.update !== null && !left.has(item.site_id ?? '')}
                      disabled={item.update === null}
                      onChange={() => toggle(item.site_id ?? '')}
                    />
                  </td>
                )}
                <td>
                  <Link href={`/sites/${item.site_id}/updates`} className="name">
                    {item.site}
                  </Link>
                </td>
                <td data-label="Version">
                  {item.version}
                  {item.active === false && <span className="soft">, not active</span>}
                </td>
                <td data-label="Update">
                  {item.update ? (
                    <>
                      <b>{item.update.version}</b>{' '}
                      {item.update.compatible === false && <State tone="warn">Wants newer PHP or WordPress</State>}
                    </>
                  ) : (
                    <span className="soft">none offered</span>
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
      {known.next_cursor && <p className="soft">There are more than are shown here: {known.total} in all.</p>}
      {updating && (
        <FleetUpdateDialog
          title={`Update ${thing.name} on ${count(chosen.length, 'site')}?`}
          input={{ site_ids: chosen, ...onlyIt(thing) }}
          onClose={() => setUpdating(false)}
        />
      )}
    </>
  )
}

function Weak({ item }: { item: Thing }) {
  if (item.vulnerabilities_total == null) return <span className="soft">nobody looked</span>
  if (item.vulnerabilities_total === 0) return <span className="soft">none known</span>
  const worst = item.vulnerabilities?.[0]
  return (
    <>
      <State tone="bad" why={item.vulnerabilities?.map(({ title }) => title).join('; ')}>
        {item.vulnerabilities_total} known
      </State>{' '}
      <small>{worst?.fixed_in ? `fixed in ${worst.fixed_in}` : 'no fix yet'}</small>
    </>
  )
}
