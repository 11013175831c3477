import { Button, Select, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { Input, Item } from '../api.ts'
import { between } from '../days.ts'
import { messageOf, useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Empty, More, State, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { plainly } from '../words.ts'
import { categories } from './categories.ts'
import { LogDialog } from './LogDialog.tsx'

type Entry = Item<'activity.list'>

const shown = {
  in_reports: t('Shown in reports'),
  internal: t('Internal'),
  to_review: t('Of agents, to be reviewed'),
} as const

/** What was done, newest first: in the workspace, or on one site. */
export function Timeline({ siteId }: { siteId?: string }) {
  const [asked, ask] = useSearchParams()
  const works = useMay('write')
  const [logging, setLogging] = useState(false)
  const set = (name: string, value: string | null) =>
    ask(
      (before) => {
        const next = new URLSearchParams(before)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true },
    )
  const wanted = Object.fromEntries(
    ['q', 'category', 'shown', 'by', 'since', 'until'].flatMap((name) => (asked.get(name) ? [[name, asked.get(name)]] : [])),
  )
  const input = { limit: 50, ...(siteId && { site_id: siteId }), ...wanted, ...between(wanted) } as Input<'activity.list'>
  const entries = usePages('activity.list', input, { every: 10_000 })
  return (
    <>
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
          placeholder={t('The exact name of a person or a token')}
          defaultValue={asked.get('by') ?? ''}
          onBlur={(event) => set('by', event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && set('by', event.currentTarget.value)}
        />
        <Select
          label={t('Kind of work')}
          clearable
          allowDeselect
          placeholder={t('Any')}
          data={categories.map((value) => ({ value, label: plainly(value) }))}
          value={asked.get('category')}
          onChange={(value) => set('category', value)}
        />
        <Select
          label={t('Reports')}
          clearable
          allowDeselect
          placeholder={t('Any')}
          data={Object.entries(shown).map(([value, label]) => ({ value, label }))}
          value={asked.get('shown')}
          onChange={(value) => set('shown', value)}
        />
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
      {works && (
        <Button variant="default" size="xs" onClick={() => setLogging(true)}>
          {t('Log what was done elsewhere …')}
        </Button>
      )}
      {entries.error && <Trouble error={entries.error} again={() => void entries.refetch()} />}
      {entries.isPending ? (
        <Waiting rows={6} />
      ) : entries.items.length === 0 ? (
        <Empty title={t('Nothing here')}>
          {Object.keys(wanted).length > 0 ? t('Nothing meets these filters.') : t('What people, agents and the service do shows up here.')}
        </Empty>
      ) : (
        <ul className="entries">
          {entries.items.map((entry) => (
            <Row key={entry.id} entry={entry} ofSite={siteId !== undefined} reviewing={asked.get('shown') === 'to_review'} />
          ))}
        </ul>
      )}
      <More of={entries}>
        <T message="Show more of {entries, plural, one {# entry} other {# entries}}" entries={entries.total} />
      </More>
      {logging && <LogDialog siteId={siteId} onClose={() => setLogging(false)} />}
    </>
  )
}

/** Who it was, and what they are unless a person. */
function whose({ type, name }: Entry['actor']): string {
  if (type === 'token') return t('{name} (token)', { name })
  if (type === 'system') return t('{name} (the service)', { name })
  return type === 'site' ? t('{name} (the site)', { name }) : name
}

function Row({ entry, ofSite, reviewing }: { entry: Entry; ofSite: boolean; reviewing: boolean }) {
  const manages = useMay('manage')
  const say = useSay()
  const showing = useDo('activity.show', ({ in_reports }) => say(in_reports ? t('Client reports show it.') : t('It stays internal.')))
  const decide = (in_reports: boolean) =>
    showing.mutate({ activity_id: entry.id, in_reports }, { onError: (error) => say(messageOf(error)) })
  const { actor, performed_by: by } = entry
  return (
    <li className="entry">
      <div>
        <p>
          <b>{entry.summary}</b> {entry.internal && <State tone="unknown">{t('Internal')}</State>}
        </p>
        <p className="soft">
          {!ofSite && entry.site_id && (
            <>
              <Link href={`/sites/${entry.site_id}`}>{entry.site_name ?? t('A site')}</Link> ·{' '}
            </>
          )}
          {plainly(entry.category)} · {by && by !== actor.name ? t('{by}, by {name}', { by, name: whose(actor) }) : whose(actor)} ·{' '}
          <When at={entry.performed_at} />
          {entry.kind === 'maintenance' && ` · ${t('done elsewhere, as told')}`}
          {entry.job_id && (
            <>
              {' · '}
              <Link href={entry.job_id.startsWith('rollout_') ? `/rollouts/${entry.job_id}` : `/jobs/${entry.job_id}`}>{t('Job')}</Link>
            </>
          )}
        </p>
        {entry.notes && <Notes text={entry.notes} />}
      </div>
      {manages ? (
        <div className="acts">
          <Switch
            label={t('Show in reports')}
            labelPosition="left"
            checked={entry.in_reports}
            disabled={showing.isPending}
            aria-label={t('Show in reports: {summary}', { summary: entry.summary })}
            onChange={(event) => decide(event.currentTarget.checked)}
          />
          {reviewing && (
            <Button
              size="xs"
              variant="default"
              disabled={showing.isPending}
              aria-label={t('Keep it internal: {summary}', { summary: entry.summary })}
              onClick={() => decide(false)}
            >
              {t('Keep it internal')}
            </Button>
          )}
        </div>
      ) : (
        <span className="soft">{entry.in_reports ? t('In reports') : t('Not in reports')}</span>
      )}
    </li>
  )
}

/** Long ones are folded. */
const Notes = ({ text }: { text: string }) =>
  text.split('\n').length <= 2 && text.length <= 200 ? (
    <p className="soft notes">{text}</p>
  ) : (
    <details>
      <summary className="soft">{t('Notes')}</summary>
      <p className="soft notes">{text}</p>
    </details>
  )
