import { Select } from '@mantine/core'
import type { Item } from '../api.ts'
import { t } from '../text.ts'
import { useLabels } from '../ui/labels.ts'

export type Sees = Item<'members.list'>['sees']

const all = 'all'
const written = (sees: Sees) => (sees ? JSON.stringify(sees) : all)

/** Which sites are there for a viewer: all, or those of a client or with a tag, for a client's own people. */
export function SeesSelect({ sees, label, onChange, disabled, size }: SeesParts) {
  const labels = useLabels()
  const { clients = [], tags = [] } = labels.data ?? {}
  const data = [
    { group: t('Whole workspace'), items: [{ value: all, label: t('All sites') }] },
    { group: t('Of a client'), items: clients.map((client) => ({ value: JSON.stringify({ client }), label: client })) },
    { group: t('With a tag'), items: tags.map((tag) => ({ value: JSON.stringify({ tag }), label: tag })) },
  ]
  const value = written(sees)
  const listed = data.some(({ items }) => items.some((item) => item.value === value))
  return (
    <Select
      aria-label={label}
      {...(size === undefined && { label })}
      size={size ?? 'sm'}
      {...(size !== undefined && { w: 200, mt: 6 })}
      data={[...data, ...(listed ? [] : [{ group: t('As it is'), items: [{ value, label: seesInWords(sees) }] }])].filter(
        ({ items }) => items.length > 0,
      )}
      value={value}
      disabled={disabled}
      allowDeselect={false}
      searchable
      onChange={(next) => next && onChange(next === all ? null : (JSON.parse(next) as Sees))}
    />
  )
}
interface SeesParts {
  sees: Sees
  label: string
  onChange: (sees: Sees) => void
  disabled?: boolean
  size?: 'xs'
}

export function seesInWords(sees: Sees): string {
  if (!sees) return t('All sites')
  const parts = [
    ...(sees.client ? [t('of {client}', { client: sees.client })] : []),
    ...(sees.tag ? [t('with the tag {tag}', { tag: sees.tag })] : []),
    ...(sees.site_ids ? [t('{sites, plural, one {# site} other {# sites}}', { sites: sees.site_ids.length })] : []),
  ]
  return t('Only {parts}', { parts: parts.join(', ') })
}
