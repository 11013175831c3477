import { Button, Pagination, Select, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useCall } from '../queries.ts'
import { useMay, useSession } from '../session.tsx'
import { Icon } from '../ui/icons.tsx'
import { Asked, Empty, Page } from '../ui/parts.tsx'
import { count, hostOf } from '../words.ts'
import { type Concern, concerns, type Site, urgency } from './judge.ts'
import { PairDialog } from './PairDialog.tsx'
import { SiteRows } from './SiteRows.tsx'

/** Real rows, so that a browser's own search and a screen reader find them. */
const perPage = 100

const sorts = {
  urgency: { label: 'Most urgent', by: (a: Site, b: Site) => urgency(b) - urgency(a) },
  name: { label: 'Name', by: (a: Site, b: Site) => a.name.localeCompare(b.name) || hostOf(a.url).localeCompare(hostOf(b.url)) },
  newest: { label: 'Newest first', by: (a: Site, b: Site) => b.created_at.localeCompare(a.created_at) },
} as const
type Sort = keyof typeof sorts

export function FleetPage() {
  const sites = useCall('sites.list', {}, { every: 15_000 })
  const { session } = useSession()
  const manages = useMay('manage')
  const [pairing, setPairing] = useState(false)
  const add = manages && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setPairing(true)}>
      Add a site
    </Button>
  )
  return (
    <Page title="Sites" about={sites.data && `${count(sites.data.length, 'site')} in ${session.workspace?.name ?? ''}`} actions={add}>
      <Asked of={sites} rows={8}>
        {(all) => (all.length === 0 ? <NoSites action={add} manages={manages} /> : <Fleet all={all} />)}
      </Asked>
      {pairing && <PairDialog onClose={() => setPairing(false)} known={sites.data?.map(({ id }) => id) ?? []} />}
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

function Fleet({ all }: { all: Site[] }) {
  const [asked, ask] = useSearchParams()
  const wanted = (name: string) => asked.get(name) ?? ''
  const set = (name: string, value: string | null) =>
    ask(
      (before) => {
        const next = new URLSearchParams(before)
        if (name !== 'page') next.delete('page')
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true },
    )
  const [words, tag, client] = [wanted('q'), wanted('tag'), wanted('client')]
  const concern = wanted('show') as Concern | ''
  const sort = (wanted('sort') || 'urgency') as Sort
  const found = useMemo(() => {
    const each = words.toLowerCase().split(/\s+/).filter(Boolean)
    return all
      .filter(
        (site) =>
          (!concern || concerns[concern]?.meets(site)) &&
          (!tag || site.tags.includes(tag)) &&
          (!client || site.client === client) &&
          each.every((word) => `${site.name} ${site.url} ${site.client ?? ''} ${site.tags.join(' ')}`.toLowerCase().includes(word)),
      )
      .toSorted((a, b) => sorts[sort]?.by(a, b) || sorts.name.by(a, b))
  }, [all, words, tag, client, concern, sort])
  const page = Math.min(Number(wanted('page')) || 1, Math.max(1, Math.ceil(found.length / perPage)))
  const narrowed = ['q', 'tag', 'client', 'show'].some(wanted)
  return (
    <>
      <ul className="tiles" aria-label="What needs attention">
        {Object.entries(concerns).map(([name, { label, tone, meets }]) => {
          const number = all.filter(meets).length
          return (
            <li key={name}>
              <button
                type="button"
                className={`tile ${number > 0 ? tone : 'good'}`}
                aria-pressed={concern === name}
                onClick={() => set('show', concern === name ? null : name)}
              >
                <b>{number}</b>
                <span>{label}</span>
              </button>
            </li>
          )
        })}
      </ul>
      <search className="filters">
        <TextInput
          label="Search"
          placeholder="Name, address, client or tag"
          type="search"
          leftSection={<Icon name="search" size={16} />}
          value={words}
          onChange={(event) => set('q', event.currentTarget.value)}
        />
        <Select
          label="Tag"
          clearable
          allowDeselect
          placeholder="Any"
          data={among(all.flatMap(({ tags }) => tags))}
          value={tag || null}
          onChange={(value) => set('tag', value)}
        />
        <Select
          label="Client"
          clearable
          allowDeselect
          placeholder="Any"
          data={among(all.flatMap(({ client }) => client ?? []))}
          value={client || null}
          onChange={(value) => set('client', value)}
        />
        <Select
          label="Order"
          data={Object.entries(sorts).map(([value, { label }]) => ({ value, label }))}
          value={sort}
          onChange={(value) => set('sort', value)}
        />
      </search>
      <p className="soft" role="status">
        {narrowed ? `${count(found.length, 'site')} of ${all.length}` : count(all.length, 'site')}
      </p>
      {found.length === 0 ? (
        <Empty
          title="No site is like that"
          action={
            <Button variant="default" onClick={() => ask(new URLSearchParams())}>
              Show all sites
            </Button>
          }
        >
          Nothing here meets the search and the filters together.
        </Empty>
      ) : (
        <SiteRows sites={found.slice((page - 1) * perPage, page * perPage)} />
      )}
      {found.length > perPage && (
        <Pagination
          mt="md"
          total={Math.ceil(found.length / perPage)}
          value={page}
          onChange={(next) => {
            set('page', String(next))
            scrollTo({ top: 0 })
          }}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
        />
      )}
    </>
  )
}

const among = (values: string[]) => [...new Set(values)].toSorted((a, b) => a.localeCompare(b))
