// A loopback stand-in for api.wordpress.org and downloads.wordpress.org; mu-wporg-mirror.php sends a site here.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { samplePackages } from './mirror-packages.ts'

/** What the stand-in says is the newest: plugin file, theme folder or core → version. */
export interface Offer {
  plugins?: Record<string, string>
  themes?: Record<string, string>
  core?: string
}
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
  packages: Map<string, Buffer>
}
interface Installed {
  Version?: string
  UpdateURI?: string
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
    addPackage: (fileName, bytes) => void world.packages.set(fileName, bytes),
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
  if (`${what}/${verb}` === 'plugins/update-check') return sendJson(response, pluginUpdates(world.offer.plugins ?? {}, form))
  if (`${what}/${verb}` === 'themes/update-check') return sendJson(response, themeUpdates(world.offer.themes ?? {}, form))
  if (`${what}/${verb}` === 'core/version-check') return sendJson(response, coreOffers(world.offer.core, url.searchParams))
  if (`${what}/${verb}` === 'core/checksums') return sendJson(response, { checksums: false })
  if (what === 'translations') return sendJson(response, { translations: [] })
  return sendJson(response, { error: 'The mirror does not know this.' }, 404)
}

function pluginUpdates(offered: Record<string, string>, form: URLSearchParams): object {
  const installed = installedIn(form, 'plugins')
  return sortedByNews(
    offered,
    installed,
    (file, version) => {
      const slug = file.split('/')[0] ?? file
      return {
        ...{ id: `w.org/plugins/${slug}`, slug, plugin: file, new_version: version, url: `https://wordpress.org/plugins/${slug}/` },
        ...{
          package: `https://downloads.wordpress.org/plugin/${slug}.${version}.zip`,
          requires: '5.6',
          requires_php: '7.2',
          tested: '7.1',
        },
        ...{ icons: {}, banners: {}, banners_rtl: {}, requires_plugins: [] },
      }
    },
    'plugins',
  )
}

function themeUpdates(offered: Record<string, string>, form: URLSearchParams): object {
  const installed = installedIn(form, 'themes')
  return sortedByNews(
    offered,
    installed,
    (theme, version) => ({
      ...{ theme, new_version: version, url: `https://wordpress.org/themes/${theme}/`, requires: '5.9', requires_php: '7.2' },
      package: `https://downloads.wordpress.org/theme/${theme}.${version}.zip`,
    }),
    'themes',
  )
}

/** WordPress posts `{"plugins": {file: headers}}` or `{"themes": {folder: headers}}` in a form field of that name. */
function installedIn(form: URLSearchParams, kind: 'plugins' | 'themes'): Record<string, Installed> {
  const posted = JSON.parse(form.get(kind) ?? '{}') as Record<string, Record<string, Installed>>
  return posted[kind] ?? {}
}

function sortedByNews(
  offered: Record<string, string>,
  installed: Record<string, Installed>,
  describe: (name: string, version: string) => object,
  kind: 'plugins' | 'themes',
): object {
  const news: Record<string, object> = {}
  const same: Record<string, object> = {}
  for (const [name, headers] of Object.entries(installed)) {
    const version = offered[name]
    if (version === undefined || (headers.UpdateURI && !/wordpress\.org|w\.org/.test(headers.UpdateURI))) continue
    if (compareVersions(version, headers.Version ?? '0') > 0) news[name] = describe(name, version)
    else same[name] = describe(name, version)
  }
  return { [kind]: news, no_update: same, translations: [] }
}

function coreOffers(offered: string | undefined, query: URLSearchParams): object {
  const current = query.get('version') ?? '0'
  const version = offered !== undefined && compareVersions(offered, current) > 0 ? offered : current
  const download = `https://downloads.wordpress.org/release/wordpress-${version}.zip`
  const packages = { full: download, no_content: false, new_bundled: false, partial: false, rollback: false }
  const common = { download, packages, current: version, version, locale: 'en_US', php_version: '7.2.24', mysql_version: '5.5.5' }
  const kinds = version === current ? ['latest'] : ['upgrade', 'autoupdate']
  return { offers: kinds.map((response) => ({ response, ...common, new_bundled: '6.7', partial_version: false })), translations: [] }
}

function sendPackage(world: World, path: string, request: IncomingMessage, response: ServerResponse): void {
  const bytes = world.packages.get(path.slice(path.lastIndexOf('/') + 1))
  if (bytes) response.writeHead(200, { 'content-type': 'application/zip', 'content-length': bytes.length })
  else response.writeHead(404)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

function sendJson(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

/** Positive when `left` is newer; numbers between dots, missing ones count as 0. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0)) as [number[], number[]]
  const position = [0, 1, 2, 3].find((index) => (a[index] ?? 0) !== (b[index] ?? 0))
  return position === undefined ? 0 : (a[position] ?? 0) - (b[position] ?? 0)
}
