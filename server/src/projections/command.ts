import type { Path } from '../kernel/operation.ts'

interface Example {
  name: string
  http: Path | readonly Path[]
  action?: string | undefined
  status?: number | undefined
  bytes?: boolean | undefined
  example: Record<string, unknown>
}

/** `POST /sites/{site_id}/backups` → the method, the path and the fields in it. */
export function splitPath(http: Path): { method: string; path: string; fields: string[] } {
  const space = http.indexOf(' ')
  const path = http.slice(space + 1)
  return { method: http.slice(0, space).toLowerCase(), path, fields: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '') }
}

/** What `svc` calls an operation: `backups.create` → `svc backups create`. */
export const svcName = (name: string): string => ['svc', ...name.replaceAll('_', '-').split('.')].join(' ')

/** Before the first command: how `svc` is got, and why so. */
export const svcInstalled = {
  about: 'The command line is on no registry yet: in a clone of the repository it is packed, and installed from that file',
  text: 'npm pack -w cli\nnpm install --global ./service-cli-0.1.0.tgz',
}

/** The operation's example as `svc` takes it: what stands in a path goes by place, the rest by name. */
export function commandOf({ name, http, example, bytes, status }: Example): string {
  const places = [http].flat().map((path) => splitPath(path).fields)
  const longest = places.reduce((most, fields) => (fields.length > most.length ? fields : most)).filter((field) => field in example)
  const flags = Object.entries(example).filter(([field]) => !longest.includes(field))
  const more = bytes ? ['--output', 'FILE'] : status === 202 ? ['--wait'] : []
  const words = [...longest.map((field) => shellWord(example[field])), ...flags.flatMap(([field, value]) => flag(field, value)), ...more]
  return [svcName(name), ...words].join(' ')
}

function flag(field: string, value: unknown): string[] {
  const name = field.replaceAll('_', '-')
  if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`]
  return [value].flat().flatMap((each) => [`--${name}`, shellWord(each)])
}

const homeOf = ({ http }: Example): Path => [http].flat()[0] ?? 'GET /'

/** The operation's example as a line of curl. */
export function curlOf(entry: Example, baseUrl: string): string {
  const { method, path, fields } = splitPath(homeOf(entry))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(entry.example[field] ?? field)))
  const beside = Object.entries(entry.example).filter(([field]) => !fields.includes(field))
  const query =
    method === 'post'
      ? ''
      : String(
          new URLSearchParams(beside.flatMap(([field, value]) => [value].flat().map((each): [string, string] => [field, String(each)]))),
        )
  const address = shellWord(`${baseUrl}/api/v1${filled}${query && `?${query}`}`)
  const posted = method === 'post' && [
    `  -H 'Content-Type: application/json'`,
    `  -d ${shellWord(JSON.stringify(exampleBody(entry, fields)))}`,
  ]
  const lines = [
    `curl ${method === 'get' || method === 'post' ? '' : `-X ${method.toUpperCase()} `}${address}`,
    '  -H "Authorization: Bearer $SERVICE_TOKEN"',
    ...(posted || []),
    ...(entry.bytes ? ['  -o FILE'] : []),
  ]
  return lines.join(' \\\n')
}

/** The body of the example request. */
export function exampleBody({ example, action }: Pick<Example, 'example' | 'action'>, inPath: readonly string[]): Record<string, unknown> {
  const rest = Object.entries(example).filter(([name]) => !inPath.includes(name) && name !== 'action')
  return { ...(action && { action }), ...Object.fromEntries(rest) }
}

function shellWord(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
