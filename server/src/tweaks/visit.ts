// Visiting a site as a stranger does, through the guarded client.
import { randomBytes } from 'node:crypto'
import { FetchError } from '../platform/fetch-error.ts'
import type { World } from '../world.ts'

/** What a visitor was given; status 0: nothing. */
export interface Seen {
  status: number
  headers: Record<string, string>
  text: string
}

/** Where a site's pages are; addresses end without a slash. */
export interface Place {
  home: string
  url: string
  /** Path of the folder of uploads, with slashes around. */
  uploads: string
  version: string | null
}

export interface Visitor extends Place {
  get(address: string): Promise<Seen>
  post(address: string, type: string, body: string): Promise<Seen>
}

const pageBytes = 4 * 1024 * 1024
const timeoutMs = 15_000

export function visitorOf({ wire }: Pick<World, 'wire'>, place: Place): Visitor {
  const send = async (method: 'GET' | 'POST', url: string, headers: Record<string, string>, body?: string): Promise<Seen> => {
    try {
      const answer = await wire.fetch({
        method,
        url,
        headers: { accept: '*/*', 'cache-control': 'no-cache', ...headers },
        ...(body !== undefined && { body: Buffer.from(body) }),
        maxBytes: pageBytes,
        timeoutMs,
      })
      return { status: answer.status, headers: answer.headers, text: answer.body.toString('utf8') }
    } catch (error) {
      if (error instanceof FetchError) return { status: 0, headers: {}, text: '' }
      throw error
    }
  }
  return {
    ...place,
    get: (address) => send('GET', fresh(address), {}),
    post: (address, type, body) => send('POST', address, { 'content-type': type }, body),
  }
}

/** An address no cache knows. */
const fresh = (address: string) => `${address}${address.includes('?') ? '&' : '?'}svc-look=${randomBytes(6).toString('hex')}`
