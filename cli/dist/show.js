import { besideLines } from './beside.js'
import { cell, isId, isNullable, nothing, ofNull, titleOf, titlesOf } from './cell.js'
import { answerOf, plain, rowsOf, typeOf } from './describe.js'
                                                  
                                              
import { paint, table } from './table.js'
                                             
import { clean, fold, widthOf, wrap } from './text.js'

/** A list as a table, below what stands beside it; anything else as its fields, one a line. */
export function show(terminal          , entry       , answer         )       {
  const { rows, columns } = entry
  const hidden = new Set        ()
  const view       = { terminal, rows, columns, hidden }
  const items = rowsOf(entry, answer)
  if (items) showList(view, entry, answer, items)
  else if (answer !== null && typeof answer === 'object') for (const line of record(view, answerOf(entry), answer, '')) terminal.out(line)
  else terminal.out(cell(terminal, '', {}, answer).text)
  const what = hidden.size === 1 ? 'column does' : 'columns do'
  const left = `${hidden.size} ${what} not fit here: ${[...hidden].join(', ').toLowerCase()}. --json shows everything.\n`
  if (hidden.size > 0) terminal.err(fold(left, terminal.errWidth))
}

function showList(view      , entry       , answer         , items           )       {
  const { terminal, columns } = view
  const { [entry.list ?? '']: _, ...beside } = Array.isArray(answer) ? {} : (answer                           )
  const above = besideLines(terminal, plain(entry.output ?? {}), beside)
  for (const line of above) terminal.out(line)
  if (items.length === 0) return void terminal.err('Nothing here.\n')
  if (above.length > 0) terminal.out('')
  for (const line of listLines(view, items, plain(answerOf(entry)).items ?? {}, { width: terminal.width, columns })) terminal.out(line)
}

                
                    
                          
                               
                                                      
                     
 

                 
               
                                
 

/** Of items whose columns nobody has ordered: what became of them comes first, ids last. */
const first = ['tweak_id', 'slug', 'name', 'check', 'status', 'will', 'state', 'from_version', 'to_version', 'reason', 'risk']

/** An id that is one of a few words is a name, which is typed. */
function inOrder(fields          , schemas                        )           {
  const isName = (field        ) => field === 'id' && plain(schemas[field] ?? {}).enum !== undefined
  const place = (field        ) =>
    isName(field) ? -1 : first.includes(field) ? first.indexOf(field) : isId(field) ? first.length + 1 : first.length
  return fields.toSorted((a, b) => place(a) - place(b))
}

function listLines({ terminal, hidden }      , items           , item        , { width, columns }       )           {
  const schemas = plain(item).properties ?? {}
  const known = Object.keys(schemas)
  const named = known.length > 0 ? known.filter((name) => isShort(schemas[name] ?? {})) : Object.keys(items[0] ?? {})
  const ordered = columns ?? inOrder(named, schemas)
  const isWorth = (field        ) => items.some((each) => isTold(field, schemaOf(item, field, each), fieldOf(each, field)))
  const titles = titlesOf(ordered).filter((_, i) => isWorth(ordered[i] ?? ''))
  const fields = ordered.filter(isWorth)
  const rows = items.map((each) => fields.map((field) => cell(terminal, field, schemaOf(item, field, each), fieldOf(each, field))))
  const made = table(
    titles.map((title) => title.toUpperCase()),
    rows,
    width,
    terminal.colour,
  )
  for (const title of made.hidden) hidden.add(title)
  return made.lines
}

/** Whether a column is worth its room for this: nothing is not, and what was not counted is not. */
function isTold(field        , schema        , value         )          {
  if (field.endsWith('_count')) return (value ?? 0) !== 0
  return Array.isArray(value) && value.length === 0 ? isNullable(schema) : (value ?? ofNull(schema)) !== nothing
}
/** Whether it fits into a cell: anything but a list of objects. */
const isShort = (schema        ) => typeOf(schema) !== 'array' || typeOf(plain(schema).items ?? {}) !== 'object'
/** `update.version` is the version of the update. */
const fieldOf = (record         , path        )          =>
  path.split('.').reduce((value, name) => (value                                              )?.[name], record)
/** Of the last part of the path; the first one that is null says why there is nothing. */
function schemaOf(item        , path        , value         )         {
  const [name = '', ...rest] = path.split('.')
  const schema = plain(item).properties?.[name] ?? {}
  const inner = fieldOf(value, name)
  if (rest.length === 0) return schema
  const last = schemaOf(schema, rest.join('.'), inner)
  return (inner ?? null) === null ? { ...last, description: schema.description ?? '' } : last
}

function record(view      , schema        , answer        , indent        )           {
  const { terminal } = view
  const entries = Object.entries(answer)
  const widest = Math.max(0, ...entries.map(([field]) => titleOf(field).length))
  return entries.flatMap(([field, value]) => {
    const inner = plain(schema).properties?.[field] ?? {}
    const title = `${indent}${paint(titleOf(field).padEnd(widest), 'dim', terminal.colour)}  `
    const columns = indent === '' && field === view.rows ? view.columns : undefined
    const below = under(view, inner, value, { indent: `${indent}  `, columns })
    if (below) return [title.trimEnd(), ...below]
    const { text, paint: shade } = cell(terminal, field, inner, value)
    const room = Math.max(20, terminal.width - indent.length - widest - 2)
    const [line = '', ...more] = wrap(text, room)
    // What cannot be broken, an id for one, stands below where it does not fit beside its name.
    if ([line, ...more].some((each) => widthOf(each) > room))
      return [
        title.trimEnd(),
        ...wrap(text, terminal.width - indent.length - 2).map((each) => `${indent}  ${paint(each, shade, terminal.colour)}`),
      ]
    return [title + paint(line, shade, terminal.colour), ...more.map((each) => ' '.repeat(indent.length + widest + 2) + each)]
  })
}

/** What does not fit behind a field's name: a list of records as a table, a record as its fields. */
function under(
  view      ,
  schema        ,
  value         ,
  { indent, columns }                                                   ,
)                       {
  if (value === null || typeof value !== 'object') return undefined
  if (!Array.isArray(value)) return Object.keys(value).length > 0 ? record(view, schema, value, indent) : undefined
  if (!value.some((each) => each !== null && typeof each === 'object')) return undefined
  const width = view.terminal.width - indent.length
  if (value.every(isCommand)) return value.flatMap((each) => commandLines(each, width)).map((line) => indent + line)
  return listLines(view, value, plain(schema).items ?? {}, { width, columns }).map((line) => (line === '' ? '' : indent + line))
}

const isCommand = (value         )                    => typeof (value                   )?.command === 'string'
/** What may be typed next can be copied, however narrow it is here. */
const commandLines = ({ why, command }          , width        ) => fold(`${clean(why)}\n    ${clean(command)}`, width).split('\n')
