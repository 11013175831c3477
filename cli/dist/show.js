import { plain, typeOf } from './describe.js'
                                                  
import {            paint, table } from './table.js'
                                             
import { bytes, clean, duration, relative } from './text.js'

const good = /^(completed|connected|ok|up|updated|active|applied|passed)$/
const bad = /^(failed|unreachable|clone_detected|down|critical|high|rolled_back|disconnected)$/
const between = /^(queued|running|pending|paused|awaiting_approval|canceled|medium|skipped)$/

/** A list as a table, anything else as its fields, one a line. */
export function show(terminal          , entry       , answer         )       {
  const { output = {}, list, brief } = entry
  const schema = list ? plain(output).properties?.[list] : output
  if (Array.isArray(answer)) showList(terminal, answer, plain(schema ?? {}).items ?? {}, brief)
  else if (answer !== null && typeof answer === 'object') for (const line of record(terminal, schema ?? {}, answer, '')) terminal.out(line)
  else terminal.out(cell(terminal, '', {}, answer).text)
}

function showList(terminal          , items           , item        , brief           )       {
  if (items.length === 0) terminal.err('Nothing here.\n')
  else for (const line of listLines(terminal, items, item, { width: terminal.width, brief })) terminal.out(line)
}

                 
               
                              
 

function listLines(terminal          , items           , item        , { width, brief }       )           {
  const schemas = plain(item).properties ?? {}
  const known = Object.keys(schemas)
  const named = known.length > 0 ? known.filter((name) => isShort(schemas[name] ?? {})) : Object.keys(items[0] ?? {})
  const fields = (brief ?? named).filter((field) => items.some((each) => (fieldOf(each, field) ?? null) !== null))
  const rows = items.map((each) => fields.map((field) => cell(terminal, field, schemas[field] ?? {}, fieldOf(each, field))))
  return table(
    fields.map((field) => titleOf(field).toUpperCase()),
    rows,
    width,
    terminal.colour,
  )
}

/** Whether it fits into a cell: anything but a list of objects. */
const isShort = (schema        ) => typeOf(schema) !== 'array' || typeOf(plain(schema).items ?? {}) !== 'object'
/** A field's name for people; its unit stands with the value. */
const titleOf = (field        ) => field.replace(/_(bytes|ms|s|percent)$/, '').replaceAll('_', ' ')
const fieldOf = (record         , field        ) => (record                                  )?.[field]

function record(terminal          , schema        , answer        , indent        )           {
  const entries = Object.entries(answer)
  const widest = Math.max(0, ...entries.map(([field]) => titleOf(field).length))
  return entries.flatMap(([field, value]) => {
    const inner = plain(schema).properties?.[field] ?? {}
    const title = `${indent}${paint(titleOf(field).padEnd(widest), 'dim', terminal.colour)}  `
    const below = under(terminal, inner, value, `${indent}  `)
    if (below) return [title.trimEnd(), ...below]
    const { text, paint: shade } = cell(terminal, field, inner, value)
    return [title + paint(text, shade, terminal.colour)]
  })
}

/** What does not fit behind a field's name: a list of records as a table, a record as its fields. */
function under(terminal          , schema        , value         , indent        )                       {
  if (value === null || typeof value !== 'object') return undefined
  if (!Array.isArray(value)) return Object.keys(value).length > 0 ? record(terminal, schema, value, indent) : undefined
  if (!value.some((each) => each !== null && typeof each === 'object')) return undefined
  return listLines(terminal, value, plain(schema).items ?? {}, { width: terminal.width - indent.length }).map((line) => indent + line)
}

/** One value for people. Units come from the ends of field names, as everywhere in the API. */
function cell(terminal          , field        , schema        , value         )       {
  if (value === null || value === undefined || value === '') return { text: '–', paint: 'dim' }
  if (typeof value === 'boolean') return { text: value ? 'yes' : 'no' }
  if (typeof value === 'number') return { text: number(field, value), right: true }
  if (Array.isArray(value))
    return { text: value.length === 0 ? '–' : value.map((each) => cell(terminal, field, schema.items ?? {}, each).text).join(', ') }
  if (typeof value === 'object') return { text: inShort(terminal, value) }
  const text = String(value)
  if (plain(schema).format === 'date-time') return { text: terminal.watched ? relative(text, terminal.now()) : clean(text) }
  const shade = good.test(text) ? 'green' : bad.test(text) ? 'red' : between.test(text) ? 'yellow' : undefined
  return { text: clean(text), ...(shade && { paint: shade }) }
}

function number(field        , value        )         {
  if (/(^|_)bytes$/.test(field)) return bytes(value)
  if (field.endsWith('_ms')) return `${Math.round(value)} ms`
  if (field.endsWith('_s')) return duration(value)
  if (field === 'percent' || field.endsWith('_percent')) return `${Math.round(value)} %`
  return String(value)
}

/** `{core: 0, plugins: 3}` → `3 plugins`; what is nothing goes unsaid. What has a percentage, a name or a version is that. */
function inShort(terminal          , value        )         {
  const facts = value                           
  const head = ['percent', 'name', 'version'].find((field) => facts[field] !== undefined && facts[field] !== null)
  if (head) return cell(terminal, head, {}, facts[head]).text
  const parts = Object.entries(facts).flatMap(([field, each]) => (field === 'id' ? [] : part(terminal, field, each)))
  return parts.join(', ') || '–'
}

function part(terminal          , field        , value         )           {
  if (value === true) return [titleOf(field)]
  if (typeof value === 'number' && value !== 0) return [field === 'bytes' ? bytes(value) : `${number(field, value)} ${titleOf(field)}`]
  if (typeof value !== 'string' || value === '') return []
  return [field.endsWith('_at') && terminal.watched ? relative(value, terminal.now()) : clean(value)]
}
