// What the dashboard reads comes packed: a hundred sites are a tenth then, which on a slow network is half a second.
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Less is one packet either way. */
const leastBytes = 4096
const level = 5

/** Whether a page of ours asks. What another page makes a browser ask for is never packed: its length would tell what is in it. */
const isOwnPage = ({ headers }: FastifyRequest) =>
  headers['sec-fetch-site'] === 'same-origin' && /(^|,)\s*gzip\s*(,|$)/.test(String(headers['accept-encoding'] ?? ''))

/** Sends an answer whose head is written. Programs get it as it is: near the service packing takes longer than it saves. */
export function sendPacked(request: FastifyRequest, reply: FastifyReply, json: string | Buffer): FastifyReply {
  if (json.length < leastBytes || !isOwnPage(request)) return reply.send(json)
  const etag = String(reply.getHeader('etag'))
  reply.headers({ 'content-encoding': 'gzip', etag: `W/${etag}` })
  gzip(json, { level }, (error, packed) => void reply.send(error ?? packed))
  return reply
}
