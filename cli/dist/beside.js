// What an answer tells beside its rows: how many of what there are in all, how fresh it is. In words, because it has no columns.
import { cell, counted, isId, nothing, number, ofNull, titleOf } from './cell.js'
import { plain } from './describe.js'
                                           
                                             
import { clean, cut, wrap } from './text.js'

/** Of one fact; how many more there are is said. */
const most = 8
/** The pages are told below the table, and what nobody looked at in a notice. */
const toldElsewhere = ['total', 'limit', 'next_cursor', 'gaps', 'unknown']

/** A line for each, wrapped; numbers share one. Nothing for what says nothing. */
export function besideLines(terminal          , { properties = {} }        , beside                         )           {
  const fields = Object.entries(beside)
    .filter(([field]) => !toldElsewhere.includes(field))
    .map(([field, value]) => ({ field, value, schema: properties[field] ?? {} }))
  const numbers = fields.flatMap(({ field, value, schema }) => figure(terminal, field, schema, value))
  const facts = fields.flatMap(({ field, value, schema }) => factLines(terminal, field, schema, value))
  return [...(numbers.length > 0 ? [numbers.join(', ')] : []), ...facts].flatMap((text) =>
    wrap(text, terminal.width).map((line) => cut(line, terminal.width)),
  )
}

/** One number, a number nobody knows, or how long a history is, which is no summary of anything. */
function figure(terminal          , field        , schema        , value         )           {
  if (Array.isArray(value)) return isHistory(schema) && value.length > 0 ? [`${titleOf(field)}: ${value.length}`] : []
  if (value === null) return ofNull(schema) === nothing ? [] : [`${titleOf(field)}: ${ofNull(schema)}`]
  return typeof value === 'number' ? [`${titleOf(field)}: ${cell(terminal, field, schema, value).text}`] : []
}

/** Each of its items happened at a time. */
const isHistory = (schema        ) =>
  Object.values(plain(plain(schema).items ?? {}).properties ?? {}).some(({ format }) => format === 'date-time')

function factLines(terminal          , field        , schema        , value         )           {
  if (value === null || value === undefined || typeof value === 'number' || isHistory(schema)) return []
  if (Array.isArray(value))
    return labelled(
      field,
      shortened(
        value.map((each) => phrase(terminal, plain(schema).items ?? {}, each)),
        '; ',
      ),
    )
  if (typeof value !== 'object') return labelled(field, cell(terminal, field, schema, value).text)
  const facts = Object.entries(value)
  const { properties } = plain(schema)
  if (!properties) return labelled(field, tally(facts))
  const isTally = (name        ) => typeof properties[name] === 'object' && isMap(properties[name])
  const own = facts.filter(([name]) => !isTally(name))
  const isNone = own.length > 0 && own.length === facts.length && own.every(([, each]) => each === 0)
  return [
    ...facts.flatMap(([name, each]) => (isTally(name) ? labelled(name, tally(Object.entries(each ?? {}))) : [])),
    ...(isNone ? [`${titleOf(field)}: none`] : labelled(field, phrase(terminal, schema, Object.fromEntries(own)))),
  ]
}

/** What is counted says by itself what it is. */
const labelled = (field        , text        ) => (text === '' ? [] : [field === 'counts' ? text : `${titleOf(field)}: ${text}`])

/** Numbers by names that nobody knows beforehand. */
const isMap = (schema        ) => plain(schema).type === 'object' && plain(schema).properties === undefined

/** `{"6.8": 3, "7.0": 12}` → `7.0 (12), 6.8 (3)`. */
const tally = (counts                     ) =>
  shortened(
    counts.toSorted(([, a], [, b]) => Number(b) - Number(a)).map(([name, count]) => `${clean(name)} (${count})`),
    ', ',
  )

function shortened(texts          , between        )         {
  const filled = texts.filter((text) => text !== '')
  return [...filled.slice(0, most), ...(filled.length > most ? [`and ${filled.length - most} more`] : [])].join(between)
}

/** A record in words: what it is called, then what is counted and known of it. Ids and zeros go unsaid. */
function phrase(terminal          , schema        , value         )         {
  if (value === null || typeof value !== 'object') return cell(terminal, '', schema, value).text
  const { properties = {} } = plain(schema)
  const parts = Object.entries(value)
    .filter(([field]) => !isId(field))
    .map(([field, each]) => ({ names: isName(properties[field] ?? {}, each), text: part(terminal, field, properties[field] ?? {}, each) }))
    .filter(({ text }) => text !== '')
  const called = parts.filter(({ names }) => names).map(({ text }) => text)
  return [...(called.length > 0 ? [called.join(' ')] : []), ...parts.filter(({ names }) => !names).map(({ text }) => text)].join(', ')
}

const isName = (schema        , value         ) => typeof value === 'string' && plain(schema).format !== 'date-time'

/** Of a record in words: `3 findings`, `checked 2 h ago`, `never checked`, `not full`. A site's own words are left to where they are marked. */
function part(terminal          , field        , schema        , value         )         {
  const title = titleOf(field)
  const done = title.replace(/ ?at$/, '')
  if (value === null || value === undefined) return ofNull(schema) === nothing ? '' : `${ofNull(schema)} ${done}`
  if (typeof value === 'boolean') return value ? title : `not ${title}`
  if (typeof value === 'number') return value === 0 ? '' : `${number(field, value)} ${counted(value, title)}`
  if (typeof value === 'string') return `${isName(schema, value) ? '' : done} ${cell(terminal, '', schema, value).text}`.trim()
  if (Array.isArray(value) || 'untrusted' in (value          )) return ''
  const inner = phrase(terminal, schema, value)
  return inner === '' ? '' : `${title} (${inner})`
}
