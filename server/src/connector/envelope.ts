// Mode `envelope`: the whole message inside one JSON body, for hosts that strip headers or print into every answer.
import { z } from 'zod'
import { decodeBase64, type Headers } from './shapes.ts'
import { parseJson } from './verify.ts'

const BEGIN = Buffer.from('-----SVC-BEGIN-----')
const END = Buffer.from('-----SVC-END-----')
const HeaderMap = z.record(z.string().max(64), z.string().max(4096)).refine((map) => Object.keys(map).length <= 32)
const RequestFrame = z.object({ svc_envelope: z.literal(1), headers: HeaderMap, body: z.string() })
const ResponseFrame = z.object({ status: z.int().min(100).max(599), headers: HeaderMap, body: z.string() })

export type Framed = { headers: Headers; body: Buffer }
export type FramedResponse = Framed & { status: number }

/** Bytes an envelope may take for an inner body of `bytes`: base64 twice, and room for headers and stray output. */
export function envelopeCap(bytes: number): number {
  return Math.ceil((bytes * 16) / 9) + 256 * 1024
}

export function frameRequest({ headers, body }: Framed): Buffer {
  return Buffer.from(JSON.stringify({ svc_envelope: 1, headers, body: body.toString('base64') }))
}

/** Undefined when the body is no envelope. */
export function unframeRequest(outer: Buffer): Framed | undefined {
  const frame = RequestFrame.safeParse(parseJson(outer))
  return frame.success ? inner(frame.data) : undefined
}

export function frameResponse({ status, headers, body }: FramedResponse): Buffer {
  const json = JSON.stringify({ status, headers, body: body.toString('base64') })
  return Buffer.concat([BEGIN, Buffer.from(Buffer.from(json).toString('base64')), END])
}

/** Finds the last frame among stray output; undefined when there is none or its inner body is over `maxBytes`. */
export function unframeResponse(outer: Buffer, maxBytes: number): FramedResponse | undefined {
  const start = outer.lastIndexOf(BEGIN)
  const end = outer.indexOf(END, start + BEGIN.length)
  if (start < 0 || end < 0) return undefined
  const json = decodeBase64(outer.toString('latin1', start + BEGIN.length, end))
  const frame = ResponseFrame.safeParse(json && parseJson(json))
  const framed = frame.success ? inner(frame.data) : undefined
  return frame.success && framed && framed.body.length <= maxBytes ? { ...framed, status: frame.data.status } : undefined
}

function inner(frame: { headers: Record<string, string>; body: string }): Framed | undefined {
  const body = decodeBase64(frame.body)
  if (!body) return undefined
  const headers = Object.fromEntries(Object.entries(frame.headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { headers, body }
}
