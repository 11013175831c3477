import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Input, Item, Output } from '../api.ts'
import { useCall } from '../queries.ts'
import { useMay } from '../session.tsx'
import { Asked, Empty, Page, State, type Tone, When } from '../ui/parts.tsx'
import { count, plainly } from '../words.ts'
import { FleetUpdateDialog } from './FleetUpdateDialog.tsx'

type Inventory = Output<'inventory.get'>
type Found = NonNullable<Inventory['found']>[number]

/** What has an update, on how many sites, and everything that was rolled out to many. */
export function UpdatesPage() {
  const [waiting, setWaiting] = useState('waiting')
  const [words, setWords] = useState('')
  const inventory = useCall(
    'inventory.get',
    { cached: true, limit: 1, ...(waiting === 'waiting' && { has_update: true }) },
    { every: 30_000 },
  )
  return (
    <Page
      title="Updates"
      about="What is installed on all sites together. An update of many sites goes in waves, and stops when too many fail."
      actions={
        <Button variant="default" component={Link} href="/updates/rules">
          Rules and windows
        </Button>
      }
    >
      <div className="toolbar">
        <SegmentedControl
          value={waiting}
          onChange={setWaiting}
          data={[
            { value: 'waiting', label: 'With updates' },
            { value: 'all', label: 'Everything installed' },
          ]}
          aria-label="What is shown"
        />
        <TextInput
          type="search"
          placeholder="Name of a plugin or theme"
          aria-label="Search plugins and themes"
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      <Asked of={inventory}>{(known) => <Things known={known} words={words} />}</Asked>
      <h2>Rollouts</h2>
      <Rollouts />
    </Page>
  )
}

function Things({ known, words }: { known: Inventory; words: string }) {
  const works = useMay('write')
  const [updating, setUpdating] = useState<Found>()
  const found = (known.found ?? []).filter(({ name, slug }) => `${name} ${slug}`.toLowerCase().includes(words.toLowerCase()))
  if (found.length === 0)
    return (
      <Empty title={words ? 'Nothing is called that' : 'Nothing waits'}>
        {known.unknown
          ? `${count(known.unknown, 'site')} were never read, so nothing is known of them.`
          : 'As far as every site’s inventory tells.'}
      </Empty>
    )
  return (
    <>
      {known.unknown ? <p className="soft">{count(known.unknown, 'site')} were never read; nothing is known of them.</p> : null}
      <table className="rows stack">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">Sites</th>
            <th scope="col">Versions</th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, 200).map((each) => (
            <tr key={`${each.type} ${each.slug}`}>
              <td>
                <Link href={`/updates/${each.type}/${encodeURIComponent(each.slug)}`} className="name">
                  {each.name || each.slug}
                </Link>
              </td>
              <td className="kind">{plainly(each.type)}</td>
              <td data-label="Sites">
                {each.sites}
                {each.with_update > 0 && <State tone="warn">{each.with_update} with an update</State>}
              </td>
              <td data-label="Versions">
                <small>
                  {Object.entries(each.versions)
                    .slice(0, 6)
                    .map(([version, sites]) => `${version} (${sites})`)
                    .join(', ')}
                </small>
              </td>
              <td className="act">
                {works && each.with_update > 0 && ['core', 'plugin', 'theme'].includes(each.type) && (
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => setUpdating(each)}
                    aria-label={`Update ${each.name || each.slug} on ${count(each.with_update, 'site')}`}
                  >
                    Update
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {updating && (
        <FleetUpdateDialog
          title={`Update ${updating.name || updating.slug} everywhere?`}
          input={{ every_site: true, ...onlyIt(updating) }}
          onClose={() => setUpdating(undefined)}
        />
      )}
    </>
  )
}

/** What of an update names this thing alone. */
export const onlyIt = ({ type, slug }: Pick<Found, 'type' | 'slug'>): Pick<Input<'rollouts.start'>, 'plugins' | 'themes' | 'core'> =>
  type === 'plugin' ? { plugins: [slug] } : type === 'theme' ? { themes: [slug] } : { core: true }

type Rollout = Item<'rollouts.list'>
const tones: Record<Rollout['status'], Tone> = {
  running: 'unknown',
  stopping: 'warn',
  completed: 'good',
  stopped: 'bad',
  canceled: 'unknown',
}
export const RolloutState = ({ status }: Pick<Rollout, 'status'>) => <State tone={tones[status]}>{plainly(status)}</State>

function Rollouts() {
  const rollouts = useCall('rollouts.list', { limit: 20 }, { every: 5000 })
  return (
    <Asked of={rollouts}>
      {(all) =>
        all.length === 0 ? (
          <p className="soft">None yet.</p>
        ) : (
          <table className="rows stack">
            <thead>
              <tr>
                <th scope="col">Rollout</th>
                <th scope="col">State</th>
                <th scope="col">Sites</th>
                <th scope="col">Asked by</th>
                <th scope="col">Begun</th>
              </tr>
            </thead>
            <tbody>
              {all.map((each) => (
                <tr key={each.id}>
                  <td>
                    <Link href={`/rollouts/${each.id}`} className="name">
                      {plainly(each.kind)} of {count(each.progress.total, 'site')}
                    </Link>
                  </td>
                  <td>
                    <RolloutState status={each.status} />
                  </td>
                  <td data-label="Sites">
                    {each.progress.done} of {each.progress.total}
                  </td>
                  <td data-label="Asked by">{each.requested_by.name}</td>
                  <td>
                    <When at={each.created_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </Asked>
  )
}
