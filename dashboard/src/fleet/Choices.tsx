// The filters that are chosen from a list, and the order.
import { Select } from '@mantine/core'
import type { Whole } from '../api.ts'
import { t } from '../text.ts'
import { plainly } from '../words.ts'
import type { useFleet } from './useFleet.ts'

const orders = {
  urgency: t('Most urgent'),
  name: t('Name'),
  newest: t('Newest first'),
  backup: t('Oldest backup first'),
  updates: t('Most updates'),
}
const statuses = ['connected', 'unreachable', 'pending', 'disconnected', 'clone_detected', 'paused']

export function Choices({ list: { narrowed, set }, known }: { list: ReturnType<typeof useFleet>; known: Whole<'fleet.list'> }) {
  return (
    <>
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
    </>
  )
}

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
