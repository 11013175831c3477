// One attempt through one door: sign, send, verify. Nothing here tries again.
import type { KeyObject } from 'node:crypto'
import { FetchError, type FetchReason } from '../platform/fetch-error.ts'
import type { GuardedFetch, GuardedResponse } from '../platform/guarded-fetch.ts'
import { siteSaid } from './clean.ts'
import { diagnose } from './diagnose.ts'
import { type Door, doorUrl, type Mode, withQuery } from './doors.ts'
import { envelopeCap, frameRequest, unframeResponse } from './envelope.ts'
import type { PublicKey } from './keys.ts'
import { type Headers, type Refusal, VERB_TAG } from './shapes.ts'
import { signRequest, tagOf } from './sign.ts'
import { SiteError, type SiteReason, type VerbError } from './site-error.ts'
import { frameUpload, parseJson, verifyResponse } from './verify.ts'

/** All that is needed to talk to one site. `skewSeconds` = the site's clock minus ours, as its last signed hello told. */
export type SiteConnection = {
  siteId: string
  url: string
  home: string
  servicePrivateKey: KeyObject
  keyid: string
  siteKeys: readonly PublicKey[]
  door?: Door | undefined
  mode?: Mode | undefined
  skewSeconds: number
  sliceBytes?: number | undefined
  alone?: string | undefined
  /** What the web server in front of it wants to see. */
  headers?: Record<string, string>
  /** Bodies that something on the way refused as they are and let pass in an envelope. */
  refusedBodies?: number
  standing?: string | undefined
}
export type Deps = { fetch: GuardedFetch; now: () => Date }
export type Attempt = {
  site: SiteConnection
  door: Door
  mode: Mode
  method: string
  params: object
  /** So many spaces before the parameters: the base64 of an envelope is another text then. */
  shift?: number | undefined
  /** Bytes that go behind the parameters. */
  payload?: Buffer | undefined
  query?: Record<string, string> | undefined
  requestId: string
  /** Most bytes of the inner body of the answer. */
  maxBytes: number
  timeoutMs: number
}
/** `bodyMs`: how long its bytes took on the network. */
export type Answer = { contentType: string; body: Buffer; latencyMs: number; bodyMs: number }

type Received = { status: number; headers: Headers; body: Buffer }

/** The verified body of a signed 200; throws a SiteError for all else. */
export async function exchange(deps: Deps, attempt: Attempt): Promise<Answer> {
  const { site, method, params, payload, requestId, shift = 0 } = attempt
  const created = Math.floor(deps.now().getTime() / 1000) + site.skewSeconds
  const words = Buffer.from(' '.repeat(shift) + JSON.stringify({ method, params }))
  const body = payload ? frameUpload(words, payload) : [words]
  const contentType = payload ? 'application/octet-stream' : 'application/json'
  const tag = tagOf(method)
  const signer = { keyid: site.keyid, privateKey: site.servicePrivateKey }
  const headers = signRequest(signer, { body, contentType, siteId: site.siteId, requestId, tag, created })
  const response = await send(deps, attempt, headers, body)
  const received = open(attempt, response)
  if (!received.headers['signature-input']) throw diagnose(received)
  const { siteId, siteKeys: keys } = site
  const now = Math.floor(deps.now().getTime() / 1000) + site.skewSeconds
  const message = { ...received, siteId, keys, requestSignature: headers.signature, requestTag: tag, now, maxBytes: attempt.maxBytes }
  const verified = verifyResponse(message)
  if (!verified.ok) throw unverified(verified.reason, received.status)
  if (received.status !== 200) throw verbError(received)
  return { contentType: verified.contentType, body: received.body, latencyMs: response.latencyMs, bodyMs: response.bodyMs }
}

async function send(deps: Deps, attempt: Attempt, headers: Record<string, string>, body: Buffer[]): Promise<GuardedResponse> {
  const { door, mode, maxBytes, timeoutMs, site } = attempt
  const common = { ...site.headers, accept: '*/*', 'accept-encoding': 'identity', 'user-agent': `${VERB_TAG} service` }
  const url = siteUrl(site, door, attempt.query)
  const framed =
    mode === 'headers'
      ? { headers: { ...common, ...headers }, body, maxBytes }
      : {
          headers: { ...common, 'content-type': 'application/json' },
          body: frameRequest({ headers, body: Buffer.concat(body) }),
          maxBytes: envelopeCap(maxBytes),
        }
  try {
    return await deps.fetch({ method: 'POST', url, timeoutMs, ...framed })
  } catch (error) {
    throw error instanceof FetchError ? unanswered(error) : error
  }
}

function siteUrl(site: SiteConnection, door: Door, query: Record<string, string> = {}): string {
  try {
    return withQuery(doorUrl(site, door), query)
  } catch (cause) {
    throw new SiteError('blocked_address', 'The address of the site is not a proper URL.', { cause })
  }
}

/** Takes the message out of its envelope. What is not in one is judged as it came. */
function open(attempt: Attempt, response: GuardedResponse): Received {
  if (attempt.mode === 'headers') return response
  return unframeResponse(response.body, attempt.maxBytes) ?? { ...response, headers: { ...response.headers, 'signature-input': undefined } }
}

function unanswered(error: FetchError): SiteError {
  const reasons: Partial<Record<FetchReason, SiteReason>> = { protocol: 'malformed' }
  return new SiteError(reasons[error.reason] ?? (error.reason as SiteReason), error.message, { cause: error })
}

function unverified(reason: Refusal, status: number): SiteError {
  if (reason === 'window') return new SiteError('clock', 'The site’s clock differs too much from ours.', { status })
  const words: Partial<Record<Refusal, string>> = {
    signature_input: 'The answer is not signed as the connector signs.',
    digest: 'The answer was changed on its way: its checksum does not fit.',
    audience: 'The answer is signed for another site.',
    key: 'The answer is signed with a key that is not this site’s.',
  }
  return new SiteError('bad_signature', words[reason] ?? 'The signature of the answer is wrong: it is forged, replayed or from a cache.', {
    status,
  })
}

/** What a site's refusal means, and what to do; its own words come beside it. */
const VERB_ERRORS: Record<VerbError, string> = {
  bad_request: 'The connector refused the request as it was. Update the plugin on the site if it is older than this service.',
  not_found: 'The site does not have what was asked for.',
  unknown_verb: 'The connector on the site is too old for this. Update the plugin there.',
  fence: 'A newer attempt of the same work has taken over on the site.',
  busy: 'The site is busy with a backup, a restore or an update. Try again in a minute.',
  failed: 'The connector could not do it. What it said may tell why; otherwise look into the PHP error log of the site.',
}

function verbError({ status, body }: Received): SiteError {
  const json = parseJson(body)
  const error = typeof json === 'object' && json && 'error' in json ? json.error : undefined
  if (typeof error !== 'object' || !error || !('code' in error)) {
    return new SiteError('malformed', 'The connector answered with an error that cannot be read.', { status })
  }
  if (error.code === 'clone')
    return new SiteError('clone', 'The site is a copy of the one that was paired; it refuses changes.', { status })
  const code = (Object.keys(VERB_ERRORS) as VerbError[]).find((each) => each === error.code) ?? 'failed'
  const words = 'message' in error && typeof error.message === 'string' ? error.message : ''
  return new SiteError(`error:${code}`, VERB_ERRORS[code], { status, siteSaid: siteSaid(words) })
}
