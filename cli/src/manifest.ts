import { existsSync, readFileSync } from 'node:fs'

/** JSON Schema, as far as the command line looks into it. */
export interface Schema {
  type?: string | string[]
  format?: string
  description?: string
  default?: unknown
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}

/** One operation of the contract. */
export interface Entry {
  name: string
  tool?: string
  http: string[]
  action?: string
  title: string
  summary: string
  scope: string
  effect: string
  /** Done without an approval, whoever asks. */
  direct?: boolean
  status: number
  list?: string
  /** The field with the rows of an answer that is no list by itself. */
  rows?: string
  /** What of an item belongs into a table, the most important first. */
  columns?: string[]
  bytes: boolean
  stream?: boolean
  input: Schema
  output?: Schema
  example: Record<string, unknown>
  /** The example as typed into a shell. */
  command: string
  personal?: true
}

export interface Manifest {
  operations: Entry[]
  problems: Record<string, { status: number; exit: number; title: string; retryable: boolean; next: string }>
}

/** The contract this program was packed with; in a checkout, the one in the repository. What needs a signed-in person is left out. */
export function loadManifest(): Manifest {
  const places = ['./operations.json', '../../contract/operations.json'].map((place) => new URL(place, import.meta.url))
  const found = places.find((place) => existsSync(place))
  if (!found) throw new Error('operations.json is missing beside the program. Install the package again.')
  const { operations, problems } = JSON.parse(readFileSync(found, 'utf8')) as Manifest
  return { operations: operations.filter(({ scope, personal }) => scope !== 'manage' && !personal), problems }
}

/** `backups.create` → `backups create`. */
export const commandOf = ({ name }: Pick<Entry, 'name'>) => name.replace('.', ' ').replaceAll('_', '-')

export const nounsOf = ({ operations }: Manifest) => [...new Set(operations.map((entry) => commandOf(entry).split(' ')[0] ?? ''))]

/** The fields in a path, in order. */
export const pathFields = (http: string) => [...http.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')

/** Fields that may be given without their name: those of the longest path, in order. */
export const positionals = ({ http }: Entry) =>
  http.map(pathFields).reduce((longest, fields) => (fields.length > longest.length ? fields : longest))

/** The list in which a field of the path is found, whose route stands before it: `GET /sites` for `/sites/{site_id}/backups`. */
export function listBefore({ operations }: Manifest, entry: Entry, field: string): Entry | undefined {
  const [route = ''] = entry.http.flatMap((path) =>
    path.includes(`/{${field}}`) ? [path.split(`/{${field}}`)[0]?.replace(/^\w+/, 'GET') ?? ''] : [],
  )
  return operations.find(({ http, list }) => list && http.includes(route))
}

/** A call as it is typed: what stands in the path by place, the rest by name. */
export function typed(entry: Entry, input: Record<string, unknown>): string {
  const places = positionals(entry).filter((field) => field in input)
  const flags = Object.entries(input).filter(([field]) => !places.includes(field))
  const values = flags.flatMap(([field, value]) =>
    typeof value === 'boolean'
      ? [value ? flagOf(field) : `--no-${flagOf(field).slice(2)}`]
      : [value].flat().flatMap((each) => [flagOf(field), word(each)]),
  )
  return ['svc', commandOf(entry), ...places.map((field) => word(input[field])), ...values].join(' ')
}

/** Nothing in it means anything to a shell. */
export const isPlain = (text: string) => /^[\w.:/@%+=,-]+$/.test(text)

function word(value: unknown): string {
  const text = String(value)
  return isPlain(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A field the caller must give, by name or by place. */
export const isRequired = ({ input }: Entry, field: string) => input.required?.includes(field) ?? false

export const flagOf = (field: string) => `--${field.replaceAll('_', '-')}`

/** The read that looks up a job, if the contract has one: its path's only field is the job. */
export const jobReader = ({ operations }: Manifest) =>
  operations.find(
    ({ http, effect }) => effect === 'read' && http.some((path) => path.startsWith('GET ') && pathFields(path).join() === 'job_id'),
  )
