import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure, refused } from './failure.js'
import { commandOf,                            pathFields } from './manifest.js'
                                           
import { clean } from './text.js'

/** What it takes to send something. */
                          
                  
                    
                                
                 
                     
 

                           
                
          
                          
                 
                                                                                                           
                         
                                                                      
                 
                                  
 

const retries = 2

/** Whoever names this type gets a list with what stands beside it: its totals, counts, how fresh it is. */
const wholeList = 'application/vnd.svc.list+json, application/json;q=0.5'
/** People are told all of a list; programs rely on its bare items. */
export const accepting = ({ list }       , json         ) => (list && !json ? { accept: wholeList } : {})

/** Path, query and body for an operation: of its paths, the longest one whose fields are all there. */
export function prepare(service         , entry       , input                         )           {
  const paths = [...entry.http].sort((a, b) => pathFields(b).length - pathFields(a).length)
  const [method = '', template = ''] = (
    paths.find((path) => pathFields(path).every((field) => field in input)) ??
    entry.http[0] ??
    ''
  ).split(' ')
  const rest = { ...input }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, field        ) => {
    const value = String(rest[field])
    delete rest[field]
    return encodeURIComponent(value)
  })
  const url = new URL(service.base + path)
  const sendsBody = method === 'POST'
  if (!sendsBody)
    for (const [name, value] of Object.entries(rest)) for (const each of [value].flat()) url.searchParams.append(name, text(each))
  const body = sendsBody ? JSON.stringify({ ...(entry.action && { action: entry.action }), ...rest }) : undefined
  return { method, url, body, command: commandOf(entry), key: sendsBody ? randomUUID() : undefined, isFile: entry.bytes }
}

const text = (value         ) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/**
 * Sends it, and sends it again when the answer was lost or the service asks for patience.
 * Resolves with a successful answer whose body was not read; throws a Failure otherwise.
 */
export async function send(session         , prepared          )                    {
  let lost = false
  for (let attempt = 0; ; attempt++) {
    const answer = await once(session, prepared)
    if (answer instanceof Failure) {
      if (!(answer instanceof Lost) || attempt >= retries) throw answer
      lost = true
      await pause(300 * 3 ** attempt, undefined, { signal: session.signal })
      continue
    }
    if (answer.ok) return answer
    const seconds = patience(answer, attempt, lost)
    if (seconds === undefined) throw await failureOf(session, prepared, answer)
    await answer.body?.cancel()
    await pause(seconds * 1000, undefined, { signal: session.signal })
  }
}

/** The connection broke before there was an answer. */
export class Lost extends Failure {}

async function once({ service, timeout, signal }         , prepared          )                              {
  const { method, url, body, key, isFile } = prepared
  const slow = new AbortController()
  const clock = setTimeout(() => slow.abort(), timeout * 1000).unref()
  try {
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([slow.signal, signal]),
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${service.token}`,
        'user-agent': 'svc',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
        ...prepared.headers,
      },
      ...(body !== undefined && { body }),
    })
    if (isFile) clearTimeout(clock)
    return answer
  } catch (error) {
    if (signal.aborted) throw error
    if (slow.signal.aborted) return tooSlow(timeout, method)
    return new Lost(`${url.origin} could not be reached: ${reason(error)}.`, 1, ['Is the service running, and is SERVICE_URL right?'])
  }
}

const tooSlow = (timeout        , method        ) =>
  new Failure(`No answer within ${timeout} s.`, 1, [
    method === 'GET'
      ? 'Try again, or give it longer with --timeout SECONDS.'
      : 'It may still happen: look before you repeat it, or give it longer with --timeout SECONDS.',
  ])

function reason(error         )         {
  const cause = error instanceof Error ? (error.cause                                                   ) : undefined
  return clean(cause?.code ?? cause?.message ?? String(error))
}

/** Seconds to wait before asking again; undefined when asking again is no use. */
function patience(answer          , attempt        , lost         )                     {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  if (Number.isNaN(seconds) || seconds > 30) return undefined
  // Our first try, whose answer was lost, still runs under the same key; it has a minute to end.
  if (answer.status === 409 && lost) return attempt < 60 ? Math.max(seconds, 1) : undefined
  return [429, 503].includes(answer.status) && attempt < retries ? seconds : undefined
}

async function failureOf({ manifest, service }         , { command }          , answer          )                   {
  if (answer.status >= 300 && answer.status < 400)
    return new Failure(`${new URL(service.base).origin} sends elsewhere: ${clean(answer.headers.get('location') ?? '')}`, 1, [
      'The token was not sent there. Set SERVICE_URL to the address the service really has.',
    ])
  const body = await answer.text().catch(() => '')
  try {
    return refused(manifest, answer.status, JSON.parse(body), command)
  } catch {
    return notOurs(answer)
  }
}

const notOurs = (answer          ) =>
  new Failure(
    `What answered is not the service: ${answer.status} ${clean(answer.headers.get('content-type') ?? 'without a content type')}.`,
    1,
    ['Is SERVICE_URL the address of the service, without a path?'],
  )

/** The answer as JSON; throws a Failure when it is something else. */
export async function jsonOf(answer          )                   {
  const body = await answer.text().catch(() => '')
  try {
    return JSON.parse(body)
  } catch {
    throw notOurs(answer)
  }
}

/** The query of the next page, from the Link header. Only its query is used: the token goes nowhere else. */
export function nextPage(answer          , url     )                  {
  const target = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(answer.headers.get('link') ?? '')?.[1]
  if (target === undefined || !URL.canParse(target, url.href)) return undefined
  const next = new URL(url.href)
  next.search = new URL(target, url).search
  return next
}
