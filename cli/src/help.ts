import { placeholder, typeOf, usage, valueName } from './describe.ts'
import { commandOf, type Entry, flagOf, isRequired, type Manifest, nounsOf, positionals, type Schema } from './manifest.ts'

const environment = `Environment
  SERVICE_URL    address of the service, for example http://127.0.0.1:8080
  SERVICE_TOKEN  who you are; never on the command line
  NO_COLOR       no colours`

/** `svc help`. */
export function overview(manifest: Manifest): string {
  const nouns = nounsOf(manifest).map((noun) => `${noun}\n${commands(manifest, noun).join('\n')}`)
  return `svc: manage a fleet of WordPress sites

Usage: svc <noun> <verb> [site] [--field value]

${nouns.join('\n\n')}

svc <noun> <verb> --help explains one of them. svc completion bash|zsh|fish prints what makes TAB work.

${environment}

Exit codes
${exitCodes(manifest)}
`
}

/** `svc <noun>`. */
export function nounHelp(manifest: Manifest, noun: string): string {
  return `svc ${noun}\n\n${commands(manifest, noun).join('\n')}\n\nsvc ${noun} <verb> --help explains one of them.\n`
}

function commands(manifest: Manifest, noun: string): string[] {
  const entries = manifest.operations.filter((entry) => commandOf(entry).startsWith(`${noun} `))
  const widest = Math.max(...manifest.operations.map((entry) => commandOf(entry).length))
  return entries.map((entry) => `  svc ${commandOf(entry).padEnd(widest)}  ${entry.summary}`)
}

/** `svc <noun> <verb> --help`. */
export function verbHelp(entry: Entry): string {
  const fields = Object.entries(entry.input.properties ?? {})
  const lines = fields.map(([field, schema]) => fieldLine(entry, field, schema))
  const own = [
    ['--json', 'The answer as the service gave it, for programs.'],
    ...(entry.list ? [['--all', 'Every page, not only the first.']] : []),
    ...(entry.output?.properties?.job_id ? [['--wait', 'Follow the job to its end; the exit code says how it ended.']] : []),
    ...(entry.bytes
      ? [
          ['--output FILE', 'Where to save it; - is standard output.'],
          ['--force', 'Replace a file that is there.'],
        ]
      : []),
    ['--timeout N', 'Seconds to wait for an answer; 60 if not given.'],
  ] as [string, string][]
  return `${entry.summary}

Usage: ${usage(entry)}

${lines.length > 0 ? `Fields\n${columns(lines)}\n\n` : ''}Options\n${columns(own)}

Example
  ${entry.command}

Needs a token with the scope ${entry.scope}.${entry.tool ? ` Agents call it ${entry.tool}.` : ''}
`
}

function fieldLine(entry: Entry, field: string, schema: Schema): [string, string] {
  const name = positionals(entry).includes(field)
    ? placeholder(field)
    : typeOf(schema) === 'boolean'
      ? flagOf(field)
      : `${flagOf(field)} ${valueName(schema)}`
  const notes = [
    schema.description,
    isRequired(entry, field) ? 'Required.' : undefined,
    typeOf(schema) === 'array' ? 'Give it several times for several.' : undefined,
    schema.default === undefined || schema.default === false
      ? undefined
      : `Default: ${typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default)}.`,
  ]
  return [name, notes.filter((note) => note !== undefined).join(' ')]
}

function columns(lines: [string, string][]): string {
  const widest = Math.min(28, Math.max(...lines.map(([left]) => left.length)))
  return lines
    .map(([left, right]) =>
      left.length > widest ? `  ${left}\n  ${' '.repeat(widest)}  ${right}` : `  ${left.padEnd(widest)}  ${right}`.trimEnd(),
    )
    .join('\n')
}

function exitCodes({ problems }: Manifest): string {
  const codes = new Map<number, string[]>([[0, ['done']]])
  for (const { exit, title } of Object.values(problems)) codes.set(exit, [...(codes.get(exit) ?? []), title.toLowerCase()])
  codes.set(8, ['the job, or a part of it, failed or was canceled'])
  codes.set(130, ['stopped with Ctrl-C'])
  return [...codes]
    .sort(([a], [b]) => a - b)
    .map(([code, titles]) => `  ${String(code).padStart(3)}  ${titles.join('; ')}`)
    .join('\n')
}
