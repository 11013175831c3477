// The filters that are chosen from a list, and the order.
import { NativeSelect } from '@mantine/core'
import { memo } from 'react'
import type { Whole } from '../api.ts'
import { t } from '../text.ts'
import { plainly } from '../words.ts'
import type { useFleet } from './useFleet.ts'

type Fleet = ReturnType<typeof useFleet>
type Choice = string | { value: string; label: string }

const orders: Choice[] = [
  { value: 'urgency', label: t('Most urgent') },
  { value: 'name', label: t('Name') },
  { value: 'newest', label: t('Newest first') },
  { value: 'backup', label: t('Oldest backup first') },
  { value: 'updates', label: t('Most updates') },
]
const any: Choice = { value: '', label: t('Any') }
const statuses = ['connected', 'unreachable', 'pending', 'disconnected', 'clone_detected', 'paused'].map((value) => ({
  value,
  label: plainly(value),
}))

export const Choices = ({ list: { narrowed, set }, known }: { list: Fleet; known: Whole<'fleet.list'> }) => (
  <>
    <Narrow name="tag" label={t('Tag')} first={any} data={known.tags} value={narrowed.tag} set={set} />
    <Narrow name="client" label={t('Client')} first={any} data={known.clients} value={narrowed.client} set={set} />
    <Narrow name="status" label={t('State')} first={any} data={statuses} value={narrowed.status} set={set} />
    <Narrow name="order" label={t('Order')} data={orders} value={narrowed.order ?? 'urgency'} set={set} />
  </>
)

interface NarrowParts {
  /** As the address calls it. */
  name: string
  label: string
  first?: Choice
  data: Choice[]
  value: string | undefined
  set: Fleet['set']
}
/** There may be hundreds to choose from: drawn anew where they change alone. */
const Narrow = memo(({ name, label, first, data, value = '', set }: NarrowParts) => {
  const all = first ? [first, ...data] : data
  // What is in the address may be of no site any more.
  const isThere = all.some((each) => (typeof each === 'string' ? each : each.value) === value)
  return (
    <NativeSelect
      label={label}
      data={isThere ? all : [...all, value]}
      value={value}
      onChange={(event) => set(name, event.currentTarget.value)}
    />
  )
})
