// What a site calls the making of a table or view. Whoever imports a dump hands it to a client, which acts on commands outside of texts and
// names (`\!`, `delimiter`), and to a server; so it is that one statement, as SHOW CREATE writes it, or it stands in no dump.
import type { TableEntry } from './manifest.ts'
import { quoted } from './sql-name.ts'

export type Definition = Pick<TableEntry, 'name' | 'kind' | 'create'> & { columns: readonly { name: string }[] }

/** How MySQL 8 says whether a table is encrypted on its disk. */
const ENCRYPTION = / \/\*!80016 ENCRYPTION='[YN]' \*\//g

/** Why it cannot stand in a dump; null: nothing is against it. The words are ours alone. */
export function doubtOf({ name, kind, create, columns }: Definition): string | null {
  // Old clients take a backslash for an escape inside of names as well.
  if ([name, ...columns.map((column) => column.name)].some((each) => /[\p{C}\\]/u.test(each))) return 'a name in it is not plain'
  const bare = withoutLiterals(create.trimEnd().replace(/;$/, '').replace(ENCRYPTION, ' '))
  const readings = bare ? [conditions(bare.text, true), conditions(bare.text, false)] : []
  const [first, other] = readings.map((text) => (text !== null && isPlain(text) ? text.trimEnd() : null))
  if (!bare || !first || !other) return `its definition is not one statement that makes a ${kind}`
  const judge = kind === 'view' ? doubtOfView : doubtOfTable
  return judge({ ...bare, text: first }, name) ?? judge({ ...bare, text: other }, name)
}

// What the connector takes in no definition (Dump::FORBIDDEN), foreign keys aside.
const NOT_RESTORED =
  /;|--|#|\/\*|@|\b(?:SELECT|LIKE|UNION|CONNECTION|DIRECTORY|FEDERATED|CONNECT|SPIDER|MERGE|MRG_MYISAM|REFERENCES|FOREIGN|TEMPORARY|REPLACE|EXISTS|TABLESPACE|INTO|CALL|SYSTEM|VERSIONING|S3|CSV|BLACKHOLE|OQGRAPH|SEQUENCE)\b/i
const COLUMNS = '\\(``(?:, ``)*\\)'
const KEY = new RegExp(
  `^  CONSTRAINT \`\` FOREIGN KEY ${COLUMNS} REFERENCES \`\`(?:\\.\`\`)? ${COLUMNS}(?: ON (?:DELETE|UPDATE) (?:RESTRICT|CASCADE|SET NULL|NO ACTION|SET DEFAULT)){0,2},?$`,
  'gm',
)

/** Why a table of this definition cannot be put back by a restore; null: it can. `conditional`: also what stands in conditional comments. */
export function hindranceOf({ create }: Pick<Definition, 'create'>, conditional: boolean): string | null {
  const bare = withoutLiterals(conditional ? create.replace(ENCRYPTION, ' ') : create)
  const text = bare && conditional ? conditions(bare.text, true) : bare?.text
  if (typeof text === 'string' && create.length <= 512 * 1024 && !NOT_RESTORED.test(text.replace(KEY, ''))) return null
  return `its definition has something a restore does not make, like ${conditional ? '' : 'a conditional comment or '}versions of rows`
}

/** `text`: with '' for each text and `` for each name; `names` as they were. */
type Bare = { text: string; names: string[] }

/** Null: a quote does not end, or clients do not agree on where. */
export function withoutLiterals(sql: string): Bare | null {
  const names: string[] = []
  let text = ''
  for (let at = 0; at < sql.length; at++) {
    const quote = sql[at] ?? ''
    text += quote
    if (!`'"\``.includes(quote)) continue
    const end = closing(sql, at, quote)
    if (end === -1) return null
    if (quote === '`') names.push(sql.slice(at, end + 1))
    text += quote
    at = end
  }
  return { text, names }
}

/** Where the quote that opens here closes; -1: nowhere, or something stands in between that clients do not agree on. */
function closing(sql: string, from: number, quote: string): number {
  for (let at = from + 1; at < sql.length; at++) {
    const character = sql[at] ?? ''
    if ('\0\r\x1a'.includes(character) || (character === '\\' && (quote === '`' || '\0\n\r\x1a'.includes(sql[at + 1] ?? '\0')))) return -1
    if (character === '\\') at += 1
    else if (character === quote) {
      if (sql[at + 1] !== quote) return at
      at += 1
    }
  }
  return -1
}

/** What is in a conditional comment some servers read and some do not. Where not all do, nothing but words is taken. */
function conditions(text: string, read: boolean): string | null {
  let out = ''
  let from = 0
  for (let at = text.indexOf('/*'); at !== -1; at = text.indexOf('/*', from)) {
    const end = text.indexOf('*/', at)
    const [, version, words = ''] = /^\/\*M?!(\d{5,6}) ?(.*)$/s.exec(text.slice(at, end === -1 ? at : end)) ?? []
    const byAll = /^50[0-6]\d\d$/.test(version ?? '') && text[at + 2] === '!'
    if (version === undefined || !(byAll || /^[\w =]*$/.test(words))) return null
    out += `${text.slice(from, at)} ${byAll || read ? words : ''} `
    from = end + 2
  }
  return out + text.slice(from)
}

const UNFIT = /[^\w\s.,()=<>!+\-*/%&|^~'"`@]|[^\S \n\t]|--|\/\*|\*\/|delimiter/i
// With --named-commands a client looks for its commands at the beginning of each line.
const LINE = /^\s*(?:$|[`(),]|(?:PRIMARY|UNIQUE|KEY|FULLTEXT|SPATIAL|VECTOR|CONSTRAINT|CHECK|PERIOD|PARTITIONS?|SUBPARTITIONS?)\b)/i
const isPlain = (text: string) =>
  !UNFIT.test(text) &&
  text
    .split('\n')
    .slice(1)
    .every((line) => LINE.test(line))

function doubtOfView({ text, names }: Bare, name: string): string | null {
  const head = /^(CREATE(?: ALGORITHM=\w+)?(?: DEFINER=``(?:@``)?)?(?: SQL SECURITY \w+)? VIEW )``(?: ?\([`, ]*\))? AS /i.exec(text)?.[1]
  if (head === undefined || names[head.split('``').length - 1] !== quoted(name)) return 'its definition does not make this view'
  return /\bINTO\b|@/i.test(text.slice(head.length)) ? 'its definition is more than that of a view' : null
}

const WORDS_ELSEWHERE = /\b(?:SELECT|CONNECTION|DIRECTORY|INTO|TABLE)\b|\bVALUES\b(?!\s+(?:LESS\s+THAN|IN)\b)/i
// Each option has a value, so that nothing fits in between which would fill the table.
const OPTION = "(?:(?:DEFAULT )?(?:\\w+|``)(?: SET)? ?= ?(?:[\\w.]+|''|``)|WITH SYSTEM VERSIONING|TABLESPACE ``(?: STORAGE \\w+)?)"
const OPTIONS = new RegExp(`^(?:[\\s,]+${OPTION})*(?:\\s+PARTITION BY [\\w\\s.,()=<>+\\-*/%'"\`]+)?$`, 'i')
/** Engines whose tables hold their rows themselves, where the server puts them. */
const ENGINES = 'InnoDB|XtraDB|MyISAM|Aria|MEMORY|HEAP|ARCHIVE|CSV|BLACKHOLE|ROCKSDB|TokuDB|NDB|NDBCLUSTER|Mroonga|ColumnStore'
const OTHER_ENGINE = new RegExp(`\\bENGINE\\b(?! ?= ?(?:${ENGINES})\\b)`, 'i')

function doubtOfTable({ text, names }: Bare, name: string): string | null {
  const head = /^CREATE TABLE ``\s*\((?=\s*``)/.exec(text)?.[0]
  if (head === undefined || names[0] !== quoted(name)) return 'its definition does not make this table'
  const end = behindList(text, head.length)
  const options = text.slice(end)
  if (end === -1 || WORDS_ELSEWHERE.test(text.slice(head.length)) || /\bAS\b/i.test(options) || !OPTIONS.test(options))
    return 'its definition is more than columns, keys and options, or takes something from elsewhere'
  return OTHER_ENGINE.test(options) ? 'its rows lie elsewhere' : null
}

/** Behind the parenthesis that closes the list of columns; -1: none does. */
function behindList(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    else if (text[at] === ')' && --depth === 0) return at + 1
  }
  return -1
}
