// Server-sent events, as the HTML standard has them.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventStream, StreamEvent } from '../kernel/operation.ts'

/** After how long a browser asks again when the stream broke off. */
const retryMs = 2_000
const longestPlace = 100

/** Sends what happens until either side ends it. `mayGoOn` is asked before each word: what a token was allowed may have ended meanwhile. */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: EventStream,
  mayGoOn: () => Promise<boolean>,
): Promise<FastifyReply> {
  const given = request.headers['last-event-id']
  const after = typeof given === 'string' && given !== '' ? given.slice(0, longestPlace) : undefined
  const closed = new AbortController()
  reply.raw.once('close', () => closed.abort())
  const events = stream.open(after, closed.signal)
  // Until the first one is there, a refusal is still an answer of its own.
  const first = await events.next()
  reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8')
  return reply.send(Readable.from(written(first, events, mayGoOn), { objectMode: false, highWaterMark: 16_384 }))
}

type Batch = IteratorResult<StreamEvent[], void>

async function* written(first: Batch, events: AsyncIterator<StreamEvent[], void>, mayGoOn: () => Promise<boolean>) {
  try {
    yield `retry: ${retryMs}\n\n`
    for (let batch = first; !batch.done; batch = await events.next()) {
      if (!(await mayGoOn())) return
      yield batch.value.length === 0 ? ': still here\n\n' : batch.value.map(textOf).join('')
    }
  } finally {
    await events.return?.()
  }
}

/** No field can hold a line feed: places are ours, and JSON has none. */
const textOf = ({ at, event, data }: StreamEvent) => `id: ${at}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
