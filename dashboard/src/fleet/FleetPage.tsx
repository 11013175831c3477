import { Alert, Button, Group } from '@mantine/core'
import { lazy, Suspense, useCallback, useDeferredValue, useState } from 'react'
import type { Whole } from '../api.ts'
import { useMay, useSession } from '../session.tsx'
import { T, t } from '../text.ts'
import { Icon } from '../ui/icons.tsx'
import { MenuButton } from '../ui/MenuButton.tsx'
import { Asked, Empty, Page, When } from '../ui/parts.tsx'
import { hasViews, useColumns } from './kept.ts'
import { Filters, Tiles } from './Narrowing.tsx'
import { SiteRows } from './SiteRows.tsx'
import { everyId, perPage, useFleet } from './useFleet.ts'

const Bulk = lazy(async () => ({ default: (await import('./Bulk.tsx')).Bulk }))
const PairDialog = lazy(async () => ({ default: (await import('./PairDialog.tsx')).PairDialog }))
const ViewsMenu = lazy(async () => ({ default: (await import('./FleetTools.tsx')).ViewsMenu }))
const ViewsTaken = lazy(async () => ({ default: (await import('./FleetTools.tsx')).ViewsTaken }))
const ColumnsDialog = lazy(async () => ({ default: (await import('./FleetTools.tsx')).ColumnsDialog }))

type Fleet = ReturnType<typeof useFleet>
type Known = Whole<'fleet.list'>

export function FleetPage() {
  const list = useFleet()
  const { fleet } = list
  const { session } = useSession()
  const manages = useMay('manage')
  const [pairing, setPairing] = useState(false)
  const add = manages && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setPairing(true)}>
      {t('Add a site')}
    </Button>
  )
  return (
    <Page
      title={t('Sites')}
      about={
        fleet.data &&
        t('{sites, plural, one {# site} other {# sites}} in {name}', { sites: fleet.data.all, name: session.workspace?.name ?? '' })
      }
      actions={add}
    >
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
  <Empty title={t('No site yet')} action={action}>
    {manages
      ? t('Add the first one: install the plugin in its WordPress, and enter a code there. It takes a minute.')
      : t('An owner or admin adds sites. They appear here by themselves.')}
  </Empty>
)

function Shown({ list, known }: { list: Fleet; known: Known }) {
  const works = useMay('write')
  const [shown, setShown] = useColumns()
  const [choosing, setChoosing] = useState(false)
  const { session } = useSession()
  const [taking] = useState(() => works && hasViews(session.workspace?.id))
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
      {known.watch_troubled_since && (
        <Alert color="yellow" variant="outline" role="status" mb="md">
          <T
            message="Since {when} it is not known of some sites whether they are up: they do not answer, and that may be the network of this service."
            when={<When at={known.watch_troubled_since} />}
          />
        </Alert>
      )}
      <Tiles known={known} need={narrowed.need} onNeed={(need) => list.set('need', need)} />
      <Filters list={list} known={known} />
      <div className="bar">
        <p className="soft" role="status">
          {isNarrowed
            ? t('{sites, plural, one {# site} other {# sites}} of {all}', { sites: known.total, all: known.all })
            : t('{sites, plural, one {# site} other {# sites}}', { sites: known.total })}
          {known.unknown > 0 && `; ${t('of {unknown} more nobody knows it', { unknown: known.unknown })}`}
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
            {t('Choose all here')}
          </label>
        )}
        <MenuButton
          menu={(button) => (
            <ViewsMenu
              button={button}
              shown={{ query, columns: shown }}
              onOpen={({ query, columns }) => {
                show(query)
                if (columns) setShown(columns)
              }}
            />
          )}
        >
          <Button variant="default" size="xs" rightSection={<Icon name="down" size={12} />}>
            {t('Views')}
          </Button>
        </MenuButton>
        <Button variant="default" size="xs" onClick={() => setChoosing(true)}>
          {t('Columns')}
        </Button>
      </div>
      <div className="choosing">
        {chosen.size > 0 && (
          <Suspense>
            <Bulk
              ids={[...chosen]}
              total={known.total}
              onAll={async () => choose(await everyId(narrowed), true)}
              onNone={() => setChosen(new Set())}
            />
          </Suspense>
        )}
        {known.sites.length === 0 ? (
          <Empty
            title={t('No site is like that')}
            action={
              <Button variant="default" onClick={() => show('')}>
                {t('Show all sites')}
              </Button>
            }
          >
            {t('Nothing here meets the search and the filters together.')}
          </Empty>
        ) : (
          <SiteRows sites={sites} shown={shown} chosen={works ? chosen : undefined} choose={choose} />
        )}
      </div>
      {(onBack || onNext) && (
        <Group mt="md" gap="sm">
          <Button variant="default" disabled={!onBack} onClick={onBack}>
            {t('Previous page')}
          </Button>
          <span className="soft">
            <T
              message="{first} to {last} of {total}"
              first={page * perPage + 1}
              last={page * perPage + known.sites.length}
              total={known.total}
            />
          </span>
          <Button variant="default" disabled={!onNext} onClick={onNext}>
            {t('Next page')}
          </Button>
        </Group>
      )}
      {taking && (
        <Suspense>
          <ViewsTaken />
        </Suspense>
      )}
      {choosing && (
        <Suspense>
          <ColumnsDialog shown={shown} onChange={setShown} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </>
  )
}
