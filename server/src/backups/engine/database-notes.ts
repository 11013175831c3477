// What of a database no backup has, and what a restore will leave as it is: said with the backup, not when it is needed.
import type { Result } from '../../connector/commands.ts'
import { counted } from '../../kernel/job.ts'
import { called } from '../../kernel/site-said.ts'
import { hindranceOf } from './definition.ts'

type TableList = Pick<
  Result<'db.tables'>,
  'tables' | 'beside' | 'unnamed' | 'hindered' | 'other_events' | 'routines' | 'unseen' | 'conditional'
>

/** Of each kind: what is beyond is counted in the last line. */
const shown = 30

/** In words of ours. */
export function databaseNotes(found: TableList): string[] {
  const { tables, beside = [], unnamed, hindered = [], other_events = [], routines = 0, unseen = [], conditional = false } = found
  const stay = [
    ...hindered.map(({ table, why }) => ({ table, why: hindranceCalled(why) })),
    ...tables.flatMap((table) => {
      const why = table.kind === 'table' ? hindranceOf(table, conditional) : null
      return why === null ? [] : [{ table: table.name, why }]
    }),
  ]
  return [
    ...beside.slice(0, shown).map(besideNote),
    ...andMore(
      beside.length + (unnamed?.beside ?? 0),
      (more) => `And ${counted(more, 'more installation of WordPress', 'more installations of WordPress')}.`,
    ),
    ...other_events.slice(0, shown).map(otherEventNote),
    ...andMore(other_events.length, (more) => `And ${counted(more, 'more event')}.`),
    ...(routines > 0
      ? [
          `The database has ${counted(routines, 'function or procedure', 'functions and procedures')}, of this site or of others: in no backup.`,
        ]
      : []),
    ...unseen.map(unseenNote),
    ...stay.slice(0, shown).map(({ table, why }) => `The table ${called(table)} is in the backup, but a restore leaves it alone: ${why}.`),
    ...andMore(stay.length, (more) => `And ${counted(more, 'more table')}.`),
  ]
}

const andMore = (all: number, inWords: (more: number) => string) => (all > shown ? [inWords(all - shown)] : [])

const besideNote = (prefix: string) =>
  `Another WordPress lives in the same database; its tables, with the prefix ${called(prefix)}, are left alone.`

/** That the backup does not have an event that was there. */
const otherEventNote = (name: string) =>
  `The event ${called(name)} is in no backup: it is somebody else’s, or of several who share the database.`

/** That the backup does not know whether there are any. */
const unseenNote = (what: string) =>
  `The database does not show ${whatIsCalled(what)} to the site’s user: should there be any, they are not in the backup.`

const whatIsCalled = (what: string) => (what === 'EVENT' ? 'events' : 'triggers')

/** What stands in the way of exchanging a table, as a site calls it. */
export const hindranceCalled = (why: string): string =>
  why === 'elsewhere' ? 'a table of another database refers to it' : 'one of its triggers cannot be made again'
