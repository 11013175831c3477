// What one field of a request should not look like.
import type { Entry, JsonSchema } from '../src/projections/manifest.ts'
import type { Random } from './fuzz-requests.ts'

/** Ids that exist, by the name of their field. */
export type Ids = Record<string, string>

/** What the examples name that the site of a test does not have. */
const here: Record<string, unknown> = { plugins: ['garden/garden.php'], include: ['table:options'], tag: undefined }

/** A whole input of an operation, as it may be sent, with nothing in it that makes it harmless. */
export function plainInput(entry: Entry, ids: Ids): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [field, schema] of Object.entries(entry.input.properties ?? {})) {
    const required = entry.input.required?.includes(field) || entry.http.some((http) => http.includes(`{${field}}`))
    if (required || (field in entry.example && field !== 'dry_run')) given[field] = oneOf(field, schema, ids, entry.example[field])
  }
  for (const [field, value] of Object.entries(here)) if (field in given) given[field] = value
  if (entry.name === 'rollouts.start') given.site_ids = [ids.site_id]
  // A draft is published, and what was published is sent.
  if (entry.name === 'reports.send') given.report_id = ids.published_report_id
  // What was seen last is answered, so that a read asks no site.
  if (entry.input.properties?.cached) given.cached = true
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** One value that the field takes. */
export function oneOf(field: string, schema: JsonSchema, ids: Ids, example?: unknown): unknown {
  const id = ids[field] ?? (field.endsWith('_ids') ? ids[field.slice(0, -1)] : undefined)
  if (id !== undefined) return schema.type === 'array' ? [id] : id
  if (example !== undefined && field !== 'cursor') return example
  if (schema.enum) return schema.enum.at(-1)
  if (schema.type === 'array') return [oneOf('', schema.items ?? {}, ids)]
  if (schema.type === 'boolean') return schema.default !== true
  if (schema.type === 'integer') return Number(schema.minimum ?? 1) + 1
  return 'garden'
}

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The name of a field, nearly. */
export const oddNames = (field: string): string[] =>
  [
    field.toUpperCase(),
    camel(field),
    field.replaceAll('_', '-'),
    ` ${field}`,
    `${field} `,
    `${field}[]`,
    `${field}.0`,
    `input[${field}]`,
    `${field}\0`,
    '',
    '__proto__',
    'constructor',
    'toString',
  ].filter((name) => name !== field)

/** Values of which most are none for a field with this one. */
export const oddValues = (field: string, value: unknown): unknown[] => [
  null,
  '',
  ' ',
  'null',
  'true',
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  [],
  {},
  [value],
  [[value]],
  { value },
  { [field]: value },
  { length: 1 },
  String(value),
  ` ${String(value)}`,
  `${String(value)},${String(value)}`,
  String(value).toUpperCase(),
  JSON.stringify(value),
  encodeURIComponent(`${String(value)}&`),
  'x'.repeat(9000),
]

/** As a segment of a path; none of these is the id, but for the spaces around it. */
export const oddSegments = (id: string): string[] => [
  '%20',
  '%00',
  'null',
  'undefined',
  '*',
  '.',
  '%2e%2e',
  `%5B%22${id}%22%5D`,
  `${id},${id}`,
  `${id}%2F`,
  `${id}%00`,
  `${id}%3Fdry_run=true`,
  `${id};dry_run=true`,
  encodeURIComponent(encodeURIComponent(`${id}/`)),
  id.toUpperCase(),
  id.slice(0, -1),
]

/** The text of an object in which one field stands twice, the second time perhaps in another spelling of the same name. */
export function twice(random: Random, rest: Record<string, unknown>, field: string, value: unknown): string {
  const escaped = `"${[...field].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
  const second = random.pick([value, value, null, typeof value === 'boolean' ? !value : value])
  const pairs = [
    [JSON.stringify(field), value],
    [random.chance(0.3) ? escaped : JSON.stringify(field), second],
    ...Object.entries(rest).map(([name, each]) => [JSON.stringify(name), each]),
  ]
  if (random.chance(0.5)) pairs.reverse()
  return `{${pairs.map(([name, each]) => `${name}${random.pick([':', ' : ', ':\n'])}${JSON.stringify(each)}`).join(',')}}`
}
