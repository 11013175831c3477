// Asking a site: the remembered door first, a few retries that cannot act twice, and a search for a door that works.
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../kernel/ids.ts'
import { brokeOff } from '../platform/fetch-error.ts'
import { Hello } from './commands.ts'
import { DOORS, type Door, MODES, type Mode } from './doors.ts'
import { type Answer, type Attempt, type Deps, exchange, type SiteConnection } from './exchange.ts'
import { JSON_CAP } from './shapes.ts'
import { type DoorReport, SiteError, type SiteReason } from './site-error.ts'
import { decodeResult, decodeSlice } from './slice.ts'

export type { Deps, SiteConnection } from './exchange.ts'
export type AskOptions = {
  /** Names the operation; the same id for the same write makes a repeat harmless. */
  requestId?: string
  /** For all attempts together. */
  timeoutMs?: number
  /** Bytes that go behind the parameters. */
  payload?: Buffer
  /** This door and no other. */
  door?: Door
  /** Behind its address, for what is asked before the connector. */
  query?: Record<string, string>
  /** Most bytes of the answer. */
  maxBytes?: number
  /** Retries after the connection broke or the site was busy. */
  retries?: 0 | 1 | 2
  /** Look for another door when the remembered one is blocked, and learn the clock anew when it is off. */
  probe?: boolean
}
export type AskResult = {
  result: Record<string, unknown>
  /** The bytes after the meta of a slice. */
  payload?: Buffer
  latencyMs: number
  /** How long the bytes of the answer took on the network. */
  bodyMs: number
  door: Door
  mode: Mode
  skewSeconds: number
}
export type ProbeResult = { door: Door; mode: Mode; hello: Hello; skewSeconds: number; latencyMs: number }

const TIMEOUT_MS = 20_000
const PROBE_TIMEOUT_MS = 60_000
const DOOR_TIMEOUT_MS = 10_000

// A door that says one of these may be shut while another is open.
const BLOCKED: ReadonlySet<SiteReason> = new Set([
  'redirect',
  'http_status',
  'html_instead_of_json',
  'challenge_page',
  'login_wall',
  'security_plugin',
  'not_signed',
  'bad_signature',
  'clock',
  'malformed',
  'refused:signature_input',
  'refused:digest',
  'refused:signature',
])
// What firewalls answer to a body that they have read.
const FILTERED: ReadonlySet<SiteReason> = new Set(['http_status', 'security_plugin', 'challenge_page', 'html_instead_of_json'])
// A password is wanted, nothing is there, or the body is too long, and longer in an envelope.
const ABOUT_ELSE: ReadonlySet<number> = new Set([401, 404, 413])
/** So many bodies refused as they are and taken in envelopes: the others travel so from the first. */
const REFUSALS_BELIEVED = 3
// Every door would say the same. A broken connection may be a firewall at one door, but not twice in a row.
const HOPELESS: ReadonlySet<SiteReason> = new Set(['dns', 'tls', 'blocked_address'])

/** Whether another door may be open. */
export const isBlocked = (error: unknown): boolean => error instanceof SiteError && BLOCKED.has(error.reason)

/** Runs one verb. Throws a SiteError that names what stood in the way. */
export async function ask(
  deps: Deps,
  site: SiteConnection,
  { method, params }: Pick<Attempt, 'method' | 'params'>,
  options: AskOptions = {},
): Promise<AskResult> {
  const { requestId = newId('req', deps.now()), timeoutMs = TIMEOUT_MS, maxBytes = JSON_CAP, retries = 2 } = options
  const deadline = performance.now() + timeoutMs
  const door = options.door ?? site.door ?? 'front'
  const wanted = { method, params, payload: options.payload, query: options.query, requestId, maxBytes }
  const attempt = ({ mode, shift }: Frame) =>
    persist(deps, { ...wanted, site, door, mode, shift }, deadline, retries).then((answer) => asResult(site, door, mode, answer))
  try {
    return await inEitherMode(site, attempt, (error) => {
      // Some firewalls break the connection at a word, each time.
      if (error.reason === 'connect') return retries > 0 && brokeOff(error.cause)
      // Where the door that was named is not there, a page of the site is.
      return mayBeTheBody(error) && !(options.door && error.reason === 'html_instead_of_json')
    })
  } catch (error) {
    if (!(options.probe && !options.door && isBlocked(error))) throw error
    const found = await probe(deps, site)
    const settled = { ...site, skewSeconds: found.skewSeconds }
    const again = { ...wanted, ...found, site: settled }
    return asResult(settled, found.door, found.mode, await persist(deps, again, performance.now() + timeoutMs, 0))
  }
}

type Frame = Pick<Attempt, 'mode' | 'shift'>

/** A firewall that dislikes words in a body cannot read an envelope. What it refuses in each of them fails as it did at first. */
async function inEitherMode(
  site: SiteConnection,
  attempt: (frame: Frame) => Promise<AskResult>,
  isBody: (error: SiteError) => boolean,
): Promise<AskResult> {
  let first: unknown
  for (const frame of framesOf(site)) {
    try {
      const answer = await attempt(frame)
      if (first !== undefined && site.mode !== 'envelope') site.refusedBodies = (site.refusedBodies ?? 0) + 1
      return answer
    } catch (error) {
      if (first !== undefined && error instanceof SiteError && error.reason.startsWith('error:')) throw error
      first ??= error
      if (!(error instanceof SiteError && isBody(error))) break
    }
  }
  throw first
}

/** As it is, then in an envelope. Where envelopes pass, one that does not may have a word in its base64 by chance: it is written anew. */
function framesOf({ mode = 'headers', refusedBodies = 0 }: SiteConnection): Frame[] {
  const envelopes = (mode === 'envelope' || refusedBodies > 0 ? [0, 1, 2] : [0]).map((shift) => ({ mode: 'envelope' as const, shift }))
  return mode === 'envelope' || refusedBodies >= REFUSALS_BELIEVED ? envelopes : [{ mode }, ...envelopes]
}

/** Whether another body may pass where this one did not: what it says, or how long it is, may be what a firewall dislikes. */
export const mayBeTheBody = ({ reason, status = 0, retryable }: SiteError) =>
  (FILTERED.has(reason) || (reason === 'not_signed' && status >= 400)) && !retryable && !ABOUT_ELSE.has(status)

/** Whether a smaller body may pass where this one did not: it was too long, is disliked, or the connection broke at it. */
export const mayBeItsSize = (error: SiteError) =>
  error.status === 413 || error.reason === 'refused:body' || error.reason === 'connect' || mayBeTheBody(error)

/** Tries the doors in order with a signed hello. Throws the most telling SiteError, with what each door said. */
export async function probe(deps: Deps, site: SiteConnection, doors: readonly Door[] = DOORS): Promise<ProbeResult> {
  const deadline = performance.now() + PROBE_TIMEOUT_MS
  const reports: (DoorReport & { error: SiteError })[] = []
  for (const [door, mode] of doors.flatMap((door) => MODES.map((mode) => [door, mode] as const))) {
    const remaining = Math.min(DOOR_TIMEOUT_MS, deadline - performance.now())
    if (remaining <= 0) break
    try {
      return await probeDoor(deps, site, { door, mode }, remaining)
    } catch (error) {
      if (!(error instanceof SiteError) || HOPELESS.has(error.reason)) throw error
      if (error.reason === 'connect' && reports.at(-1)?.reason === 'connect') throw error
      reports.push({ door, mode, reason: error.reason, message: error.message, error })
    }
  }
  throw verdict(reports)
}

async function probeDoor(
  deps: Deps,
  site: SiteConnection,
  { door, mode }: Pick<ProbeResult, 'door' | 'mode'>,
  timeoutMs: number,
): Promise<ProbeResult> {
  const requestId = newId('req', deps.now())
  const before = deps.now().getTime()
  const answer = await exchange(deps, { site, door, mode, method: 'hello', params: {}, requestId, maxBytes: JSON_CAP, timeoutMs })
  const after = deps.now().getTime()
  const hello = Hello.safeParse(decodeResult(answer.body))
  if (!hello.success) throw new SiteError('malformed', 'The connector’s hello cannot be read.', { cause: hello.error })
  const skewSeconds = skewOf(site.skewSeconds, hello.data.time, { before, after })
  return { door, mode, hello: hello.data, skewSeconds, latencyMs: answer.latencyMs }
}

/**
 * The site's clock minus ours, in whole seconds. `time` = what it told, cut to whole seconds; before, after = of our clock, in ms.
 * What was known stays as long as it may be true: a site at the edge of a second is not one second late now and on time after.
 */
export function skewOf(known: number, time: number, { before, after }: { before: number; after: number }): number {
  const [least, most] = [time - after / 1000, time + 1 - before / 1000]
  return least <= known && known <= most ? known : Math.round((least + most) / 2) || 0
}

/** Repeats what is safe to repeat: the request id stays, the nonce is new each time. */
async function persist(deps: Deps, wanted: Omit<Attempt, 'timeoutMs'>, deadline: number, retries: number): Promise<Answer> {
  for (let retry = 0; ; retry++) {
    try {
      return await exchange(deps, { ...wanted, timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())) })
    } catch (error) {
      const pause = (100 + 300 * Math.random()) * 2 ** retry
      const again = error instanceof SiteError && mayPass(error) && retry < retries && performance.now() + pause < deadline
      if (!again) throw error
      await sleep(pause)
    }
  }
}

/** A repeated nonce means that somebody on the way sent our request twice; asked again, the site answers from memory. */
function mayPass({ reason, retryable }: SiteError): boolean {
  return (retryable && reason !== 'timeout') || reason === 'refused:nonce'
}

function asResult(site: SiteConnection, door: Door, mode: Mode, answer: Answer): AskResult {
  const { latencyMs, bodyMs, contentType, body } = answer
  const { skewSeconds } = site
  if (contentType === 'application/octet-stream') return { ...decodeSlice(body), latencyMs, bodyMs, door, mode, skewSeconds }
  return { result: decodeResult(body), latencyMs, bodyMs, door, mode, skewSeconds }
}

// The first of these that a door said explains best why none works.
const TELLING: readonly SiteReason[] = [
  'clock',
  'refused:key',
  'refused:audience',
  'refused:salts',
  'refused:signature',
  'security_plugin',
  'challenge_page',
  'login_wall',
  'redirect',
  'bad_signature',
  'timeout',
]

function verdict(reports: readonly (DoorReport & { error: SiteError })[]): SiteError {
  const telling = TELLING.map((reason) => reports.find((each) => each.reason === reason)).find((each) => each !== undefined)
  const { error } = telling ?? reports[0] ?? {}
  if (!error) return new SiteError('timeout', 'The site did not answer in time.')
  const { status, location } = error
  const doors = reports.map(({ door, mode, reason, message }) => ({ door, mode, reason, message }))
  const known = { ...(status !== undefined && { status }), ...(location !== undefined && { location }) }
  return new SiteError(error.reason, error.message, { ...known, siteSaid: error.siteSaid, doors, retryable: error.retryable, cause: error })
}
