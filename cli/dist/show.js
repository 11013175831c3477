import { answerOf, plain, typeOf } from './describe.js'
                                                  
                                              
import {            paint, table } from './table.js'
                                             
import { bytes, clean, duration, fold, relative, widthOf, wrap } from './text.js'

const good = /^(completed|connected|ok|up|updated|active|applied|passed)$/
const bad = /^(failed|unreachable|clone_detected|down|critical|high|rolled_back|disconnected)$/
const between = /^(queued|running|pending|paused|awaiting_approval|canceled|medium|skipped)$/

/** A list as a table, anything else as its fields, one a line. */
export function show(terminal          , entry       , answer         )       {
  const { rows, columns } = entry
  const schema = answerOf(entry)
  const hidden = new Set        ()
  const view       = { terminal, rows, columns, hidden }
  if (Array.isArray(answer) && answer.length === 0) terminal.err('Nothing here.\n')
  else if (Array.isArray(answer))
    for (const line of listLines(view, answer, plain(schema).items ?? {}, { width: terminal.width, columns })) terminal.out(line)
  else if (answer !== null && typeof answer === 'object') for (const line of record(view, schema, answer, '')) terminal.out(line)
  else terminal.out(cell(terminal, '', {}, answer).text)
  const what = hidden.size === 1 ? 'column does' : 'columns do'
  const left = `${hidden.size} ${what} not fit here: ${[...hidden].join(', ').toLowerCase()}. --json shows everything.\n`
  if (hidden.size > 0) terminal.err(fold(left, terminal.errWidth))
}

                
                    
                          
                               
                                                      
                     
 

                 
               
                                
 

/** Of items whose columns nobody has ordered: what became of them comes first, ids last. */
const first = ['tweak_id', 'slug', 'name', 'check', 'status', 'will', 'state', 'from_version', 'to_version', 'reason', 'risk']
const isId = (field        ) => field === 'id' || (field.endsWith('_id') && field !== 'tweak_id')

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
  const fields = (columns ?? inOrder(named, schemas)).filter((field) =>
    items.some((each) => isTold(field, schemaOf(item, field, each), fieldOf(each, field))),
  )
  const rows = items.map((each) => fields.map((field) => cell(terminal, field, schemaOf(item, field, each), fieldOf(each, field))))
  const made = table(
    fields.map((field) => titleOf(field).toUpperCase()),
    rows,
    width,
    terminal.colour,
  )
  for (const title of made.hidden) hidden.add(title)
  return made.lines
}

/** Whether a column is worth its room for this: nothing is not, and what was not counted is not. */
const isTold = (field        , schema        , value         ) =>
  field.endsWith('_count') ? (value ?? 0) !== 0 : (value ?? ofNull(schema)) !== nothing
/** Whether it fits into a cell: anything but a list of objects. */
const isShort = (schema        ) => typeOf(schema) !== 'array' || typeOf(plain(schema).items ?? {}) !== 'object'
/** A field's name for people; its unit stands with the value, and a part of it goes by the name of the whole. */
const titleOf = (field        ) =>
  field
    .replace(/\..*/, '')
    .replace(/_(bytes|ms|s|percent)$/, '')
    .replaceAll('_', ' ')
/** `update.version` is the version of the update. */
const fieldOf = (record         , path        )          =>
  path.split('.').reduce((value, name) => (value                                              )?.[name], record)
/** Of the last part of the path that this item has: the first one that is null says why there is nothing. */
function schemaOf(item        , path        , value         )         {
  const [name = '', ...rest] = path.split('.')
  const schema = plain(item).properties?.[name] ?? {}
  const inner = fieldOf(value, name)
  return rest.length === 0 || (inner ?? null) === null ? schema : schemaOf(schema, rest.join('.'), inner)
}

const nothing = '–'
const notKnown =
  /\bnull: [^.,;]*\b(?:never|ever read|nothing was read|not known|looks?|looked|examined|been asked|counted|tells|would not say)\b/
/** What null means there: its description tells where nobody knows, which is not the same as nothing. */
function ofNull({ description = '', ...schema }        )         {
  const [said] = notKnown.exec(description) ?? []
  return said === undefined ? nothing : said.endsWith('never') && plain(schema).format === 'date-time' ? 'never' : 'unknown'
}
const isNullable = (schema        ) => [schema, ...(schema.anyOf ?? [])].some(({ type }) => [type].flat().includes('null'))

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

/** One value for people. Units come from the ends of field names, as everywhere in the API. */
function cell(terminal          , field        , schema        , value         )       {
  if (value === null || value === undefined || value === '') return { text: value === '' ? nothing : ofNull(schema), paint: 'dim' }
  if (typeof value === 'boolean') return { text: value ? 'yes' : 'no' }
  if (typeof value === 'number') return { text: number(field, value), right: true }
  if (Array.isArray(value) && value.length === 0) return { text: isNullable(schema) ? 'none' : nothing }
  if (Array.isArray(value)) return { text: value.map((each) => cell(terminal, field, plain(schema).items ?? {}, each).text).join(', ') }
  if (typeof value === 'object') return { text: inShort(terminal, value) }
  const text = /^(url|home)$/.test(field) ? String(value).replace(/^https?:\/\//, '') : String(value)
  if (plain(schema).format === 'date-time') return { text: terminal.watched ? relative(text, terminal.now()) : clean(text) }
  const shade = good.test(text) ? 'green' : bad.test(text) ? 'red' : between.test(text) ? 'yellow' : undefined
  return { text: clean(text), ...(shade && { paint: shade }) }
}

function number(field        , value        )         {
  if (/(^|_)bytes$|^(bytes|space)_/.test(field)) return bytes(value)
  if (field.endsWith('_ms')) return `${Math.round(value)} ms`
  if (field.endsWith('_s')) return duration(value)
  if (field === 'percent' || field.endsWith('_percent')) return `${Math.round(value)} %`
  return String(value)
}

/** `{core: 0, plugins: 3}` → `3 plugins`; what is nothing goes unsaid, unless all of it is. What has a percentage, a name or a version is that. */
function inShort(terminal          , value        )         {
  const facts = value                           
  const head = ['percent', 'name', 'version'].find((field) => facts[field] !== undefined && facts[field] !== null)
  if (head) return cell(terminal, head, {}, facts[head]).text
  const parts = Object.entries(facts).flatMap(([field, each]) => (field === 'id' ? [] : part(terminal, field, each)))
  const isCount = Object.values(facts).length > 0 && Object.values(facts).every((each) => each === 0)
  return parts.join(', ') || (isCount ? 'none' : nothing)
}

/** One plugin, two plugins. */
const counted = (count        , title        ) => (count === 1 ? title.replace(/(ie)?(?<!s)s$/, (_, ie) => (ie ? 'y' : '')) : title)

function part(terminal          , field        , value         )           {
  if (value === true) return [titleOf(field)]
  if (typeof value === 'number' && value !== 0)
    return [field === 'bytes' ? bytes(value) : `${number(field, value)} ${counted(value, titleOf(field))}`]
  if (typeof value !== 'string' || value === '') return []
  return [field.endsWith('_at') && terminal.watched ? relative(value, terminal.now()) : clean(value)]
}
