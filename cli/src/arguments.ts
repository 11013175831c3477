import { readFileSync } from 'node:fs'
import { isBase64, isBoolean, placeholder, plain, typeOf, usage } from './describe.ts'
import { misused } from './failure.ts'
import { commandOf, type Entry, flagOf, positionals, type Schema } from './manifest.ts'
import { nearest } from './nearest.ts'

/** What every command understands besides its own fields. */
export interface Options {
  json: boolean
  wait: boolean
  all: boolean
  force: boolean
  help: boolean
  output: string | undefined
  /** For whoever approves it. */
  why: string | undefined
  /** Seconds. */
  timeout: number
}

export interface Command {
  input: Record<string, unknown>
  options: Options
}

export const switches = ['json', 'wait', 'all', 'force', 'help'] as const
export const valued = ['output', 'timeout', 'why'] as const
const short: Record<string, string> = { '-h': '--help', '-o': '--output', '-j': '--json', '-w': '--wait' }

/** Whether a person may have to approve it first. */
export const mayWait = ({ effect, direct }: Entry) => effect !== 'read' && !direct

/** The options of svc that mean something to this command. */
const optionsFor = (entry: Entry): string[] => [
  ...['json', 'help', 'timeout'],
  ...(entry.list ? ['all'] : []),
  ...(entry.output?.properties?.job_id ? ['wait'] : []),
  ...(entry.bytes ? ['output', 'force'] : []),
  ...(mayWait(entry) ? ['why'] : []),
]

/** Everything that may stand behind this command with two dashes. */
export const flagsOf = (entry: Entry): string[] => [...Object.keys(entry.input.properties ?? {}), ...optionsFor(entry)].map(flagOf)

/** Reads what follows `svc <noun> <verb>`. Throws a Failure that names what was not understood, and which of `others` would understand it. */
export function parse(entry: Entry, argv: readonly string[], others: readonly Entry[] = []): Command {
  const fields = entry.input.properties ?? {}
  const input: Record<string, unknown> = {}
  const given: Record<string, string | true> = {}
  const places: string[] = []
  const rest = [...argv]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') places.push(...rest.splice(0))
    else if (word.length < 2 || !word.startsWith('-')) places.push(word)
    else readFlag(short[word] ?? word, rest)
  }
  place(entry, places, input)
  const options = optionsOf(given)
  if (!options.help) requireAll(entry, input)
  return { input, options }

  function readFlag(word: string, following: string[]) {
    const equals = word.indexOf('=')
    const name = (equals < 0 ? word : word.slice(0, equals)).slice(2).replaceAll('-', '_')
    const attached = equals < 0 ? undefined : word.slice(equals + 1)
    const negated = name.startsWith('no_') && isBoolean(fields[name.slice(3)])
    const field = negated ? name.slice(3) : name
    const schema = word.startsWith('--') ? fields[field] : undefined
    if ((schema && field in input && typeOf(schema) !== 'array') || name in given)
      throw misused(`${flagOf(field)} is given twice.`, ['Which of the two is meant?'])
    if (schema) {
      if (isBoolean(schema)) input[field] = toBoolean(word, attached, negated)
      else input[field] = add(schema, input[field], read(word, schema, attached ?? valueFrom(word, following)))
    } else if (!word.startsWith('--') || !optionsFor(entry).includes(name))
      throw misused(`${word} is not understood.`, hint(entry, word, others))
    else if (isValued(name)) given[name] = attached ?? valueFrom(word, following)
    else if (attached === undefined) given[name] = true
    else throw misused(`${word} is not understood.`, [`${flagOf(name)} takes no value.`])
  }
}

const isValued = (name: string) => valued.some((each) => each === name)

function valueFrom(word: string, following: string[]): string {
  const value = following.shift()
  if (value === undefined || (value.startsWith('--') && value.length > 2))
    throw misused(`${word} needs a value.`, ['A value that begins with -- is written --name=--value.'])
  return value
}

function toBoolean(word: string, attached: string | undefined, negated: boolean): boolean {
  if (attached === undefined) return !negated
  if (negated || !['true', 'false'].includes(attached))
    throw misused(`${word} is not understood.`, ['It is --name, --no-name, --name=true or --name=false.'])
  return attached === 'true'
}

function read(word: string, schema: Schema, text: string): unknown {
  const type = typeOf(schema)
  if (type === 'array') return text.startsWith('[') ? json(word, text) : read(word, plain(schema).items ?? {}, text)
  if (type === 'object') return json(word, text)
  if (isBase64(schema) && text.startsWith('@')) return fileOf(word, text.slice(1))
  if (type !== 'integer' && type !== 'number') return text
  if (!/^-?\d{1,15}(\.\d+)?$/.test(text)) throw misused(`${word} needs a number, not "${text}".`)
  return Number(text)
}

/** A picture is longer than a shell passes on. */
function fileOf(word: string, file: string): string {
  try {
    return readFileSync(file).toString('base64')
  } catch {
    throw misused(`${word}: ${file} cannot be read.`, ['Is it there, and a file?'])
  }
}

function json(word: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw misused(`${word} needs JSON.`)
  }
}

/** A field that takes several values is given several times. */
function add(schema: Schema, before: unknown, value: unknown): unknown {
  if (typeOf(schema) !== 'array') return value
  return [...(Array.isArray(before) ? before : []), ...[value].flat()]
}

function place(entry: Entry, places: string[], input: Record<string, unknown>) {
  const free = positionals(entry).filter((field) => !(field in input))
  if (places.length > free.length)
    throw misused(`"${places[free.length]}" is one word too many.`, [
      `Fields are given by name: ${usage(entry)}`,
      'Text with spaces needs quotes.',
    ])
  for (const [i, word] of places.entries()) input[free[i] ?? ''] = word
}

function requireAll(entry: Entry, input: Record<string, unknown>) {
  const missing = (entry.input.required ?? []).filter((field) => !(field in input))
  if (missing.length === 0) return
  const named = missing.map((field) => (positionals(entry).includes(field) ? placeholder(field) : flagOf(field)))
  throw misused(`${named.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`, [`Usage: ${usage(entry)}`])
}

function optionsOf(given: Record<string, string | true>): Options {
  const timeout = Number(given.timeout ?? 60)
  if (!(timeout > 0 && timeout < 1e6)) throw misused('--timeout needs a number of seconds.')
  const on = (name: string) => given[name] === true
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined)
  return {
    json: on('json'),
    wait: on('wait'),
    all: on('all'),
    force: on('force'),
    help: on('help'),
    output: text('output'),
    why: text('why'),
    timeout,
  }
}

function hint(entry: Entry, word: string, others: readonly Entry[]): string[] {
  const flag = word.replace(/=.*/s, '')
  const known = flagsOf(entry)
  const near = nearest(flag, known)
  const elsewhere = near === undefined ? knowing(flag, others) : []
  return [
    near ? `Did you mean ${near}?` : `Known here: ${known.join(' ')}`,
    ...(elsewhere.length > 0 ? [`${flag} is a flag of ${elsewhere.join(', ')}.`] : []),
    `See \`svc ${commandOf(entry)} --help\`.`,
  ]
}

/** More than these say nothing about what was meant. */
const fewCommands = 4

/** The commands that have such a flag, where it is theirs and not everybody's. */
function knowing(flag: string, entries: readonly Entry[]): string[] {
  const found = entries.filter((entry) => flagsOf(entry).includes(flag))
  return found.length > fewCommands ? [] : found.map((entry) => `svc ${commandOf(entry)}`)
}
