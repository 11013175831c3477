import { useEffect } from 'react'
import { Link } from 'wouter'
import type { Item } from '../api.ts'
import { usePages, useWhole } from '../queries.ts'
import { T, t } from '../text.ts'
import { Empty, Page, State, type Tone, Trouble, Waiting } from '../ui/parts.tsx'
import { plainly } from '../words.ts'

type Finding = Item<'security.list'>
const tones: Record<Finding['severity'], Tone> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'warn',
  info: 'unknown',
  unknown: 'unknown',
}

/** So many findings are read at most; the worst come first. */
const mostPages = 10

interface Weak {
  key: string
  type: string
  slug: string
  name: string
  severity: Finding['severity']
  sites: Set<string>
  titles: Set<string>
}

/** Known vulnerabilities, by what has them: from here to the sites, and to an update of only those. */
export function WeaknessesPage() {
  const found = usePages('security.list', { kind: 'vulnerability', limit: 200 }, { every: 60_000 })
  const whole = useWhole('security.list', { kind: 'vulnerability', limit: 1 }, { every: 60_000 })
  const pages = found.data?.pages.length ?? 0
  const { hasNextPage, isFetching, fetchNextPage } = found
  useEffect(() => {
    if (hasNextPage && !isFetching && pages < mostPages) void fetchNextPage()
  }, [hasNextPage, isFetching, pages, fetchNextPage])
  const weak = grouped(found.items)
  return (
    <Page
      title={t('Weaknesses')}
      about={t('Known vulnerabilities on all sites, by the plugin, theme or WordPress that has them; the worst first.')}
    >
      {found.error && <Trouble error={found.error} again={() => void found.refetch()} />}
      {whole.data?.feed === null && (
        <p>
          <State tone="unknown">{t('Not known')}</State>{' '}
          <T
            message="There is no feed of vulnerabilities, so they are not looked for. <a>What to do</a>"
            a={(words) => <Link href="/settings/service">{words}</Link>}
          />
        </p>
      )}
      {whole.data?.feed &&
        whole.data.gaps.map((gap) => (
          <p className="soft" key={gap}>
            {gap}
          </p>
        ))}
      {found.isPending || whole.isPending ? (
        <Waiting rows={6} />
      ) : weak.length === 0 ? (
        <Empty title={t('None is known')}>
          {whole.data?.feed ? t('As far as the inventories and the feed tell.') : t('Nobody has looked, which is not the same as none.')}
        </Empty>
      ) : (
        <table className="rows stack">
          <thead>
            <tr>
              <th scope="col">{t('What')}</th>
              <th scope="col">{t('Worst')}</th>
              <th scope="col">{t('Sites')}</th>
              <th scope="col">{t('Weaknesses')}</th>
            </tr>
          </thead>
          <tbody>
            {weak.map(({ key, type, slug, name, severity, sites, titles }) => (
              <tr key={key}>
                <td>
                  <Link href={`/updates/${type}/${encodeURIComponent(slug)}`} className="name">
                    {name}
                  </Link>{' '}
                  <small>{plainly(type)}</small>
                </td>
                <td>
                  <State tone={tones[severity]}>{plainly(severity)}</State>
                </td>
                <td data-label={t('Sites')}>{sites.size}</td>
                <td>
                  <small>
                    {titles.size > 3
                      ? t('{titles} and {more} more', { titles: [...titles].slice(0, 3).join('; '), more: titles.size - 3 })
                      : [...titles].join('; ')}
                  </small>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasNextPage && pages >= mostPages && (
        <p className="soft">
          <T
            message="Of {findings, plural, one {# finding} other {# findings}} the worst {items} are shown."
            findings={found.total}
            items={found.items.length}
          />
        </p>
      )}
    </Page>
  )
}

function grouped(findings: Finding[]): Weak[] {
  const by = new Map<string, Weak>()
  for (const { component, severity, site_id, title } of findings) {
    if (!component || !['core', 'plugin', 'theme'].includes(component.type)) continue
    const key = `${component.type} ${component.slug}`
    const { type, slug, name } = component
    const weak = by.get(key) ?? { key, type, slug, name: name || slug, severity, sites: new Set(), titles: new Set() }
    weak.sites.add(site_id)
    weak.titles.add(title)
    by.set(key, weak)
  }
  return [...by.values()]
}
