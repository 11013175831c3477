// What the list of sites is narrowed by: what needs attention, and the filters.
import { Select, TextInput } from '@mantine/core'
import { useCallback } from 'react'
import { Link } from 'wouter'
import type { Whole } from '../api.ts'
import { hasApprovals, useWaiting } from '../approvals/ask.ts'
import { t } from '../text.ts'
import { Icon } from '../ui/icons.tsx'
import { plainly } from '../words.ts'
import { type Need, needs } from './judge.ts'
import { type useFleet, useTyped } from './useFleet.ts'

type Fleet = ReturnType<typeof useFleet>
type Known = Whole<'fleet.list'>

const orders = {
  urgency: t('Most urgent'),
  name: t('Name'),
  newest: t('Newest first'),
  backup: t('Oldest backup first'),
  updates: t('Most updates'),
}
const statuses = ['connected', 'unreachable', 'pending', 'disconnected', 'clone_detected', 'paused']

/** What needs attention first, of all that are meant. */
export function Tiles({ known, need, onNeed }: { known: Known; need: Need | undefined; onNeed: (need: Need | null) => void }) {
  const waiting = useWaiting()
  return (
    <ul className="tiles" aria-label={t('What needs attention')}>
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
                {unknown > 0 && ` · ${t('{unknown} not known', { unknown })}`}
              </span>
            </button>
          </li>
        )
      })}
      {hasApprovals && (
        <li>
          <Link href="/approvals" className={`tile ${waiting > 0 ? 'warn' : 'good'}`}>
            <b>{waiting}</b>
            <span>{t('Waiting for approval')}</span>
          </Link>
        </li>
      )}
    </ul>
  )
}

export function Filters({ list: { narrowed, set }, known }: { list: Fleet; known: Known }) {
  return (
    <search className="filters">
      <SearchField words={narrowed.q ?? ''} set={set} />
      <Narrow label={t('Tag')} data={known.tags} value={narrowed.tag} onChange={(value) => set('tag', value)} />
      <Narrow label={t('Client')} data={known.clients} value={narrowed.client} onChange={(value) => set('client', value)} />
      <Narrow
        label={t('State')}
        data={statuses.map((value) => ({ value, label: plainly(value) }))}
        value={narrowed.status}
        onChange={(value) => set('status', value)}
      />
      <Select
        label={t('Order')}
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
      label={t('Search')}
      placeholder={t('Name, address, client or tag')}
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
    placeholder={t('Any')}
    data={data}
    value={value ?? null}
    onChange={onChange}
    limit={100}
  />
)
