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
  else for (const line of listLines(terminal, items, item, terminal.width, brief)) terminal.out(line)
}

function listLines(terminal          , items           , item        , width        , brief           )           {
  const schemas = plain(item).properties ?? {}
  const known = Object.keys(schemas)
  const fields = (brief ?? (known.length > 0 ? known.filter((name) => isShort(schemas[name] ?? {})) : Object.keys(items[0] ?? {}))).filter(
    (field) => items.some((each) => fieldOf(each, field) !== undefined && fieldOf(each, field) !== null),
  )
  const rows = items.map((each) => fields.map((field) => cell(terminal, field, schemas[field] ?? {}, fieldOf(each, field))))
  return table(
    fields.map((field) => field.replaceAll('_', ' ').toUpperCase()),
    rows,
    width,
    terminal.colour,
  )
}

const isShort = (schema        ) => !['object', 'array'].includes(typeOf(schema) ?? '')
const fieldOf = (record         , field        ) => (record                                  )?.[field]

function record(terminal          , schema        , answer        , indent        )           {
  const entries = Object.entries(answer)
  const widest = Math.max(0, ...entries.map(([field]) => field.length))
  return entries.flatMap(([field, value]) => {
    const inner = plain(schema).properties?.[field] ?? {}
    const title = `${indent}${paint(field.replaceAll('_', ' ').padEnd(widest), 'dim', terminal.colour)}  `
    if (Array.isArray(value) && value.some((each) => each !== null && typeof each === 'object'))
      return [
        title.trimEnd(),
        ...listLines(terminal, value, plain(inner).items ?? {}, terminal.width - indent.length - 2).map((line) => `${indent}  ${line}`),
      ]
    if (value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0)
      return [title.trimEnd(), ...record(terminal, inner, value, `${indent}  `)]
    const { text, paint: shade } = cell(terminal, field, inner, value)
    return [title + paint(text, shade, terminal.colour)]
  })
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

/** `{core: 0, plugins: 3}` → `3 plugins`; what is nothing goes unsaid. */
function inShort(terminal          , value        )         {
  const parts = Object.entries(value)
    .filter(([field, each]) => each !== null && each !== 0 && each !== false && typeof each !== 'object' && field !== 'id')
    .map(([field, each]) =>
      typeof each === 'number' ? `${number(field, each)} ${field.replaceAll('_', ' ')}` : timeOr(terminal, field, each),
    )
  return parts.join(', ') || '–'
}

const timeOr = (terminal          , field        , value         ) =>
  field.endsWith('_at') && terminal.watched ? relative(String(value), terminal.now()) : clean(String(value))
