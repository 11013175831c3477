// What a page is made of, as it is sent: how long it takes, how much it weighs, how much more it asks for.
import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import { extract } from '../links/extract.ts'
import { FetchError } from '../platform/fetch-error.ts'
import type { GuardedFetch, GuardedResponse } from '../platform/guarded-fetch.ts'
import { isFromCache, isPastTls } from '../uptime/probe.ts'
import type { Sample } from './schema.ts'

export type Probed = Omit<Sample, 'id' | 'site_id' | 'collected_at' | 'during'>

const looks = 3
const pageBytes = 4 * 1024 * 1024
const assetBytes = 8 * 1024 * 1024
const mostAssets = 200
const atOnce = 6
const timeoutMs = 20_000
const mostRedirects = 5
const unpack = { gzip: promisify(gunzip), br: promisify(brotliDecompress) }
/** What a browser asks for by itself; links are followed by people. */
const asked = /^(?:img\[src\]|script\[src\]|iframe\[src\]|frame\[src\]|video\[poster\]|link\[href\]|style url\(\)|\w+\[style\])$/

interface Probing {
  fetch: GuardedFetch
  signal: AbortSignal
}

/** Throws a FetchError where no page comes, or a NoPage for what is none. */
export async function probePage(probing: Probing, home: string): Promise<Probed> {
  const first = await page(probing, home)
  const all = [first]
  while (all.length < looks) all.push(await page(probing, home))
  const { answer, url, html } = all.toSorted((a, b) => waitOf(a.answer) - waitOf(b.answer))[looks >> 1] ?? first
  const { dnsMs = 0, connectMs = 0, tlsMs = null, totalMs = 0 } = answer.timings ?? {}
  const weights = await weigh(probing, await assetsOf(html, url))
  const known = weights.filter((bytes) => bytes !== null)
  return {
    ...{ url, source: 'probe', ttfb_ms: Math.round(waitOf(answer)), total_ms: Math.round(totalMs) },
    ...{ dns_ms: Math.round(dnsMs), connect_ms: Math.round(connectMs), tls_ms: tlsMs === null ? null : Math.round(tlsMs) },
    ...{ html_bytes: answer.body.length, compression: compressionOf(answer), cache_status: cacheOf(answer.headers) },
    page_bytes: known.length < weights.length ? null : known.reduce((sum, bytes) => sum + bytes, answer.body.length),
    requests: 1 + weights.length,
  }
}

/** The site answers, but not with a page that visitors could see. */
export class NoPage extends Error {}

const waitOf = ({ timings }: GuardedResponse) => timings?.waitMs ?? 0

async function page({ fetch, signal }: Probing, home: string) {
  for (let url = home, hops = 0; ; hops++) {
    const answer = await fetch({
      ...{ method: 'GET', url, maxBytes: pageBytes, timeoutMs, timed: true, plain: isPastTls(url, home), signal },
      headers: { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'br, gzip', 'user-agent': 'ServicePerformance/1.0' },
    })
    const { status, headers } = answer
    const next = status >= 300 && status < 400 && headers.location !== undefined ? URL.parse(headers.location, url)?.href : undefined
    if (next === undefined) {
      if (status < 200 || status >= 300) throw new NoPage(`The front page answers with ${status}.`)
      return { answer, url, html: await textOf(answer) }
    }
    if (hops >= mostRedirects) throw new NoPage('The front page redirects in a circle.')
    url = next
  }
}

const compressionOf = ({ headers }: GuardedResponse) => {
  const said = headers['content-encoding']
  return said === 'br' || said === 'gzip' ? said : null
}

/** What does not unpack, or into too much, names nothing. */
async function textOf(answer: GuardedResponse): Promise<string> {
  const compression = compressionOf(answer)
  if (compression === null) return answer.body.toString('utf8')
  try {
    return (await unpack[compression](answer.body, { maxOutputLength: pageBytes })).toString('utf8')
  } catch {
    throw new NoPage('The front page could not be unpacked.')
  }
}

function cacheOf(headers: Record<string, string>): Sample['cache_status'] {
  if (isFromCache(headers)) return 'hit'
  const names = ['cf-cache-status', 'x-cache', 'x-litespeed-cache', 'x-kinsta-cache', 'x-proxy-cache', 'x-cache-status']
  return names.some((name) => name in headers) ? 'miss' : null
}

async function assetsOf(html: string, url: string): Promise<string[]> {
  const { links } = await extract(html, url)
  const fetched = links.filter(
    ({ element, malformed, isStyle }) => !malformed && asked.test(element) && (element !== 'link[href]' || isStyle),
  )
  return [...new Set(fetched.map((link) => link.url.split('#')[0] ?? ''))].slice(0, mostAssets)
}

/** Bytes of each; null where it would not say. */
async function weigh(probing: Probing, urls: readonly string[]): Promise<(number | null)[]> {
  const weights: (number | null)[] = urls.map(() => null)
  let next = 0
  const work = async () => {
    for (let at = next++; at < urls.length; at = next++) weights[at] = await weightOf(probing, urls[at] ?? '')
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return weights
}

async function weightOf({ fetch, signal }: Probing, url: string): Promise<number | null> {
  const request = { url, timeoutMs, signal, plain: url.startsWith('http:'), headers: { accept: '*/*', 'accept-encoding': 'br, gzip' } }
  try {
    const head = await fetch({ ...request, method: 'HEAD', maxBytes: 0 })
    const said = Number(head.headers['content-length'] ?? Number.NaN)
    if (head.status < 300 && said >= 0) return said
    let bytes = 0
    const into = async (piece: Buffer) => {
      bytes += piece.length
    }
    const { status } = await fetch({ ...request, method: 'GET', maxBytes: assetBytes, into })
    return status < 300 ? bytes : 0
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof FetchError) return null
    throw error
  }
}
