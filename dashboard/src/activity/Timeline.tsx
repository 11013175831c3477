import { Button, Switch } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { Input, Item } from '../api.ts'
import { between } from '../days.ts'
import { messageOf, useDo, usePages } from '../queries.ts'
import { useMay } from '../session.tsx'
import { T, t } from '../text.ts'
import { Empty, More, State, Trouble, Waiting, When } from '../ui/parts.tsx'
import { useSay } from '../ui/toasts.tsx'
import { jobPath, plainly } from '../words.ts'
import { Filters } from './Filters.tsx'
import { LogDialog } from './LogDialog.tsx'

type Entry = Item<'activity.list'>

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
  const names = ['q', 'category', 'shown', 'by', 'since', 'until', ...(siteId ? [] : ['tag', 'client'])]
  const wanted = Object.fromEntries(names.flatMap((name) => (asked.get(name) ? [[name, asked.get(name)]] : [])))
  const input = { limit: 50, ...(siteId && { site_id: siteId }), ...wanted, ...between(wanted) } as Input<'activity.list'>
  const entries = usePages('activity.list', input, { every: 10_000 })
  return (
    <>
      <Filters asked={asked} set={set} labels={siteId === undefined} />
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
              <Link href={jobPath(entry.job_id)}>{t('Job')}</Link>
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
