import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure, refused } from './failure.ts'
import { commandOf, type Entry, type Manifest, pathFields } from './manifest.ts'
import type { Service } from './service.ts'
import { clean } from './text.ts'

/** What it takes to send something. */
export interface Session {
  service: Service
  manifest: Manifest
  /** Seconds for one answer. */
  timeout: number
  signal: AbortSignal
}

export interface Prepared {
  method: string
  url: URL
  body: string | undefined
  command: string
  /** Says whether a repeat may be sent when the answer was lost: reads, and writes that carry this key. */
  key: string | undefined
  /** Of a file: the time for one answer is that for its beginning. */
  isFile: boolean
  headers?: Record<string, string>
}

const retries = 2

/** Whoever names this type gets a list with what stands beside it: its totals, counts, how fresh it is. */
const wholeList = 'application/vnd.svc.list+json, application/json;q=0.5'
/** People are told all of a list; programs rely on its bare items. */
export const accepting = ({ list }: Entry, json: boolean) => (list && !json ? { accept: wholeList } : {})

/** Path, query and body for an operation: of its paths, the longest one whose fields are all there. */
export function prepare(service: Service, entry: Entry, input: Record<string, unknown>): Prepared {
  const paths = [...entry.http].sort((a, b) => pathFields(b).length - pathFields(a).length)
  const [method = '', template = ''] = (
    paths.find((path) => pathFields(path).every((field) => field in input)) ??
    entry.http[0] ??
    ''
  ).split(' ')
  const rest = { ...input }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
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

const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/**
 * Sends it, and sends it again when the answer was lost or the service asks for patience.
 * Resolves with a successful answer whose body was not read; throws a Failure otherwise.
 */
export async function send(session: Session, prepared: Prepared): Promise<Response> {
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

async function once({ service, timeout, signal }: Session, prepared: Prepared): Promise<Response | Failure> {
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

const tooSlow = (timeout: number, method: string) =>
  new Failure(`No answer within ${timeout} s.`, 1, [
    method === 'GET'
      ? 'Try again, or give it longer with --timeout SECONDS.'
      : 'It may still happen: look before you repeat it, or give it longer with --timeout SECONDS.',
  ])

function reason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: string; message?: string } | undefined) : undefined
  return clean(cause?.code ?? cause?.message ?? String(error))
}

/** Seconds to wait before asking again; undefined when asking again is no use. */
function patience(answer: Response, attempt: number, lost: boolean): number | undefined {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  if (Number.isNaN(seconds) || seconds > 30) return undefined
  // Our first try, whose answer was lost, still runs under the same key; it has a minute to end.
  if (answer.status === 409 && lost) return attempt < 60 ? Math.max(seconds, 1) : undefined
  return [429, 503].includes(answer.status) && attempt < retries ? seconds : undefined
}

async function failureOf({ manifest, service }: Session, { command }: Prepared, answer: Response): Promise<Failure> {
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

const notOurs = (answer: Response) =>
  new Failure(
    `What answered is not the service: ${answer.status} ${clean(answer.headers.get('content-type') ?? 'without a content type')}.`,
    1,
    ['Is SERVICE_URL the address of the service, without a path?'],
  )

/** The answer as JSON; throws a Failure when it is something else. */
export async function jsonOf(answer: Response): Promise<unknown> {
  const body = await answer.text().catch(() => '')
  try {
    return JSON.parse(body)
  } catch {
    throw notOurs(answer)
  }
}

/** The query of the next page, from the Link header. Only its query is used: the token goes nowhere else. */
export function nextPage(answer: Response, url: URL): URL | undefined {
  const target = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(answer.headers.get('link') ?? '')?.[1]
  if (target === undefined || !URL.canParse(target, url.href)) return undefined
  const next = new URL(url.href)
  next.search = new URL(target, url).search
  return next
}
