// Triggers and events in a dump: behind all rows, so that none acts while these arrive.
import { withoutLiterals } from './definition.ts'
import type { DatabaseEvent, TableEntry, TableTrigger } from './manifest.ts'
import { quoted } from './sql-name.ts'

// Not among the characters that are taken outside of texts and names.
const END = '$$svc$$'
// A client reads comments and backslashes in its own way, and acts on words of its own.
const UNFIT = /[^\w\s.,:;()=<>!+\-*/%&|^~'"`@]|[^\S \n\t\r]|--|\/\*|\*\/|delimiter/i
const SETTING = /^[\w,+:/-]*$/
const DEFINER = /^(CREATE\s+)DEFINER=`(?:[^`]|``)*`(?:@`(?:[^`]|``)*`)?\s+/i
const MISSING =
  '\n-- A trigger or an event is missing here, because its definition is not a plain one. The backup has it, and a restore makes it.\n'

/** The statements that make the triggers of a table. */
export const triggersOf = ({ triggers = [] }: Pick<TableEntry, 'triggers'>): string[] =>
  triggers.map((trigger) => statement('TRIGGER', trigger))

/** The statements that make events. */
export const eventsIn = (events: DatabaseEvent[]): string[] => events.map((event) => statement('EVENT', event))

function statement(
  kind: 'TRIGGER' | 'EVENT',
  { name, create, sql_mode, time_zone = '+00:00' }: TableTrigger & { time_zone?: string },
): string {
  const made = create.replace(DEFINER, '$1').trimEnd().replace(/;$/, '')
  const line = plain(made)
  if (
    line === null ||
    /[\p{C}\\]/u.test(name) ||
    !line
      .replace(/^CREATE\s+/i, '')
      .toUpperCase()
      .startsWith(kind) ||
    !SETTING.test(sql_mode) ||
    !SETTING.test(time_zone)
  )
    return MISSING
  return `\nDROP ${kind} IF EXISTS ${quoted(name)};\nSET sql_mode = '${sql_mode}', time_zone = '${time_zone}';\nDELIMITER ${END}\n${line}${END}\nDELIMITER ;\nSET sql_mode = 'NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00';\n`
}

// With --named-commands a client looks for its commands at the beginning of each line.
const LINE =
  /^\s*(?:$|[`(),.@'"]|(?:BEFORE|AFTER|ON|FOR|BEGIN|END|IF|ELSE|ELSEIF|CASE|WHEN|SET|DECLARE|INSERT|UPDATE|DELETE|REPLACE|SELECT|INTO|VALUES|FROM|WHERE|AND|OR|NOT|JOIN|LEFT|INNER|ORDER|GROUP|HAVING|LIMIT|WHILE|LOOP|REPEAT|UNTIL|LEAVE|ITERATE|CALL|SIGNAL|NEW|OLD)\b)/i

/** On lines that begin as SQL does, or else on one. Null: not plain. */
function plain(sql: string): string | null {
  const bare = withoutLiterals(sql)
  if (!bare || UNFIT.test(bare.text)) return null
  return bare.text
    .split(/[\r\n]+/)
    .slice(1)
    .every((line) => LINE.test(line))
    ? sql
    : joined(sql)
}

/** Without the line feeds that are outside of texts and names. */
const joined = (sql: string) =>
  sql.replace(/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`|[\r\n]+/gs, (part) => (/^[\r\n]/.test(part) ? ' ' : part))
