import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Config, FeedAddress } from '../config.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedFetch, GuardedResponse } from '../platform/guarded-fetch.ts'
import { FeedTrouble } from './feed-trouble.ts'
import type { SourceRow } from './store.ts'

/** As it comes, which is packed mostly. */
const maxBytes = 512 * 1024 ** 2
const timeoutMs = 20 * 60_000

export type Validators = Pick<SourceRow, 'etag' | 'last_modified'>

/** A feed that lies in a file, and by what to ask whether there is a newer one. */
export interface Fetched {
  file: string
  validators: Validators
}

interface Wire {
  fetch: GuardedFetch
  header: Config['vulnerabilityFeed']['header']
  signal: AbortSignal
}

/** Undefined: it is what we have. `to` is where a download goes. Throws a FeedTrouble. */
export function fetchFeed(wire: Wire, source: FeedAddress, known: Validators, to: string): Promise<Fetched | undefined> {
  return source.kind === 'file' ? lookAtFile(source.address, known) : download(wire, source.address, known, to)
}

/** Whether it is another file is told by its time and size. */
async function lookAtFile(path: string, known: Validators): Promise<Fetched | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new FeedTrouble(`The file of the feed cannot be read (${error.code ?? 'error'}).`, { cause: error })
  })
  if (!found.isFile()) throw new FeedTrouble('What should be the file of the feed is none.')
  const etag = `${found.size} ${found.mtimeMs}`
  return etag === known.etag ? undefined : { file: path, validators: { etag, last_modified: null } }
}

async function download({ fetch, header, signal }: Wire, url: string, known: Validators, to: string): Promise<Fetched | undefined> {
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': 'service (vulnerability feed)',
    ...(header && { [header.name.toLowerCase()]: header.value }),
    ...(known.etag !== null && { 'if-none-match': known.etag }),
    ...(known.last_modified !== null && { 'if-modified-since': known.last_modified }),
  }
  const file = await open(to, 'wx', 0o600)
  try {
    const answer = await fetch({ method: 'GET', url, headers, maxBytes, timeoutMs, signal, into: (piece) => write(file, piece) })
    if (answer.status === 304 && (known.etag !== null || known.last_modified !== null)) return undefined
    if (answer.status !== 200) throw refusal(answer)
    return { file: to, validators: { etag: headerOf(answer, 'etag'), last_modified: headerOf(answer, 'last-modified') } }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    if (error.cause instanceof FeedTrouble) throw error.cause
    throw new FeedTrouble(`The feed could not be fetched. ${error.message}`, { cause: error })
  } finally {
    await file.close()
  }
}

async function write(file: FileHandle, piece: Buffer): Promise<void> {
  await file.appendFile(piece).catch((error: NodeJS.ErrnoException) => {
    throw new FeedTrouble(`The feed could not be written into the data directory (${error.code ?? 'error'}).`, { cause: error })
  })
}

function headerOf({ headers }: GuardedResponse, name: string): string | null {
  const value = headers[name]
  return value !== undefined && /^[\x20-\x7e]{1,300}$/.test(value) ? value : null
}

/** Nothing of the answer's text is repeated. */
function refusal(answer: GuardedResponse): FeedTrouble {
  const { status } = answer
  if (status === 401 || status === 403)
    return new FeedTrouble(`The feed refused us (${status}). Look at the key in SERVICE_VULNERABILITY_FEED_HEADER.`)
  if (status === 429)
    return new FeedTrouble('The feed wants to be asked less often (429).', { retryAfter: secondsOf(answer.headers['retry-after']) })
  if (status >= 300 && status < 400 && status !== 304)
    return new FeedTrouble(`The feed has moved (${status}), and redirects are not followed. Set the address it leads to.`)
  return new FeedTrouble(`The feed answered with the status ${status}.`)
}

const secondsOf = (text: string | undefined) => (text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined)
