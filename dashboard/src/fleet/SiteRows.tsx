import { memo, startTransition, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { t } from '../text.ts'
import { hostOf } from '../words.ts'
import { type ColumnName, columnOf, type FleetSite } from './columns.tsx'

interface RowsParts {
  sites: FleetSite[]
  shown: readonly ColumnName[]
  /** Undefined: nothing can be chosen. */
  chosen?: ReadonlySet<string> | undefined
  choose: (ids: string[], on: boolean) => void
}

/** As many as a window shows at first; the others are added so many at a time. */
const atOnce = 10

/** How many rows are drawn: all in the end, in steps that let a finger or a key come between. */
function useGrowing(wanted: number): number {
  const [drawn, setDrawn] = useState(atOnce)
  useEffect(() => {
    if (drawn >= wanted) return
    const timer = setTimeout(() => startTransition(() => setDrawn(drawn + atOnce)))
    return () => clearTimeout(timer)
  }, [drawn, wanted])
  return drawn
}

/** Real rows, so that a browser's own search and a screen reader find them. */
export const SiteRows = memo(({ sites, shown, chosen, choose }: RowsParts) => {
  const drawn = useGrowing(sites.length)
  return (
    <table className="rows stack">
      <thead>
        <tr>
          {chosen && (
            <th scope="col" className="pick">
              <span className="sr">{t('Chosen')}</span>
            </th>
          )}
          <th scope="col">{t('Site')}</th>
          {shown.map((name) => (
            <th scope="col" key={name}>
              {columnOf(name).label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sites.slice(0, drawn).map((site) => (
          <Row key={site.id} site={site} shown={shown} chosen={chosen?.has(site.id)} choose={choose} />
        ))}
      </tbody>
    </table>
  )
})

interface RowParts extends Pick<RowsParts, 'shown' | 'choose'> {
  site: FleetSite
  chosen?: boolean | undefined
}

const Row = memo(({ site, shown, chosen, choose }: RowParts) => {
  const name = site.name || hostOf(site.url)
  return (
    <tr>
      {chosen !== undefined && (
        <td className="pick">
          <input
            type="checkbox"
            aria-label={t('Choose {name}', { name })}
            checked={chosen}
            onChange={(event) => choose([site.id], event.currentTarget.checked)}
          />
        </td>
      )}
      <td>
        <Link href={`/sites/${site.id}`} className="name">
          {name}
        </Link>
        <br />
        <small>
          {hostOf(site.url)}
          {site.client && ` · ${site.client}`}
        </small>{' '}
        <span className="tags">
          {site.tags.map((tag) => (
            <span className="tag" key={tag}>
              {tag}
            </span>
          ))}
        </span>
      </td>
      {shown.map((column) => {
        const { label, isNamed, show } = columnOf(column)
        return (
          <td key={column} {...(isNamed && { 'data-label': label })}>
            {show(site)}
          </td>
        )
      })}
    </tr>
  )
})
