// What the list of sites is narrowed by: what needs attention, and the filters.
import { TextInput } from '@mantine/core'
import { useCallback } from 'react'
import { Link } from 'wouter'
import type { Whole } from '../api.ts'
import { useWaiting } from '../approvals/ask.ts'
import { useSession } from '../session.tsx'
import { t } from '../text.ts'
import { Icon } from '../ui/icons.tsx'
import { Choices } from './Choices.tsx'
import { type Need, needs } from './judge.ts'
import { type useFleet, useTyped } from './useFleet.ts'

type Fleet = ReturnType<typeof useFleet>
type Known = Whole<'fleet.list'>

/** What needs attention first, of all that are meant. */
export function Tiles({ known, need, onNeed }: { known: Known; need: Need | undefined; onNeed: (need: Need | null) => void }) {
  const { session } = useSession()
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
      {/* To people of a client approvals are not told. */}
      {session.workspace?.sees == null && <WaitingTile />}
    </ul>
  )
}

function WaitingTile() {
  const waiting = useWaiting()
  const tone = waiting === undefined ? '' : waiting > 0 ? 'warn' : 'good'
  return (
    <li>
      <Link href="/approvals" className={`tile ${tone}`}>
        <b>{waiting ?? '–'}</b>
        <span>{t('Waiting for approval')}</span>
      </Link>
    </li>
  )
}

export function Filters({ list, known }: { list: Fleet; known: Known }) {
  return (
    <search className="filters">
      <SearchField words={list.narrowed.q ?? ''} set={list.set} />
      <Choices list={list} known={known} />
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
