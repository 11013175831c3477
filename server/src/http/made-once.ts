import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { matches } from '../projections/rest.ts'

/** Serves anybody the same bytes. They are made by the first request, so no other costs more than sending them, or less: an ETag says who has them. */
export function serveMade(
  app: FastifyInstance,
  path: string,
  type: string,
  make: () => string | Buffer,
  headers: Record<string, string> = {},
): void {
  let made: { bytes: Buffer; etag: string } | undefined
  app.get(path, (request, reply) => {
    made ??= named(Buffer.from(make()))
    reply.headers({ ...headers, etag: made.etag, 'cache-control': 'public, no-cache' })
    if (matches(request.headers['if-none-match'], made.etag)) return reply.code(304).send()
    return reply.type(type).send(made.bytes)
  })
}

const named = (bytes: Buffer) => ({ bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` })
