import { Select } from '@mantine/core'
import { useState } from 'react'
import { messageOf, useCall } from '../queries.ts'
import { t } from '../text.ts'
import { hostOf } from '../words.ts'

interface Parts {
  value: string | null
  onChange: (id: string | null) => void
  error?: string | undefined
}

/** One site, found by words of its name, address, client or tags: the service looks, so nobody scrolls through a thousand. */
export function SiteSelect({ value, onChange, error }: Parts) {
  const [words, setWords] = useState('')
  const [label, setLabel] = useState('')
  // What stands in the field once a site is chosen is no question.
  const q = words === label ? '' : words.trim()
  const found = useCall('fleet.list', { order: 'name', limit: 30, ...(q && { q }) })
  const data = (found.data ?? []).map(({ id, name, url }) => ({ value: id, label: `${name || hostOf(url)} (${hostOf(url)})` }))
  if (value && data.every((each) => each.value !== value)) data.push({ value, label })
  return (
    <Select
      label={t('Site')}
      placeholder={t('Words of its name or address')}
      nothingFoundMessage={found.isFetching ? t('Looking …') : found.error ? messageOf(found.error) : t('No site is called that')}
      required
      searchable
      searchValue={words}
      onSearchChange={setWords}
      filter={({ options }) => options}
      data={data}
      value={value}
      onChange={(id, option) => {
        setLabel(option?.label ?? '')
        onChange(id)
      }}
      error={error}
      className="medium"
    />
  )
}
