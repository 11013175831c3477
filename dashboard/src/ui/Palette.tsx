import { TextInput, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { useCall } from '../queries.ts'
import { useMay } from '../session.tsx'
import { t } from '../text.ts'
import { hostOf } from '../words.ts'
import { Dialog } from './Dialog.tsx'
import { Icon } from './icons.tsx'
import { Trouble } from './parts.tsx'

export interface Goal {
  label: string
  /** Of what kind it is, or where. */
  about: string
  path?: string
  act?: () => void
  dialog?: DialogName
}

/** What can be done from anywhere. */
export type DialogName = 'pair' | 'pause'

const siteParts = [
  ['', t('Overview')],
  ['/backups', t('Backups')],
  ['/updates', t('Updates')],
  ['/security', t('Security')],
  ['/uptime', t('Uptime')],
  ['/performance', t('Performance')],
  ['/errors', t('PHP errors')],
  ['/links', t('Links')],
  ['/jobs', t('Jobs')],
  ['/activity', t('Activity')],
  ['/timetable', t('Timetable')],
  ['/settings', t('Settings')],
] as const

/** Where what is done there begins. */
const siteActions = [
  ['/backups', t('Back up')],
  ['/updates', t('Update')],
] as const

/** Goes anywhere by typing: sites, pages and what can be done. */
export function Palette({ pages, onDialog, onClose }: { pages: Goal[]; onDialog: (name: DialogName) => void; onClose: () => void }) {
  const [path, go] = useLocation()
  const id = useId()
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  const works = useMay('write')
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const [paused] = useDebouncedValue(words.trim(), 120)
  const sites = useCall('fleet.list', { order: 'name', limit: 8, ...(paused && { q: paused }) })
  const here = /^\/sites\/([^/]+)/.exec(path)?.[1]
  const fits = ({ label, about }: Goal) =>
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => `${label} ${about}`.toLowerCase().includes(word))
  const parts = here ? [...siteParts, ...(works ? siteActions : [])] : []
  const ofSite = parts.map(([part, label]): Goal => ({ label, about: t('of this site'), path: `/sites/${here}${part}` }))
  const own: Goal[] = [
    ...ofSite,
    ...pages,
    { label: dark ? t('Show it light') : t('Show it dark'), about: t('Action'), act: () => setColorScheme(dark ? 'light' : 'dark') },
    { label: t('API reference'), about: t('Page'), act: () => location.assign('/docs') },
  ]
  const named = (sites.data ?? []).map(
    (site): Goal => ({ label: site.name || hostOf(site.url), about: hostOf(site.url), path: `/sites/${site.id}` }),
  )
  // Until the service has answered for these words, what it said for others is only what has them in its name.
  const answered = paused === words.trim() && !sites.isPlaceholderData
  const found: Goal[] = [...(words === '' ? [] : answered ? named : named.filter(fits)), ...own.filter(fits)].slice(0, 24)
  const chosen = Math.min(at, found.length - 1)
  const open = (goal: Goal | undefined) => {
    if (!goal) return
    onClose()
    if (goal.path) go(goal.path)
    goal.act?.()
    if (goal.dialog) onDialog(goal.dialog)
  }
  const press = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: found.length - 1 }
    const to = moves[event.key]
    if (event.key === 'Enter') {
      event.preventDefault()
      open(found[chosen])
    } else if (to !== undefined && found.length > 0) {
      event.preventDefault()
      const next = (to + found.length) % found.length
      setAt(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    }
  }
  return (
    <Dialog onClose={onClose} title={t('Go to')} size="lg" yOffset="8vh" centered={false}>
      <TextInput
        aria-label={t('A site, a page or an action')}
        placeholder={t('A site, a page or an action')}
        leftSection={<Icon name="search" size={16} />}
        value={words}
        maxLength={200}
        onChange={(event) => {
          setWords(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={press}
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={found[chosen] && `${id}-${chosen}`}
        autoComplete="off"
        data-autofocus
      />
      <div className="goals" role="listbox" id={`${id}-list`} aria-label={t('Where to go')}>
        {found.map((goal, n) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are pressed in the field above, which names the chosen one
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field above
          <div
            key={`${goal.path} ${goal.label}`}
            id={`${id}-${n}`}
            role="option"
            aria-selected={n === chosen}
            className="goal"
            onClick={() => open(goal)}
            onPointerMove={() => setAt(n)}
          >
            <span>{goal.label}</span> <small>{goal.about}</small>
          </div>
        ))}
      </div>
      {sites.error && !sites.data && <Trouble error={sites.error} again={() => void sites.refetch()} />}
      <p className="soft" role="status">
        {found.length === 0
          ? sites.isFetching || paused !== words.trim()
            ? t('Looking …')
            : t('Nothing is called that.')
          : t('{found} found', { found: found.length })}
      </p>
    </Dialog>
  )
}
