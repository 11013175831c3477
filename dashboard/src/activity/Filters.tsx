import { Select, TextInput } from '@mantine/core'
import { t } from '../text.ts'
import { useLabels } from '../ui/labels.ts'
import { plainly } from '../words.ts'
import { categories } from './categories.ts'

const kinds = categories.map((value) => ({ value, label: plainly(value) }))

const shown = [
  { value: 'in_reports', label: t('Shown in reports') },
  { value: 'internal', label: t('Internal') },
  { value: 'to_review', label: t('Of agents, to be reviewed') },
]

interface Parts {
  /** What the address says. */
  asked: URLSearchParams
  set: (name: string, value: string | null) => void
}

/** What a timeline is narrowed by; that of all sites also by what these have in common. */
export const Filters = ({ asked, set, labels }: Parts & { labels: boolean }) => (
  <search className="filters">
    <TextInput
      type="search"
      label={t('Search')}
      placeholder={t('Words of what was done')}
      defaultValue={asked.get('q') ?? ''}
      maxLength={200}
      onBlur={(event) => set('q', event.currentTarget.value.trim())}
      onKeyDown={(event) => event.key === 'Enter' && set('q', event.currentTarget.value.trim())}
    />
    <TextInput
      label={t('Done by')}
      placeholder={t('Exact name')}
      defaultValue={asked.get('by') ?? ''}
      onBlur={(event) => set('by', event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && set('by', event.currentTarget.value)}
    />
    {labels && <Labels asked={asked} set={set} />}
    <Choice label={t('Kind of work')} data={kinds} value={asked.get('category')} onChange={(value) => set('category', value)} />
    <Choice label={t('Reports')} data={shown} value={asked.get('shown')} onChange={(value) => set('shown', value)} />
    <TextInput
      label={t('From')}
      type="date"
      value={asked.get('since') ?? ''}
      onChange={(event) => set('since', event.currentTarget.value)}
    />
    <TextInput
      label={t('Until')}
      type="date"
      value={asked.get('until') ?? ''}
      onChange={(event) => set('until', event.currentTarget.value)}
    />
  </search>
)

/** The tags and clients that sites have. */
function Labels({ asked, set }: Parts) {
  const fleet = useLabels()
  const [tag, client] = [asked.get('tag'), asked.get('client')]
  return (
    <>
      <Choice label={t('Tag')} data={withOwn(fleet.data?.tags, tag)} value={tag} onChange={(value) => set('tag', value)} />
      <Choice label={t('Client')} data={withOwn(fleet.data?.clients, client)} value={client} onChange={(value) => set('client', value)} />
    </>
  )
}

/** What is in the address may be of no site any more. */
const withOwn = (known: string[] = [], own: string | null) => (own === null || known.includes(own) ? known : [...known, own])

interface ChoiceParts {
  label: string
  data: (string | { value: string; label: string })[]
  value: string | null
  onChange: (value: string | null) => void
}
const Choice = (parts: ChoiceParts) => (
  <Select clearable allowDeselect searchable={parts.data.length > 8} placeholder={t('Any')} {...parts} />
)
