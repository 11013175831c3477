import { MultiSelect, Radio, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Input, Item } from '../api.ts'
import { useCall } from '../queries.ts'
import { t } from '../text.ts'
import { useLabels } from '../ui/labels.ts'
import { useSiteNames } from '../ui/siteNames.ts'
import { hostOf } from '../words.ts'

export type Sees = NonNullable<Input<'tokens.create'>['sees']>
type Way = 'all' | 'tag' | 'client' | 'site_ids'

const ways: Record<Way, string> = {
  all: t('Every site'),
  tag: t('Sites with a tag'),
  client: t('Sites of a client'),
  site_ids: t('These sites'),
}

/** Which sites are there for a token; undefined: all. */
export function SeesField({ onChange, wrong }: { onChange: (sees: Sees | undefined) => void; wrong: string | undefined }) {
  const [way, setWay] = useState<Way>('all')
  const labels = useLabels()
  return (
    <Stack gap={8}>
      <Radio.Group
        label={t('It sees')}
        description={t('To it every other site does not exist.')}
        value={way}
        onChange={(value) => {
          setWay(value as Way)
          onChange(value === 'all' ? undefined : value === 'site_ids' ? { site_ids: [] } : { [value]: '' })
        }}
      >
        <Stack gap={8} mt={6}>
          {Object.entries(ways).map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      {(way === 'tag' || way === 'client') && (
        <Select
          key={way}
          label={way === 'tag' ? t('Tag, now or later') : t('Client, now or later')}
          searchable
          required
          data={(way === 'tag' ? labels.data?.tags : labels.data?.clients) ?? []}
          onChange={(value) => onChange({ [way]: value ?? '' })}
          error={wrong}
        />
      )}
      {way === 'site_ids' && <Sites onChange={(site_ids) => onChange({ site_ids })} wrong={wrong} />}
    </Stack>
  )
}

function Sites({ onChange, wrong }: { onChange: (ids: string[]) => void; wrong: string | undefined }) {
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const names = useSiteNames()
  const found = useCall('fleet.list', { order: 'name', limit: 30, ...(words.trim() && { q: words.trim() }) })
  const data = (found.data ?? []).map(({ id, name, url }) => ({ value: id, label: `${name || hostOf(url)} (${hostOf(url)})` }))
  const gone = chosen.filter((id) => data.every(({ value }) => value !== id)).map((id) => ({ value: id, label: names(id) }))
  return (
    <MultiSelect
      label={t('Sites')}
      searchable
      required
      searchValue={words}
      onSearchChange={setWords}
      filter={({ options }) => options}
      data={[...data, ...gone]}
      value={chosen}
      onChange={(ids) => {
        setChosen(ids)
        onChange(ids)
      }}
      error={wrong}
    />
  )
}

/** The same in words. */
export function SeesWords({ sees }: Pick<Item<'tokens.list'>, 'sees'>) {
  if (sees === null) return <>{t('All sites')}</>
  const { site_ids, tag, client } = sees
  return (
    <>
      {t('Only {parts}', {
        parts: [
          site_ids && t('{sites, plural, one {# site} other {# sites}}', { sites: site_ids.length }),
          tag && t('tagged {tag}', { tag }),
          client && t('of {client}', { client }),
        ]
          .filter(Boolean)
          .join(' '),
      })}
    </>
  )
}
