// A bucket for tests that checks what a real one checks (Signature V4, payload digest, checksum, clock) and misbehaves on request.
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type S3Trouble =
  | 'slow'
  | 'stalled'
  | 'slow_down'
  | 'silent'
  | 'reset'
  | 'truncated'
  | 'wrong_bytes'
  | 'spoilt_upload'
  | 'denied'
  | 'broken'

export interface FakeS3 {
  url(prefix?: string): string
  objects: Map<string, Buffer>
  /** Method and path of everything that came. */
  requests: string[]
  /** Decides for each request; undefined: nothing is wrong. */
  trouble: (method: string, key: string) => S3Trouble | undefined
  /** Keys a list does not show (yet). */
  hidden: Set<string>
  stop(): Promise<void>
}

export const s3Keys = { id: 'AKIATESTTESTTEST', secret: 'a-secret-that-no-error-may-tell/+x' }
const BUCKET = 'backups'
const REGION = 'eu-test-1'
const pageSize = 3
/** Slow, but not idle. */
const slowMs = 50
const clockMs = 15 * 60_000

class Refused extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

export async function startFakeS3(): Promise<FakeS3> {
  const server = createServer((request, response) => {
    void answer(fake, request, response).catch(() => request.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeS3 = {
    url: (prefix = '') => `s3://${BUCKET}/${prefix}?endpoint=${encodeURIComponent(endpoint)}&region=${REGION}&path_style=true`,
    objects: new Map(),
    requests: [],
    trouble: () => undefined,
    hidden: new Set(),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake
}

async function answer(fake: FakeS3, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = request
  const [path = '', query = ''] = url.split('?')
  const [, bucket, ...words] = path.split('/')
  const key = decodeURIComponent(words.join('/'))
  fake.requests.push(`${method} ${path}`)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const trouble = fake.trouble(method, key)
  if (trouble === 'silent') return
  if (trouble === 'reset') return void request.socket.destroy()
  const body = Buffer.concat(chunks)
  if (trouble === 'spoilt_upload' && body.length > 0) body[0] = (body[0] ?? 0) ^ 1
  try {
    checkSignature(request, { path, query, body, spoilt: trouble === 'spoilt_upload' })
    if (trouble === 'slow_down') throw new Refused(503, 'SlowDown')
    if (trouble === 'broken') throw new Refused(500, 'InternalError')
    if (trouble === 'denied') throw new Refused(403, 'AccessDenied')
    if (bucket !== BUCKET) throw new Refused(404, 'NoSuchBucket')
    if (key === '') return list(fake, new URLSearchParams(query), response)
    if (method === 'PUT') return put(fake, { key, body, request, response })
    if (method === 'DELETE') return remove(fake, key, response)
    read(fake, { key, trouble, request, response })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    refuse(request, response, error)
  }
}

/** As talkative as real ones: they echo the access key, the string that was signed, and more. */
function refuse(request: IncomingMessage, response: ServerResponse, { status, code }: Refused): void {
  const words = `${s3Keys.secret} ${request.headers.authorization ?? ''}`
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${words}</Message><AWSAccessKeyId>${s3Keys.id}</AWSAccessKeyId></Error>`
  response.writeHead(status, { 'content-type': 'application/xml' }).end(request.method === 'HEAD' ? undefined : xml)
}

/** A request for one object. */
interface Call {
  key: string
  request: IncomingMessage
  response: ServerResponse
}

function put({ objects }: FakeS3, { key, body, request, response }: Call & { body: Buffer }): void {
  const checksum = createHash('sha256').update(body).digest('base64')
  const claimed = request.headers['x-amz-checksum-sha256']
  if (claimed === undefined) throw new Refused(400, 'MissingChecksum')
  if (claimed !== checksum) throw new Refused(400, 'BadDigest')
  objects.set(key, body)
  response.writeHead(200, { etag: '"x"', 'x-amz-checksum-sha256': checksum }).end()
}

function remove({ objects }: FakeS3, key: string, response: ServerResponse): void {
  objects.delete(key)
  response.writeHead(204).end()
}

function read({ objects }: FakeS3, { key, trouble, request, response }: Call & { trouble: S3Trouble | undefined }): void {
  const object = objects.get(key)
  if (!object) throw new Refused(404, 'NoSuchKey')
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
  if (first !== undefined && Number(first) >= object.length) throw new Refused(416, 'InvalidRange')
  const bytes = Buffer.from(first === undefined ? object : object.subarray(Number(first), Number(last) + 1))
  const headers: Record<string, string | number> = { 'content-length': bytes.length, etag: '"x"' }
  if (first !== undefined) headers['content-range'] = `bytes ${first}-${Number(first) + bytes.length - 1}/${object.length}`
  if (request.headers['x-amz-checksum-mode'] === 'ENABLED')
    headers['x-amz-checksum-sha256'] = createHash('sha256').update(object).digest('base64')
  response.writeHead(first === undefined ? 200 : 206, headers)
  if (request.method === 'HEAD') return void response.end()
  if (trouble === 'wrong_bytes' && bytes.length > 0) bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 4
  const [early, late] = [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)]
  if (trouble === 'truncated') response.write(early, () => response.destroy())
  else if (trouble === 'stalled') response.write(early)
  else if (trouble === 'slow') response.write(early, () => setTimeout(() => response.end(late), slowMs))
  else response.end(bytes)
}

function list({ objects, hidden }: FakeS3, query: URLSearchParams, response: ServerResponse): void {
  if (query.get('list-type') !== '2') throw new Refused(400, 'InvalidArgument')
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after && !hidden.has(key)).sort()
  const page = keys.slice(0, Math.min(pageSize, Number(query.get('max-keys') ?? pageSize)))
  const more =
    page.length < keys.length ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`).join('')
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<ListBucketResult>${contents}${more}</ListBucketResult>`)
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Signature Version 4, computed anew from what arrived. */
function checkSignature(
  request: IncomingMessage,
  { path, query, body, spoilt }: { path: string; query: string; body: Buffer; spoilt: boolean },
): void {
  const { authorization = '', 'x-amz-date': date = '', 'x-amz-content-sha256': payload = '' } = request.headers as Record<string, string>
  const [, id, day, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/eu-test-1\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? []
  if (id !== s3Keys.id || day === undefined) throw new Refused(403, 'InvalidAccessKeyId')
  const at = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < clockMs)) throw new Refused(403, 'RequestTimeTooSkewed')
  for (const needed of [
    'host',
    'x-amz-content-sha256',
    'x-amz-date',
    ...Object.keys(request.headers).filter((name) => name.startsWith('x-amz-')),
  ])
    if (!names.split(';').includes(needed)) throw new Refused(403, 'AccessDenied')
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const canonical = [request.method, path, query.split('&').sort().join('&'), headers.join(''), names, payload].join('\n')
  const scope = `${day}/${REGION}/s3/aws4_request`
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${s3Keys.secret}`, day), REGION))
  if (hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`).toString('hex') !== signature)
    throw new Refused(403, 'SignatureDoesNotMatch')
  // A body spoilt on its way in passes here, so that the checksum alone is what finds it.
  if (payload !== sha256(body) && !spoilt) throw new Refused(400, 'XAmzContentSHA256Mismatch')
}
