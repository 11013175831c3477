import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../kernel/problem.ts'
import { ObjectMissing } from './storage.ts'

/** Milliseconds; a test is less patient than a network. */
export interface Patience {
  connect: number
  /** Without a byte in either direction. */
  idle: number
  /** One try of a request without a body; with one it is given a second more for each 64 KiB. */
  attempt: number
  /** Before the second try; doubled for each further one. */
  backoff: number
  tries: number
}

const slowestBytesPerMs = 64

/** Tries until it works, there is no hope, or the tries are used up. What comes out names the kind of trouble and nothing the store said. */
export async function persist<Answer>(
  patience: Patience,
  what: string,
  bytes: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  for (let number = 1; ; number++) {
    try {
      return await ask(AbortSignal.timeout(patience.attempt + Math.ceil(bytes / slowestBytesPerMs)))
    } catch (error) {
      if (error instanceof ObjectMissing) throw error
      const trouble = error instanceof S3Trouble ? error : new S3Trouble(what, reasonOf(error), mayPass(error), statusOf(error))
      if (!trouble.retryable || number >= patience.tries) throw trouble
      await sleep(patience.backoff * 2 ** (number - 1) * (0.5 + Math.random() / 2))
    }
  }
}

/** The store did not do as asked. The SDK's own errors carry requests, signatures and addresses; this one carries two words. */
export class S3Trouble extends Problem {
  readonly reason: string
  constructor(what: string, reason: string, retryable: boolean, status?: number) {
    super('unavailable', `The object store failed (${what}: ${reason}${status === undefined ? '' : `, ${status}`}).`, { retryable })
    this.reason = reason
  }
}

export const statusOf = (error: unknown) => (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode

function reasonOf(error: unknown): string {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown }
  if (typeof message === 'string' && message.startsWith('Checksum mismatch')) return 'WrongChecksum'
  const word = typeof code === 'string' && /^E[A-Z_]{3,30}$/.test(code) ? code : name
  return typeof word === 'string' && /^[A-Za-z]{3,60}$/.test(word) ? word : 'UnknownError'
}

export const isMissing = (error: unknown) => statusOf(error) === 404 && /^(NoSuchKey|NotFound|UnknownError|Error)$/.test(reasonOf(error))

/** Weather: the network, the server's bad moment, our clock. A refusal stays one. */
function mayPass(error: unknown): boolean {
  const status = statusOf(error)
  if (/^(BadDigest|XAmzContentSHA256Mismatch|RequestTimeout|RequestTimeTooSkewed|SlowDown|OperationAborted)$/.test(reasonOf(error)))
    return true
  if (/^(CredentialsProviderError|InvalidRegionError)$/.test(reasonOf(error))) return false
  return status === undefined || status === 200 || status === 206 || status === 408 || status === 429 || status >= 500
}

const hints: Record<string, string> = {
  NoSuchBucket: 'there is no such bucket',
  NotFound: 'there is no such bucket',
  AccessDenied: 'these credentials may not list it',
  InvalidAccessKeyId: 'the store does not know this access key',
  SignatureDoesNotMatch: 'the secret key, the region or the machine’s clock is wrong',
  RequestTimeTooSkewed: 'this machine’s clock is wrong',
  CredentialsProviderError: 'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  PermanentRedirect: 'it is in another region; add region=… to the URL',
  AuthorizationHeaderMalformed: 'it is in another region; set region=… in the URL',
  ECONNREFUSED: 'nothing listens at its endpoint',
  ENOTFOUND: 'its endpoint has no address; path_style=true may be missing',
  ETIMEDOUT: 'it does not answer in time',
  TimeoutError: 'it does not answer in time',
  AbortError: 'it does not answer in time',
}

export const hintOf = (reason: string) => (hints[reason] ? `${hints[reason]} (${reason})` : reason)
