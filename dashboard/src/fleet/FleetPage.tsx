import { Button, Group, Select, TextInput } from '@mantine/core'
import { lazy, Suspense, useCallback, useDeferredValue, useState } from 'react'
import { Link } from 'wouter'
import type { Whole } from '../api.ts'
import { hasApprovals, useWaiting } from '../approvals/ask.ts'
import { useMay, useSession } from '../session.tsx'
import { Icon } from '../ui/icons.tsx'
import { Asked, Empty, Page } from '../ui/parts.tsx'
import { count, plainly } from '../words.ts'
import { Bulk } from './Bulk.tsx'
import { type Need, needs } from './judge.ts'
import { useColumns } from './kept.ts'
import { SiteRows } from './SiteRows.tsx'
import { everyId, perPage, useFleet, useTyped } from './useFleet.ts'

const PairDialog = lazy(async () => ({ default: (await import('./PairDialog.tsx')).PairDialog }))
const ViewsMenu = lazy(async () => ({ default: (await import('./FleetTools.tsx')).ViewsMenu }))
const ColumnsDialog = lazy(async () => ({ default: (await import('./FleetTools.tsx')).ColumnsDialog }))

type Fleet = ReturnType<typeof useFleet>
type Known = Whole<'fleet.list'>

const orders = { urgency: 'Most urgent', name: 'Name', newest: 'Newest first', backup: 'Oldest backup first', updates: 'Most updates' }
const statuses = ['connected', 'unreachable', 'pending', 'disconnected', 'clone_detected', 'paused']

export function FleetPage() {
  const list = useFleet()
  const { fleet } = list
  const { session } = useSession()
  const manages = useMay('manage')
  const [pairing, setPairing] = useState(false)
  const add = manages && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setPairing(true)}>
      Add a site
    </Button>
  )
  return (
    <Page title="Sites" about={fleet.data && `${count(fleet.data.all, 'site')} in ${session.workspace?.name ?? ''}`} actions={add}>
      <Asked of={fleet} rows={8}>
        {(known) => (known.all === 0 ? <NoSites action={add} manages={manages} /> : <Shown list={list} known={known} />)}
      </Asked>
      {pairing && (
        <Suspense>
          <PairDialog onClose={() => setPairing(false)} />
        </Suspense>
      )}
    </Page>
  )
}

const NoSites = ({ action, manages }: { action: React.ReactNode; manages: boolean }) => (
  <Empty title="No site yet" action={action}>
    {manages
      ? 'Add the first one: install the plugin in its WordPress, and enter a code there. It takes a minute.'
      : 'An owner or admin adds sites. They appear here by themselves.'}
  </Empty>
)

function Shown({ list, known }: { list: Fleet; known: Known }) {
  const works = useMay('write')
  const [shown, setShown] = useColumns()
  const [choosing, setChoosing] = useState(false)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const choose = useCallback((ids: string[], on: boolean) => {
    setChosen((before) => {
      const next = new Set(before)
      for (const id of ids) on ? next.add(id) : next.delete(id)
      return next
    })
  }, [])
  const { narrowed, query, show, page, onBack, onNext } = list
  // A hundred rows are drawn bit by bit: whoever goes on typing does not wait for them.
  const sites = useDeferredValue(known.sites)
  const isNarrowed = Object.keys(narrowed).some((name) => name !== 'order')
  return (
    <>
      <Tiles known={known} need={narrowed.need} onNeed={(need) => list.set('need', need)} />
      <Filters list={list} known={known} />
      <div className="bar">
        <p className="soft" role="status">
          {isNarrowed ? `${count(known.total, 'site')} of ${known.all}` : count(known.total, 'site')}
          {known.unknown > 0 && `; of ${known.unknown} more nobody knows it`}
        </p>
        {works && known.sites.length > 0 && (
          <label className="soft pick">
            <input
              type="checkbox"
              checked={known.sites.every(({ id }) => chosen.has(id))}
              onChange={(event) =>
                choose(
                  known.sites.map(({ id }) => id),
                  event.currentTarget.checked,
                )
              }
            />{' '}
            Choose all here
          </label>
        )}
        <Suspense
          fallback={
            <Button variant="default" size="xs" disabled>
              Views
            </Button>
          }
        >
          <ViewsMenu query={query} onOpen={show} />
        </Suspense>
        <Button variant="default" size="xs" onClick={() => setChoosing(true)}>
          Columns
        </Button>
      </div>
      {chosen.size > 0 && (
        <Bulk
          ids={[...chosen]}
          total={known.total}
          onAll={async () => choose(await everyId(narrowed), true)}
          onNone={() => setChosen(new Set())}
        />
      )}
      {known.sites.length === 0 ? (
        <Empty
          title="No site is like that"
          action={
            <Button variant="default" onClick={() => show('')}>
              Show all sites
            </Button>
          }
        >
          Nothing here meets the search and the filters together.
        </Empty>
      ) : (
        <SiteRows sites={sites} shown={shown} chosen={works ? chosen : undefined} choose={choose} />
      )}
      {(onBack || onNext) && (
        <Group mt="md" gap="sm">
          <Button variant="default" disabled={!onBack} onClick={onBack}>
            Previous page
          </Button>
          <span className="soft">
            {page * perPage + 1} to {page * perPage + known.sites.length} of {known.total}
          </span>
          <Button variant="default" disabled={!onNext} onClick={onNext}>
            Next page
          </Button>
        </Group>
      )}
      {choosing && (
        <Suspense>
          <ColumnsDialog shown={shown} onChange={setShown} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </>
  )
}

/** What needs attention first, of all that are meant. */
function Tiles({ known, need, onNeed }: { known: Known; need: Need | undefined; onNeed: (need: Need | null) => void }) {
  const waiting = useWaiting()
  return (
    <ul className="tiles" aria-label="What needs attention">
      {(Object.keys(needs) as Need[]).map((name) => {
        const [number, unknown] = [known.needs[name], known.not_known[name]]
        const tone = number > 0 ? needs[name].tone : unknown > 0 ? '' : 'good'
        return (
          <li key={name}>
            <button
              type="button"
              className={`tile ${tone}`}
              aria-pressed={need === name}
              onClick={() => onNeed(need === name ? null : name)}
            >
              <b>{number === 0 && unknown === known.all ? '–' : number}</b>
              <span>
                {needs[name].label}
                {unknown > 0 && ` · ${unknown} not known`}
              </span>
            </button>
          </li>
        )
      })}
      {hasApprovals && (
        <li>
          <Link href="/approvals" className={`tile ${waiting > 0 ? 'warn' : 'good'}`}>
            <b>{waiting}</b>
            <span>Waiting for approval</span>
          </Link>
        </li>
      )}
    </ul>
  )
}

function Filters({ list: { narrowed, set }, known }: { list: Fleet; known: Known }) {
  return (
    <search className="filters">
      <SearchField words={narrowed.q ?? ''} set={set} />
      <Narrow label="Tag" data={known.tags} value={narrowed.tag} onChange={(value) => set('tag', value)} />
      <Narrow label="Client" data={known.clients} value={narrowed.client} onChange={(value) => set('client', value)} />
      <Narrow
        label="State"
        data={statuses.map((value) => ({ value, label: plainly(value) }))}
        value={narrowed.status}
        onChange={(value) => set('status', value)}
      />
      <Select
        label="Order"
        data={Object.entries(orders).map(([value, label]) => ({ value, label }))}
        value={narrowed.order ?? 'urgency'}
        onChange={(value) => set('order', value)}
      />
    </search>
  )
}

/** By itself, so that a key draws this field alone. */
function SearchField({ words, set }: { words: string; set: Fleet['set'] }) {
  const onPause = useCallback((words: string) => set('q', words.trim()), [set])
  const [typed, type] = useTyped(words, onPause)
  return (
    <TextInput
      label="Search"
      placeholder="Name, address, client or tag"
      type="search"
      maxLength={200}
      leftSection={searchIcon}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
    />
  )
}
const searchIcon = <Icon name="search" size={16} />

interface NarrowParts {
  label: string
  data: string[] | { value: string; label: string }[]
  value: string | undefined
  onChange: (value: string | null) => void
}
const Narrow = ({ label, data, value, onChange }: NarrowParts) => (
  <Select
    label={label}
    clearable
    allowDeselect
    searchable
    placeholder="Any"
    data={data}
    value={value ?? null}
    onChange={onChange}
    limit={100}
  />
)
