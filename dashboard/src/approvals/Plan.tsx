import { Text } from '@mantine/core'
import { t } from '../text.ts'
import { hostOf, plainly } from '../words.ts'

interface Item {
  type?: string
  slug?: string
  name?: string
  from_version?: string
  to_version?: string
  reason?: string | null
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const recordsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : [])
const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const backups: Record<string, string> = { db: t('of the database'), files: t('of the files'), full: t('of files and database') }

/** What would be done, as the operation's own dry run told it: items with their versions, sites, the backup before it. */
export function Plan({ answer }: { answer: Record<string, unknown> | undefined }) {
  if (!answer) return <p className="soft">{t('This has no plan of its own; what was asked stands below.')}</p>
  const items = recordsOf(answer.items) as Item[]
  const sites = recordsOf(answer.sites)
  const backup = isRecord(answer.backup) ? answer.backup : undefined
  const inner = isRecord(answer.plan) ? answer.plan : undefined
  return (
    <>
      {items.length > 0 && (
        <ul>
          {items.map((item) => (
            <li key={`${item.type} ${item.slug}`}>
              {item.name || item.slug} {versions(item)}
              {item.reason && <span className="soft"> {item.reason}</span>}
            </li>
          ))}
        </ul>
      )}
      {sites.length > 0 && (
        <ul className="tall">
          {sites.slice(0, 200).map((site) => (
            <li key={text(site.site_id)}>
              {text(site.name) || hostOf(text(site.url))}{' '}
              <span className="soft">{(recordsOf(site.items) as Item[]).map((item) => `${item.slug} ${versions(item)}`).join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
      {inner && (
        <ul>
          {Object.entries(inner).flatMap(([name, value]) =>
            typeof value === 'number' || typeof value === 'string' ? [<li key={name}>{`${plainly(name)}: ${value}`}</li>] : [],
          )}
        </ul>
      )}
      {backup && (
        <Text size="sm">
          {text(backup.type) === 'none'
            ? t('No backup is made first.')
            : backup.reused
              ? t('A recent backup protects it.')
              : t('A backup is made first: {backups}.', { backups: backups[text(backup.type)] ?? text(backup.type) })}
        </Text>
      )}
      <details>
        <summary className="soft">{t('The whole plan')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
        <section className="plain" tabIndex={0} aria-label={t('The whole plan, as JSON')}>
          <pre>{JSON.stringify(answer, undefined, 2)}</pre>
        </section>
      </details>
    </>
  )
}

const versions = ({ from_version, to_version }: Item) => (to_version ? `${from_version ?? ''} → ${to_version}` : '')
