#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import {               parse } from './arguments.js'
import { complete, completion } from './completion.js'
import { rowsOf } from './describe.js'
import { checkTarget,             save } from './download.js'
import { Failure, misused } from './failure.js'
import { failureOfJob, follow,           nextCommands } from './follow.js'
import { nounHelp, overview, verbHelp } from './help.js'
import { listen } from './listen.js'
import { commandOf,             loadManifest,                nounsOf } from './manifest.js'
import { nearest } from './nearest.js'
import { asking } from './offers.js'
import { inOwnWords, ownWords } from './own-words.js'
import { accepting, jsonOf, nextPage,                prepare,               send } from './request.js'
import { isExposed, refuseTokens, serviceFrom } from './service.js'
import { show } from './show.js'
import { paint } from './table.js'
import {                terminal } from './terminal.js'
import { clean, fold } from './text.js'

const { env } = process

/** Understands the words, does it, and gives the exit code. */
async function svc(argv                   , here          , signal             )                {
  refuseTokens(argv)
  const manifest = loadManifest()
  const [first = 'help', ...rest] = argv[0] === 'watch' && nounsOf(manifest).includes('events') ? ['events', ...argv] : argv
  if (first === '__complete') return here.out((await complete(manifest, rest, asking(manifest, env))).join('\n'))
  if (first === 'completion') return here.out(completion(rest[0]).trimEnd())
  if (['--version', '-v', 'version'].includes(first)) return here.out(version())
  if (['help', '--help', '-h'].includes(first)) return here.out(helpFor(manifest, rest, here.width).trimEnd())
  const [verb] = rest
  if (verb === undefined || verb === '--help' || verb === '-h') return here.out(helpFor(manifest, [first], here.width).trimEnd())
  const entry = find(manifest, first, verb)
  const command = parse(entry, rest.slice(1), manifest.operations)
  if (command.options.help) return here.out(verbHelp(manifest, entry, here.width).trimEnd())
  await perform(manifest, entry, command, { here, signal })
}

function helpFor(manifest          , [noun, verb]                   , width        )         {
  if (noun === undefined) return overview(manifest, width)
  if (verb !== undefined) return verbHelp(manifest, find(manifest, noun, verb), width)
  if (nounsOf(manifest).includes(noun)) return nounHelp(manifest, noun, width)
  throw unknown(noun, nounsOf(manifest), 'svc help')
}

function find(manifest          , noun        , verb        )        {
  if (!nounsOf(manifest).includes(noun)) throw unknown(noun, nounsOf(manifest), 'svc help')
  const commands = manifest.operations.map(commandOf)
  const entry = manifest.operations[commands.indexOf(`${noun} ${verb}`)]
  if (entry) return entry
  throw unknown(
    verb,
    commands.filter((each) => each.startsWith(`${noun} `)).map((each) => each.slice(noun.length + 1)),
    `svc ${noun}`,
  )
}

function unknown(word        , known                   , see        )          {
  const near = nearest(word, known)
  return misused(`"${word}" is not understood.`, [near ? `Did you mean ${near}?` : `There is: ${known.join(', ')}.`, `See \`${see}\`.`])
}

               
                
                     
 

async function perform(manifest          , entry       , { input, options }         , { here, signal }     )                {
  const service = serviceFrom(env)
  if (isExposed(service)) here.err('Warning: SERVICE_URL is not https; the token travels unencrypted.\n')
  const session          = { service, manifest, timeout: options.timeout, signal }
  if (entry.bytes) await checkTarget(here, options.output, options.force)
  const prepared = prepare(service, entry, input)
  if (entry.stream) return listen(session, here, prepared, options.json)
  if (entry.bytes)
    return saved(here, await save(here, fetching(session, prepared), { output: options.output, force: options.force, signal }))
  const why = options.why === undefined ? {} : { 'svc-why': encodeURIComponent(options.why) }
  const asked = { ...prepared, headers: { ...accepting(entry, options.json), ...why } }
  const answer = await send(session, asked)
  const notice = answer.headers.get('svc-notice')
  if (notice) here.err(fold(`${clean(ownWords(manifest, notice))}\n`, here.errWidth))
  const first = await jsonOf(answer)
  const started = first                                                                    
  if (options.wait && typeof started?.job_id === 'string') {
    // It names the address at which that is decided, without which nobody would.
    if (started.status === 'awaiting_approval' && typeof started.message === 'string')
      here.err(fold(`${clean(ownWords(manifest, started.message))}\n`, here.errWidth))
    return finish(session, here, started.job_id, options.json)
  }
  const print = (whole         ) => (options.json ? raw(here, whole) : show(here, entry, inOwnWords(manifest, entry, whole)))
  const rows = rowsOf(entry, first)
  if (!rows) return print(first)
  const more = nextPage(answer, prepared.url)
  const items = options.all && more ? [...rows, ...(await following(session, asked, { entry, first: more }))] : rows
  print(Array.isArray(first) ? items : { ...(first          ), [entry.list ?? '']: items })
  if (more && !options.all) here.err(`${items.length} of ${totalOf(answer)}. --all shows the rest.\n`)
}

/** The service counts so far and no further. */
const mostCounted = '10001'

function totalOf({ headers }          )         {
  const total = headers.get('x-total-count') ?? 'many'
  return total === mostCounted ? 'more than 10000' : total
}

const fetching =
  (session         , prepared          )        =>
  (rest) =>
    send(session, rest ? { ...prepared, headers: { range: `bytes=${rest.from}-`, 'if-range': rest.etag } } : prepared)

/** Waits for the job, shows what became of it, and ends as it did. */
async function finish(session         , here          , id        , json         )                {
  const { manifest } = session
  const { reader, job } = await follow(session, here, id)
  const worded = inOwnWords(manifest, reader, job)       
  // What may be done next is the end of it, on standard error.
  const { next_steps: _, ...ended } = worded
  if (json) raw(here, job)
  else show(here, reader, ended)
  const failure = failureOfJob(manifest, worded)
  const next = nextCommands(manifest, id, worded)
  if (failure) throw new Failure(failure.message, failure.exit, [...failure.details, ...next])
  const end = `${worded.outcome === 'partly' ? 'Partly done.' : 'Done.'} ${clean(worded.summary ?? '')}`.trimEnd()
  here.err(fold([end, ...next.map((line) => `  ${line}`), ''].join('\n'), here.errWidth))
}

/** The pages after the first. A page that was seen already ends it. */
async function following(session         , asked          , { entry, first }                              )                     {
  const items            = []
  const seen = new Set        ()
  for (let url                  = first; url && !seen.has(url.href); ) {
    seen.add(url.href)
    const answer           = await send(session, { ...asked, url })
    items.push(...(rowsOf(entry, await jsonOf(answer)) ?? []))
    url = nextPage(answer, url)
  }
  return items
}

const raw = (here          , answer         ) => here.out(JSON.stringify(answer, null, 2))

const saved = (here          , file        ) => (file === '-' ? undefined : here.out(file))

const version = () => String((JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))                       ).version)

const here = terminal(env)
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
process.once('SIGTERM', () => stop.abort())
try {
  await svc(process.argv.slice(2), here, stop.signal)
} catch (error) {
  const failure =
    error instanceof Failure
      ? error
      : stop.signal.aborted
        ? new Failure('Stopped.', 130)
        : new Failure(`Something broke in svc: ${error instanceof Error ? error.stack : error}`, 1)
  const text = `svc: ${failure.message}\n${failure.details.map((line) => `  ${line}\n`).join('')}`
  here.err(fold(text, here.errWidth).replace('svc:', paint('svc:', 'red', here.colour && here.live)))
  process.exitCode = failure.exit
}
