import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { matches } from '../projections/rest.ts'

/** Serves anybody the same bytes, which the first request makes; whoever has them already, as its ETag tells, is not sent them again. */
export function serveMade(
  app: FastifyInstance,
  path: string,
  { type, make, headers = {} }: { type: string; make: () => string | Buffer; headers?: Record<string, string> },
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
