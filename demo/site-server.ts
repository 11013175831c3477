// The web server of one site: files from the disk, everything else to PHP.
import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import type { Php } from './php.ts'
import type { PhpResponse } from './php-wasm.ts'

export interface SiteServerOptions {
  php: Php
  root: string
  port: number
}

/** Serves on 127.0.0.1 only. */
export async function serveSite(options: SiteServerOptions): Promise<Server> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      process.stderr.write(`${request.method} ${request.url}: ${error instanceof Error ? error.message : String(error)}\n`)
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' })
      response.end('The request could not be answered.\n')
    })
  })
  server.keepAliveTimeout = 65_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  return server
}

async function answer(options: SiteServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = decodedPath(request.url ?? '/')
  if (path === undefined || /\/\.|^\/wp-content\/database(\/|$)/.test(path)) return void response.writeHead(404).end()
  const file = await findStaticFile(options.root, path)
  if (file) return sendFile(file, request, response)
  const body = await readAll(request)
  sendPhp(
    await options.php.request({ url: request.url ?? '/', method: request.method ?? 'GET', headers: headersOf(request), body }),
    request,
    response,
  )
}

/** Undefined when the address is malformed; `URL` has removed every `..` segment. */
function decodedPath(url: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(url, 'http://site.invalid').pathname)
    return /\0|\\|\/\.\.(\/|$)/.test(path) ? undefined : path
  } catch {
    return undefined
  }
}

async function findStaticFile(root: string, path: string): Promise<{ path: string; stats: Stats } | undefined> {
  if (extname(path) === '' || /\.php(\/|$)/i.test(path)) return undefined
  const full = join(root, path)
  const stats = await stat(full).catch(() => undefined)
  return stats?.isFile() ? { path: full, stats } : undefined
}

function sendFile(file: { path: string; stats: Stats }, request: IncomingMessage, response: ServerResponse): void {
  const type = TYPES[extname(file.path).toLowerCase()] ?? 'application/octet-stream'
  const modified = file.stats.mtime.toUTCString()
  if (request.headers['if-modified-since'] === modified) {
    response.writeHead(304).end()
    return
  }
  response.writeHead(200, { 'content-type': type, 'content-length': file.stats.size, 'last-modified': modified })
  if (request.method === 'HEAD') response.end()
  else
    createReadStream(file.path)
      .on('error', () => response.destroy())
      .pipe(response)
}

function sendPhp(answered: PhpResponse, request: IncomingMessage, response: ServerResponse): void {
  response.statusCode = answered.httpStatusCode
  for (const [name, value] of Object.entries(answered.headers)) {
    if (!/^(transfer-encoding|connection|content-length)$/i.test(name)) response.setHeader(name, value)
  }
  response.end(request.method === 'HEAD' ? undefined : answered.bytes)
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

async function readAll(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Uint8Array.from(Buffer.concat(chunks))
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
}
