// Looking up names, so that one whose nameservers are silent keeps no other waiting.
import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { FetchError } from './fetch-error.ts'
import { Slots } from './slots.ts'

export type Resolve = (hostname: string) => Promise<readonly string[]>

/** getaddrinfo gets half of libuv's four threads, and whoever waits for silent nameservers keeps one for up to half a minute. */
const threads = 2
/** Who has not answered by then is asked in another way too. */
const lateMs = 1_000
/** Who has no thread by then was not looked up at all. */
const waitMs = 4_000
const mostSilent = 10_000

export interface Ways {
  /** The machine's own, which knows names of the operator's, and has a thread for each that is looked up. */
  system: Resolve
  /** Takes no thread, and knows DNS alone. */
  aside: Resolve
  /** What DNS says of this name is not what holds here. */
  isOurs: (hostname: string) => Promise<boolean>
}

/** One for each process: its threads are. The same name is looked up once at a time, and names that were silent share a single thread. */
export function openLookups({ system, aside, isOurs }: Ways): Resolve {
  const [all, narrow] = [new Slots(threads), new Slots(threads - 1)]
  const underWay = new Map<string, Promise<readonly string[]>>()
  /** They did not answer in time when they were looked up last. */
  const silent = new Set<string>()

  async function inTurn(hostname: string): Promise<readonly string[]> {
    const own = silent.has(hostname) ? await narrow.take('', waitMs) : () => undefined
    const turn = own && (await all.take('', waitMs))
    try {
      if (!turn) throw new FetchError('dns', 'Too many names were waiting to be looked up.', undefined, true)
      return await noted(hostname, system(hostname))
    } finally {
      turn?.()
      own?.()
    }
  }

  async function noted(hostname: string, answer: Promise<readonly string[]>): Promise<readonly string[]> {
    silent.delete(hostname)
    const timer = setTimeout(() => {
      silent.add(hostname)
      if (silent.size > mostSilent) for (const oldest of silent) return void silent.delete(oldest)
    }, lateMs)
    return answer.finally(() => clearTimeout(timer))
  }

  function begin(hostname: string): Promise<readonly string[]> {
    const begun = inTurn(hostname).finally(() => underWay.delete(hostname))
    underWay.set(hostname, begun)
    // Whoever asks hears of it, also when that is only when it is over.
    begun.catch(() => undefined)
    return begun
  }

  return async (hostname) => {
    const isSilent = silent.has(hostname)
    const asked = underWay.get(hostname) ?? begin(hostname)
    const early = isSilent ? undefined : await within(lateMs, asked)
    // A name without a dot is one of this network.
    if (early || !hostname.includes('.') || (await isOurs(hostname))) return early ?? asked
    return Promise.any([asked, aside(hostname)]).catch(({ errors }: AggregateError) => Promise.reject(errors.find(isSent) ?? errors[0]))
  }
}

/** Somebody was asked for the name, which says more than that there was no thread. */
const isSent = (error: unknown): boolean => !(error instanceof FetchError && error.unsent)

async function within<Answer>(ms: number, asked: Promise<Answer>): Promise<Answer | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), ms)
  return Promise.race([asked, late.promise]).finally(() => clearTimeout(timer))
}

const getaddrinfo: Resolve = async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address)

/** Asks nameservers itself, those of the machine if no others are named. All addresses there are, or none: each of them is judged. */
export async function askNameservers(hostname: string, servers?: readonly string[]): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  if (servers) resolver.setServers(servers)
  const timer = setTimeout(() => resolver.cancel(), 2_500)
  const none = (error: NodeJS.ErrnoException) => (error.code === 'ENODATA' ? [] : Promise.reject(error))
  try {
    const found = await Promise.all([resolver.resolve4(hostname).catch(none), resolver.resolve6(hostname).catch(none)])
    if (found.flat().length === 0) throw new Error('no address in DNS')
    return found.flat()
  } finally {
    clearTimeout(timer)
    resolver.cancel()
  }
}

/** Whether /etc/hosts says where it is. */
async function isInHosts(hostname: string): Promise<boolean> {
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '')
  return text.split('\n').some((line) => line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/).slice(1).includes(hostname))
}

export const systemResolve = openLookups({ system: getaddrinfo, aside: (hostname) => askNameservers(hostname), isOurs: isInHosts })
