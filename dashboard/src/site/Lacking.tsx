// What a backup does not hold, and what it holds from elsewhere, as its record tells it.
import { T, t } from '../text.ts'
import type { Backup } from './nouns.ts'

/** What is said of so many things, and names of some of them, which the site gave. */
interface Part {
  count: number
  words: string
  names: readonly string[]
}

/** Names of each kind that are shown. */
const most = 10

/** What is not in it. */
function lacks({ unreadable_count, outside_count, skipped_rows, omitted }: Backup): Part[] {
  const [unreadable, outside, rows, names] = [unreadable_count ?? 0, outside_count ?? 0, skipped_rows?.count ?? 0, omitted?.tables ?? []]
  const tables = names.length + (omitted?.more?.tables ?? 0)
  return [
    {
      count: unreadable,
      words: t('Lacks {files, plural, one {# file that could not be read} other {# files that could not be read}}', { files: unreadable }),
      names: omitted?.unreadable ?? [],
    },
    {
      count: outside,
      words: t('Lacks what is behind {places, plural, one {# place that leads} other {# places that lead}} out of the site', {
        places: outside,
      }),
      names: omitted?.outside ?? [],
    },
    {
      count: rows,
      words: t('Lacks {rows, plural, one {# row that was too large} other {# rows that were too large}} for the site to send', { rows }),
      names: skipped_rows?.sample ?? [],
    },
    {
      count: tables,
      words: t('Lacks {tables, plural, one {# table} other {# tables}}', { tables }),
      names,
    },
  ].filter(({ count }) => count > 0)
}

/** What must be known of what is in it. */
function notes({ changed_count, omitted, roots }: Backup): Part[] {
  const [changed, database, elsewhere] = [changed_count ?? 0, omitted?.database ?? [], roots ?? []]
  const [neighbours, restore, more] = [omitted?.neighbours ?? [], omitted?.restore ?? [], omitted?.more]
  return [
    {
      count: changed,
      words: t('{files, plural, one {# file changed or went} other {# files changed or went}} while it was made', { files: changed }),
      names: omitted?.changed ?? [],
    },
    { count: database.length + (more?.database ?? 0), words: t('Not all of the database is in it, or would be restored'), names: database },
    {
      count: neighbours.length + (more?.neighbours ?? 0),
      words: t('Leaves out another WordPress in a folder of the site'),
      names: neighbours,
    },
    { count: restore.length, words: t('Something stood in the way of a restore when it was made'), names: restore },
    {
      count: elsewhere.length,
      words: t('Holds {places, plural, one {# place} other {# places}} outside of WordPress’s own folders', { places: elsewhere.length }),
      names: elsewhere.map(({ id, path }) => `${path} (${id})`),
    },
  ].filter(({ count }) => count > 0)
}

/** Whether it was completed without something of the site. */
export const isLacking = (backup: Backup) => lacks(backup).length > 0

/** A line for each, which opens to the names. */
export const Lacking = ({ of: backup }: { of: Backup }) =>
  [...lacks(backup), ...notes(backup)].map(({ words, names, count }) => (
    <details key={words} className="soft">
      <summary>{words}</summary>
      <ul>
        {names.slice(0, most).map((name) => (
          <li key={name}>{name}</li>
        ))}
        {names.length > 0 && count > Math.min(most, names.length) && (
          <li>
            <T message="and {more} more" more={count - Math.min(most, names.length)} />
          </li>
        )}
      </ul>
    </details>
  ))
