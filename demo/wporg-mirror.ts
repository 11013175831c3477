// A loopback stand-in for api.wordpress.org and downloads.wordpress.org; mu-wporg-mirror.php sends a site here.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { coreOffers, type Offer, pluginUpdates, themeUpdates } from './mirror-answers.ts'
import { samplePackages } from './mirror-packages.ts'
import type { Package } from './sample-plugin.ts'

export interface LoggedRequest {
  method: string
  path: string
  status: number
}
export interface Mirror {
  url: string
  /** Replaces the whole offer. */
  offer: (offer: Offer) => void
  addPackage: (fileName: string, bytes: Buffer) => void
  /** The requests since the last call. */
  log: () => LoggedRequest[]
  stop: () => Promise<void>
}
interface World {
  offer: Offer
  packages: Map<string, () => Package>
}

/** Starts the stand-in on 127.0.0.1; it knows the sample packages and offers nothing until told. */
export async function startMirror(options: { port?: number } = {}): Promise<Mirror> {
  const world: World = { offer: {}, packages: new Map(Object.entries(samplePackages())) }
  const seen: LoggedRequest[] = []
  const server = createServer((request, response) => {
    response.once('close', () => seen.push({ method: request.method ?? '', path: request.url ?? '', status: response.statusCode }))
    answer(world, request, response).catch((error: unknown) => sendJson(response, { error: String(error) }, 400))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : options.port}`,
    offer: (offer) => {
      world.offer = offer
    },
    addPackage: (fileName, bytes) => void world.packages.set(fileName, () => ({ bytes })),
    log: () => seen.splice(0),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://mirror.invalid')
  if (url.pathname.startsWith('/downloads/')) return sendPackage(world, url.pathname, request, response)
  const form = new URLSearchParams(await readText(request))
  const [, host, what, verb] = url.pathname.split('/')
  if (host !== 'api') return sendJson(response, { error: 'unknown host' }, 404)
  if (`${what}/${verb}` === 'plugins/update-check') return sendJson(response, pluginUpdates(world.offer, form))
  if (`${what}/${verb}` === 'themes/update-check') return sendJson(response, themeUpdates(world.offer, form))
  if (`${what}/${verb}` === 'core/version-check') return sendJson(response, coreOffers(world.offer, url.searchParams))
  if (`${what}/${verb}` === 'core/checksums') return sendJson(response, { checksums: false })
  if (what === 'translations') return sendJson(response, { translations: [] })
  return sendJson(response, { error: 'The mirror does not know this.' }, 404)
}

function sendPackage(world: World, path: string, request: IncomingMessage, response: ServerResponse): void {
  const found = world.packages.get(path.slice(path.lastIndexOf('/') + 1))?.()
  if (!found) return void response.writeHead(404).end()
  const { bytes, stallsAfter } = found
  response.writeHead(200, { 'content-type': 'application/zip', 'content-length': bytes.length })
  if (request.method === 'HEAD') response.end()
  else if (stallsAfter === undefined) response.end(bytes)
  else response.write(bytes.subarray(0, stallsAfter))
}

function sendJson(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
