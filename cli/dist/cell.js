// One value for people: units come from the ends of field names, as everywhere in the API, and what null means from its description.
import { plain } from './describe.js'
                                           
                                      
                                             
import { bytes, clean, duration, relative } from './text.js'

const good = /^(completed|connected|ok|up|updated|active|applied|passed)$/
const bad = /^(failed|unreachable|clone_detected|down|critical|high|rolled_back|disconnected)$/
const between = /^(queued|running|pending|paused|awaiting_approval|canceled|medium|skipped)$/

/** A field's name for people; its unit stands with the value, and a part of it goes by the name of the whole. */
export const titleOf = (field        ) =>
  field
    .replace(/\..*/, '')
    .replace(/_(bytes|ms|s|percent)$/, '')
    .replaceAll('_', ' ')
/** The same of columns: where several are parts of the same whole, each goes by its own name as well. */
export const titlesOf = (fields                   ) => {
  const wholes = fields.map((field) => field.replace(/\..*/, ''))
  const isOne = (whole                    ) => wholes.filter((each) => each === whole).length === 1
  return fields.map((field, i) => titleOf(isOne(wholes[i]) ? field : field.replaceAll('.', ' ')))
}

export const isId = (field        ) => field === 'id' || (field.endsWith('_id') && field !== 'tweak_id')

export const nothing = '–'
const notKnown =
  /\bnull: [^.,;]*\b(?:never|ever read|nothing was read|not known|looks?|looked|examined|been asked|counted|tells|would not say)\b/
const noneThere = /\bnull: there is none\b/
/** What null means there: its description tells where there is none, and where nobody knows, which is not the same. */
export function ofNull({ description = '', ...schema }        )         {
  const isTime = plain(schema).format === 'date-time'
  if (noneThere.test(description)) return isTime ? 'never' : 'none'
  const [said] = notKnown.exec(description) ?? []
  return said === undefined ? nothing : said.endsWith('never') && isTime ? 'never' : 'unknown'
}
export const isNullable = (schema        ) => [schema, ...(schema.anyOf ?? [])].some(({ type }) => [type].flat().includes('null'))

/** A value in the cell of a table, or behind its name. */
export function cell(terminal          , field        , schema        , value         )       {
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

export function number(field        , value        )         {
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
export const counted = (count        , title        ) => (count === 1 ? title.replace(/(ie)?(?<!s)s$/, (_, ie) => (ie ? 'y' : '')) : title)

function part(terminal          , field        , value         )           {
  if (value === true) return [titleOf(field)]
  if (typeof value === 'number' && value !== 0)
    return [field === 'bytes' ? bytes(value) : `${number(field, value)} ${counted(value, titleOf(field))}`]
  if (typeof value !== 'string' || value === '') return []
  return [field.endsWith('_at') && terminal.watched ? relative(value, terminal.now()) : clean(value)]
}
