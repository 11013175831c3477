import { mayWait } from './arguments.js'
import { mostNamed, namesOf, placeholder, switchOf, typeOf, usage, valueName } from './describe.js'
import { commandOf,             flagOf, isRequired,                nounsOf, positionals,             } from './manifest.js'
import { ownWords } from './own-words.js'
import { continued, wrap } from './text.js'

const environment                     = [
  ['SERVICE_URL', 'address of the service, for example http://127.0.0.1:8080'],
  ['SERVICE_TOKEN', 'who you are; never on the command line'],
  ['NO_COLOR', 'no colours'],
  ['SVC_TAB_SECONDS', 'how long TAB waits for the service; 1 if not set'],
]

/** `svc help`. */
export function overview(manifest          , width        )         {
  const nouns = nounsOf(manifest).map((noun) => `${noun}\n${commands(manifest, noun, width)}`)
  return `${wrap('svc: manage a fleet of WordPress sites', width).join('\n')}

${wrap('Usage: svc <noun> <verb> [site] [--field value]', width - 2).join('\n  ')}

${nouns.join('\n\n')}

${wrap('svc <noun> <verb> --help explains one of them. svc completion bash|zsh|fish prints what makes TAB work.', width).join('\n')}

Environment
${columns(environment, width)}

Exit codes
${exitCodes(manifest, width)}
`
}

/** `svc <noun>`. */
export function nounHelp(manifest          , noun        , width        )         {
  return `svc ${noun}\n\n${commands(manifest, noun, width)}\n\n${wrap(`svc ${noun} <verb> --help explains one of them.`, width).join('\n')}\n`
}

function commands(manifest          , noun        , width        )         {
  const entries = manifest.operations.filter((entry) => commandOf(entry).startsWith(`${noun} `))
  const lines = entries.map((entry)                   => [`svc ${commandOf(entry)}`, ownWords(manifest, entry.summary)])
  const widest = Math.max(...manifest.operations.map((entry) => commandOf(entry).length + 4))
  return columns(lines, width, widest)
}

/** `svc <noun> <verb> --help`. */
export function verbHelp(manifest          , entry       , width        )         {
  const fields = Object.entries(entry.input.properties ?? {})
  const lines = fields.map(([field, schema])                   => {
    const [name, notes] = fieldLine(entry, field, schema)
    return [name, asFlags(entry, ownWords(manifest, notes))]
  })
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
    ...(mayWait(entry) ? [['--why TEXT', 'For whoever approves it, where the token needs approvals.']] : []),
    ['--timeout N', 'Seconds to wait for an answer; 60 if not given.'],
  ]                      
  return `${wrap(ownWords(manifest, entry.summary), width).join('\n')}

${wrap(`Usage: ${usage(entry)}`, width - 2).join('\n  ')}

${lines.length > 0 ? `Fields\n${columns(lines, width)}\n\n` : ''}Options\n${columns(own, width)}

Example
  ${continued(entry.command, width - 2).join('\n  ')}

${wrap(`Needs a token with the scope ${entry.scope}.`, width).join('\n')}
`
}

function fieldLine(entry       , field        , schema        )                   {
  const name = positionals(entry).includes(field)
    ? placeholder(field)
    : typeOf(schema) === 'boolean'
      ? switchOf(field, schema)
      : `${flagOf(field)} ${valueName(schema)}`
  const notes = [
    schema.description,
    isRequired(entry, field) ? 'Required.' : undefined,
    namesOf(schema).length > mostNamed ? `One of ${namesOf(schema).join(', ')}.` : undefined,
    typeOf(schema) === 'array' ? 'Give it several times for several.' : undefined,
    schema.default === undefined || schema.default === false
      ? undefined
      : `Default: ${typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default)}.`,
  ]
  return [name, notes.filter((note) => note !== undefined).join(' ')]
}

/** Other fields of the same command by what is typed for them. */
function asFlags(entry       , text        )         {
  const flags = Object.keys(entry.input.properties ?? {}).filter((field) => field.includes('_') && !positionals(entry).includes(field))
  return text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => (flags.includes(word) ? flagOf(word) : word))
}

/** Names to the left, what is said of them to the right, or below where there is little room. */
function columns(lines                    , width        , least = 28)         {
  const widest = Math.min(least, Math.max(...lines.map(([left]) => left.length)))
  const room = width - widest - 4
  return lines
    .flatMap(([left, right]) => {
      if (room < 30) return [...wrap(left, width - 2).map((line) => `  ${line}`), ...wrap(right, width - 6).map((line) => `      ${line}`)]
      const [first = '', ...more] = wrap(right, room)
      const rest = more.map((line) => `  ${' '.repeat(widest)}  ${line}`)
      if (left.length > widest) return [...wrap(left, width - 2).map((line) => `  ${line}`), `  ${' '.repeat(widest)}  ${first}`, ...rest]
      return [`  ${left.padEnd(widest)}  ${first}`.trimEnd(), ...rest]
    })
    .join('\n')
}

function exitCodes({ problems }          , width        )         {
  const codes = new Map                  ([[0, ['done']]])
  for (const { exit, title } of Object.values(problems)) codes.set(exit, [...(codes.get(exit) ?? []), title.toLowerCase()])
  codes.set(8, ['the job, or a part of it, failed or was canceled'])
  codes.set(130, ['stopped with Ctrl-C'])
  return [...codes]
    .sort(([a], [b]) => a - b)
    .map(([code, titles]) => `  ${String(code).padStart(3)}  ${wrap(titles.join('; '), width - 7).join(`\n${' '.repeat(7)}`)}`)
    .join('\n')
}
