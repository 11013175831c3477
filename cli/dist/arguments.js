import { readFileSync } from 'node:fs'
import { isBase64, isBoolean, placeholder, plain, typeOf, usage } from './describe.js'
import { misused } from './failure.js'
import { commandOf,             flagOf, positionals,             } from './manifest.js'
import { nearest } from './nearest.js'

/** What every command understands besides its own fields. */
                          
               
               
              
                
               
                            
                                 
                         
                 
                 
 

                          
                                
                  
 

export const switches = ['json', 'wait', 'all', 'force', 'help']         
export const valued = ['output', 'timeout', 'why']         
const short                         = { '-h': '--help', '-o': '--output', '-j': '--json', '-w': '--wait' }

/** Whether a person may have to approve it first. */
export const mayWait = ({ effect, direct }       ) => effect !== 'read' && !direct

/** The options of svc that mean something to this command. */
const optionsFor = (entry       )           => [
  ...['json', 'help', 'timeout'],
  ...(entry.list ? ['all'] : []),
  ...(entry.output?.properties?.job_id ? ['wait'] : []),
  ...(entry.bytes ? ['output', 'force'] : []),
  ...(mayWait(entry) ? ['why'] : []),
]

/** Everything that may stand behind this command with two dashes. */
export const flagsOf = (entry       )           => [...Object.keys(entry.input.properties ?? {}), ...optionsFor(entry)].map(flagOf)

/** Reads what follows `svc <noun> <verb>`. Throws a Failure that names what was not understood, and which of `others` would understand it. */
export function parse(entry       , argv                   , others                   = [])          {
  const fields = entry.input.properties ?? {}
  const input                          = {}
  const given                                = {}
  const places           = []
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

  function readFlag(word        , following          ) {
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

const isValued = (name        ) => valued.some((each) => each === name)

function valueFrom(word        , following          )         {
  const value = following.shift()
  if (value === undefined || (value.startsWith('--') && value.length > 2))
    throw misused(`${word} needs a value.`, ['A value that begins with -- is written --name=--value.'])
  return value
}

function toBoolean(word        , attached                    , negated         )          {
  if (attached === undefined) return !negated
  if (negated || !['true', 'false'].includes(attached))
    throw misused(`${word} is not understood.`, ['It is --name, --no-name, --name=true or --name=false.'])
  return attached === 'true'
}

function read(word        , schema        , text        )          {
  const type = typeOf(schema)
  if (type === 'array') return text.startsWith('[') ? json(word, text) : read(word, plain(schema).items ?? {}, text)
  if (type === 'object') return json(word, text)
  if (isBase64(schema) && text.startsWith('@')) return fileOf(word, text.slice(1))
  if (type !== 'integer' && type !== 'number') return text
  if (!/^-?\d{1,15}(\.\d+)?$/.test(text)) throw misused(`${word} needs a number, not "${text}".`)
  return Number(text)
}

/** A picture is longer than a shell passes on. */
function fileOf(word        , file        )         {
  try {
    return readFileSync(file).toString('base64')
  } catch {
    throw misused(`${word}: ${file} cannot be read.`, ['Is it there, and a file?'])
  }
}

function json(word        , text        )          {
  try {
    return JSON.parse(text)
  } catch {
    throw misused(`${word} needs JSON.`)
  }
}

/** A field that takes several values is given several times. */
function add(schema        , before         , value         )          {
  if (typeOf(schema) !== 'array') return value
  return [...(Array.isArray(before) ? before : []), ...[value].flat()]
}

function place(entry       , places          , input                         ) {
  const free = positionals(entry).filter((field) => !(field in input))
  if (places.length > free.length)
    throw misused(`"${places[free.length]}" is one word too many.`, [
      `Fields are given by name: ${usage(entry)}`,
      'Text with spaces needs quotes.',
    ])
  for (const [i, word] of places.entries()) input[free[i] ?? ''] = word
}

function requireAll(entry       , input                         ) {
  const missing = (entry.input.required ?? []).filter((field) => !(field in input))
  if (missing.length === 0) return
  const named = missing.map((field) => (positionals(entry).includes(field) ? placeholder(field) : flagOf(field)))
  throw misused(`${named.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`, [`Usage: ${usage(entry)}`])
}

function optionsOf(given                               )          {
  const timeout = Number(given.timeout ?? 60)
  if (!(timeout > 0 && timeout < 1e6)) throw misused('--timeout needs a number of seconds.')
  const on = (name        ) => given[name] === true
  const text = (name        ) => (typeof given[name] === 'string' ? given[name] : undefined)
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

function hint(entry       , word        , others                  )           {
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
function knowing(flag        , entries                  )           {
  const found = entries.filter((entry) => flagsOf(entry).includes(flag))
  return found.length > fewCommands ? [] : found.map((entry) => `svc ${commandOf(entry)}`)
}
