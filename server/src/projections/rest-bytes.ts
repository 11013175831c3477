// Files as answers. One whose length is known before it is sent can be asked for in part: RFC 9110 §14.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FileAnswer, FilePart } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'

/** A whole file, or the part that was asked for with Range; If-Range makes sure that it is still a part of the same. */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, file: FileAnswer): Promise<FastifyReply> {
  const { filename, contentType, known, shownUnder } = file
  const part = known && partOf(request, reply, known)
  if (!part) await file.whole?.()
  const manner = shownUnder === undefined ? 'attachment' : 'inline'
  reply.header('content-disposition', `${manner}; filename="${filename}"`).header('cache-control', 'no-store').type(contentType)
  if (shownUnder !== undefined) showWithin(reply, shownUnder)
  if (!known) return reply.header('accept-ranges', 'none').send(file.open())
  reply.header('accept-ranges', 'bytes').header('etag', known.etag)
  if (!part) return reply.header('content-length', known.length).send(file.open())
  reply.code(206).header('content-range', `bytes ${part.from}-${part.to - 1}/${known.length}`)
  return reply.header('content-length', part.to - part.from).send(file.open(part))
}

/** Apart from everything of ours: it has no origin, no script and no forms, and only our own pages may frame it. */
function showWithin(reply: FastifyReply, policy: string): void {
  reply.header('content-security-policy', `${policy}; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox`)
  reply.header('x-frame-options', 'SAMEORIGIN')
}

/** Undefined: all of it. What is no range, and several at once, are passed over, as the RFC allows. */
function partOf(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { length, etag }: NonNullable<FileAnswer['known']>,
): FilePart | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec((headers.range ?? '').replaceAll(/\s/g, '')) ?? []
  if (first + last === '' || (headers['if-range'] ?? etag) !== etag) return undefined
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first)
  const to = first === '' || last === '' ? length : Math.min(length, Number(last) + 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  if (from < to) return { from, to }
  reply.header('content-range', `bytes */${length}`)
  throw new Problem('range_not_satisfiable', `This file has ${length} bytes; nothing is there after them.`)
}
