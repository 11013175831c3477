// The dashboard's files, as they were built: dashboard/dist. They hold no data; everything they show comes by the operations.
import { hash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { matches } from '../projections/rest.ts'
import { cookiesOf } from './cookies.ts'

const dist = path.join(import.meta.dirname, '../../../dashboard/dist')

/** The places of the dashboard; in the browser its own script finds the page. */
const places = [
  ...['/', '/join', '/recover', '/sign-in', '/sites/:site', '/sites/:site/:part', '/updates', '/updates/:type/:slug', '/rollouts/:rollout'],
  ...[
    '/activity',
    '/jobs',
    '/jobs/:job',
    '/agents',
    '/approvals',
    '/approvals/:approval',
    '/members',
    '/settings',
    '/account',
    '/settings/:part',
    '/weaknesses',
    '/updates/rules',
    '/reports',
    '/reports/:report',
    '/clients',
    '/clients/:client',
  ],
]

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
}

/** Scripts are files of ours alone. A style may also stand in the page where it names what this one answer was given. */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export function registerDashboard(app: FastifyInstance, secure: boolean): void {
  const [within, outside] = ['index', 'sign-in'].map((name) => fs.readFileSync(path.join(dist, `${name}.html`), 'utf8')) as [string, string]
  for (const place of places)
    app.get(place, (request, reply) => {
      // What is painted first. Whether the session is one is what the page asks.
      const page = cookiesOf(request, secure).session ? within : outside
      const nonce = randomBytes(16).toString('base64url')
      return reply
        .type('text/html; charset=utf-8')
        .headers({ 'content-security-policy': policy(nonce), 'cache-control': 'no-store', 'cross-origin-opener-policy': 'same-origin' })
        .send(page.replaceAll('{nonce}', nonce))
    })
  for (const name of fs.readdirSync(path.join(dist, 'assets'))) serveAsset(app, name)
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)
const packings = {
  br: (bytes: Buffer) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => zip(bytes, { level: 9 }),
  identity: async (bytes: Buffer) => bytes,
}
type Packing = keyof typeof packings

const packingOf = (accepted: string | undefined): Packing =>
  (['br', 'gzip'] as const).find((each) => new RegExp(`(^|,)\\s*${each}\\s*(,|$)`).test(accepted ?? '')) ?? 'identity'

/** Packed once for each way a browser takes it, when the first one asks. */
function serveAsset(app: FastifyInstance, name: string): void {
  const bytes = fs.readFileSync(path.join(dist, 'assets', name))
  const digest = hash('sha256', bytes, 'base64url')
  // A name with the hash of its content is never another file.
  const kept = /-[0-9a-f]{8}\./.test(name) ? 'public, max-age=31536000, immutable' : 'public, no-cache'
  const packed = new Map<Packing, Promise<Buffer>>()
  app.get(`/assets/${name}`, async (request, reply) => {
    const packing = packingOf(request.headers['accept-encoding'])
    const etag = `"${digest}-${packing}"`
    reply.headers({ etag, 'cache-control': kept, vary: 'accept-encoding' })
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send()
    if (packing !== 'identity') reply.header('content-encoding', packing)
    const made = packed.get(packing) ?? packings[packing](bytes)
    packed.set(packing, made)
    return reply.type(types[path.extname(name)] ?? 'application/octet-stream').send(await made)
  })
}
