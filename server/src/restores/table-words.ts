// Why a table does not come back, or not whole, in words for people.
import type { TableRange } from '../backups/engine/manifest.ts'
import { showRow } from '../backups/engine/skipped-rows.ts'
import { counted } from '../kernel/job.ts'
import { called, plainWord } from '../kernel/site-said.ts'

type Orphan = { table: string; key: string; rows: number }
type Ranged = { name: string; ranges: TableRange[]; live: boolean }

const shown = 5

/** Rows that were too large for the backup. */
export const lacking = (ranges: TableRange[]) => ranges.flatMap(({ skipped = [] }) => skipped)

function inWords(ranges: TableRange[]): string {
  const rows = lacking(ranges)
  const some = rows.slice(0, shown).map(showRow).join('; ')
  return rows.length > shown ? `${some}; and ${rows.length - shown} more` : some
}

export const missing = (name: string, why: string) =>
  `The table ${called(name)} does not come back, because the backup does not have it: ${why}. What the site has under that name stays as it is.`

export const staying = ({ name, ranges }: Ranged) =>
  `The table ${called(name)} stays as it is on the site, because the backup lacks what was too large for it: ${inWords(ranges)}. Name table:${plainWord(name) ?? '…'} in include to bring the table back without.`

export const coming = ({ name, ranges, live }: Ranged) =>
  `The table ${called(name)} comes back without what was too large for the backup: ${inWords(ranges)}.${live ? ' Where the site still has it, it goes with this restore.' : ''}`

export const hindered = ({ name, why, live }: { name: string; why: string; live: boolean }) =>
  live
    ? `The table ${called(name)} stays as it is on the site: ${why}.`
    : `The table ${called(name)}, which the site has lost, does not come back: ${why}.`

/** `what` hangs on a table, as a site calls it, and the database does not let its user make it; or the table itself is not made. */
export const unmakeable = ({ name, what, live }: { name: string; what: string; live: boolean }) => {
  if (what === 'definition') return hindered({ name, why: 'the database of the site does not make a table as the backup has it', live })
  if (what === 'keys')
    return hindered({
      ...{ name, live },
      why: `a foreign key between it and another table could not be made ${live ? 'again' : 'there'}, because the two do not fit each other, or the database does not let the site’s user make any`,
    })
  const unmade = 'the database does not let the site’s user make triggers'
  return hindered({ name, why: `${unmade}, ${live ? 'so what hangs on it would be lost' : 'and some hang on it'}`, live })
}

/** Definitions that were not tried on the site, or of which a key was not. */
export const untried = (names: string[]) =>
  `That the database of the site makes these tables and their foreign keys as the backup has them was not tried in full beforehand; if it refuses one, the restore ends, and what the site has stays: ${someOf(names)}.`

export const withoutTriggers = (name: string) =>
  `The table ${called(name)}, which the site has lost, comes back without its triggers: the database does not let the site’s user make any.`

export const unseenTriggers =
  'The database does not show triggers to the site’s user: should tables that are replaced have any, those go with them, and only an undo brings them back.'

export const later = (name: string) => `The event ${called(name)}, which the backup does not have, goes.`

export const needed = (name: string) =>
  `The table ${called(name)}, which the backup does not have, stays: tables that are not restored refer to it.`

const someOf = (names: string[]) =>
  `${names.slice(0, shown).map(called).join(', ')}${names.length > shown ? `, and ${names.length - shown} more` : ''}`

export const neighbours = (names: string[]) =>
  `The backup has tables of another WordPress in the same database; they are left alone: ${someOf(names)}.`

/** Of somebody else's rows after an exchange of tables. */
const orphaned = ({ table, key, rows }: Orphan) =>
  `By the key ${called(key)}, ${counted(rows, 'row of the table refers', 'rows of the table refer')} to what is not there as the site is now: ${called(table)}.`

/** Of somebody else's rows, where there was no time to look at them all. */
const unlookedAt = (keys: number) =>
  `Whether rows refer to what is not there as the site is now was not looked at to the end: ${counted(keys, 'key between a table that was exchanged and another', 'keys between tables that were exchanged and others')} would have taken too long.`

/** What could not be made again, the first of it by name. */
export const lostOnes = (names: string[]) => [
  ...names.slice(0, shown).map(lost),
  ...(names.length > shown ? [`And ${names.length - shown} more could not be made again.`] : []),
]

const lost = (name: string) =>
  `The key, trigger, view or event ${called(name)} could not be made again: the database refuses its definition as the site is now.`

/** What an exchange of tables, there or back, left behind. */
export const left = ({
  lacks = [],
  orphans = [],
  unlooked = 0,
}: {
  lacks?: string[] | undefined
  orphans?: Orphan[] | undefined
  unlooked?: number | undefined
}) => [...lacks.map(lost), ...orphans.map(orphaned), ...(unlooked > 0 ? [unlookedAt(unlooked)] : [])]
