import { subtle } from 'node:crypto'
import { addAbortSignal, type Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2Output,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Refusal } from './refusal.ts'
import { type ByteRange, checkKey, ObjectMissing, type Storage, type StoredObject } from './storage.ts'
import { hintOf, isMissing, type Patience, persist, S3Trouble, statusOf } from './storage-s3-trouble.ts'
import { parseS3Url, type S3Place } from './storage-s3-url.ts'

const usual: Patience = { connect: 5000, idle: 20_000, attempt: 30_000, backoff: 200, tries: 5 }
const largestObject = 64 * 1024 * 1024

type Bucket = { client: S3Client; place: S3Place; patience: Patience }

/** Objects in a bucket. Credentials come from where the SDK always looks (AWS_… variables, profiles, roles). Throws `Refusal` when it does not answer. */
export async function openS3Storage(url: string, over: Partial<Patience> = {}): Promise<Storage> {
  const place = parseS3Url(url)
  const patience = { ...usual, ...over }
  const { connect, idle } = patience
  const client = new S3Client({
    ...(place.endpoint !== undefined && { endpoint: place.endpoint }),
    ...(place.region !== undefined && { region: place.region }),
    forcePathStyle: place.pathStyle,
    // Tries are counted here, because a body that breaks off must count as one.
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connect, socketTimeout: idle, requestTimeout: idle, throwOnRequestTimeout: true },
  })
  const bucket = { client, place, patience }
  await mustAnswer(bucket)
  return {
    put: (key, bytes) => put(bucket, key, bytes),
    get: (key, range) => get(bucket, key, range),
    stat: (key) => stat(bucket, key),
    list: (prefix) => list(bucket, prefix),
    delete: (key) => remove(bucket, key),
  }
}

async function mustAnswer(bucket: Bucket): Promise<void> {
  try {
    await listPage({ ...bucket, patience: { ...bucket.patience, tries: Math.min(3, bucket.patience.tries) } }, '', undefined, 1)
  } catch (error) {
    const reason = error instanceof S3Trouble ? hintOf(error.reason) : 'it could not be asked'
    throw new Refusal(`the bucket ${bucket.place.bucket} of SERVICE_STORAGE_URL cannot be used: ${reason}`)
  }
}

/** One PUT; the store refuses it unless the bytes it got have the SHA-256 we sent along, twice over: as checksum and in the signature. */
async function put(bucket: Bucket, key: string, bytes: Uint8Array): Promise<void> {
  const Key = nameOf(bucket, key)
  const digest = Buffer.from(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  const ChecksumSHA256 = digest.toString('base64')
  await persist(bucket.patience, 'put', bytes.length, async (abortSignal) => {
    const command = new PutObjectCommand({ ...at(bucket, Key), Body: bytes, ContentLength: bytes.length, ChecksumSHA256 })
    // Else the SDK hashes the whole body once more, on the event loop.
    command.middlewareStack.add(
      (next) => (args) => {
        ;(args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = digest.toString('hex')
        return next(args)
      },
      { step: 'build', name: 'payloadDigest' },
    )
    const answer = await bucket.client.send(command, { abortSignal })
    if (answer.ChecksumSHA256 !== undefined && answer.ChecksumSHA256 !== ChecksumSHA256) throw new S3Trouble('put', 'BadDigest', true)
  })
}

async function get(bucket: Bucket, key: string, range?: ByteRange): Promise<Buffer> {
  const Key = nameOf(bucket, key)
  if (range && range.length <= 0) return emptyOf(bucket, key)
  // A whole object is checked by the SDK against its checksum, where the store tells it.
  const Range = range && `bytes=${range.offset}-${range.offset + range.length - 1}`
  return persist(bucket.patience, 'get', range?.length ?? largestObject, async (abortSignal) => {
    try {
      const command = new GetObjectCommand({ ...at(bucket, Key), ...(Range !== undefined ? { Range } : { ChecksumMode: 'ENABLED' }) })
      const answer = await bucket.client.send(command, { abortSignal })
      const bytes = await readAll(answer.Body as Readable, abortSignal, Math.min(range?.length ?? largestObject, largestObject))
      if (answer.ContentLength !== undefined && bytes.length !== answer.ContentLength) throw new S3Trouble('get', 'TruncatedBody', true)
      return bytes
    } catch (error) {
      if (statusOf(error) === 416) return Buffer.alloc(0)
      throw isMissing(error) ? new ObjectMissing(key) : error
    }
  })
}

async function emptyOf(bucket: Bucket, key: string): Promise<Buffer> {
  if (!(await stat(bucket, key))) throw new ObjectMissing(key)
  return Buffer.alloc(0)
}

async function readAll(body: Readable, signal: AbortSignal, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of addAbortSignal(signal, body)) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > most) throw new S3Trouble('get', 'BodyTooLong', false)
  }
  return Buffer.concat(chunks, size)
}

async function stat(bucket: Bucket, key: string): Promise<{ size: number } | undefined> {
  const Key = nameOf(bucket, key)
  return persist(bucket.patience, 'stat', 0, async (abortSignal) => {
    try {
      const { ContentLength } = await bucket.client.send(new HeadObjectCommand(at(bucket, Key)), { abortSignal })
      return { size: ContentLength ?? 0 }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  })
}

async function remove(bucket: Bucket, key: string): Promise<void> {
  const Key = nameOf(bucket, key)
  await persist(bucket.patience, 'delete', 0, async (abortSignal) => {
    try {
      await bucket.client.send(new DeleteObjectCommand(at(bucket, Key)), { abortSignal })
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  })
}

async function* list(bucket: Bucket, prefix: string): AsyncGenerator<StoredObject> {
  let token: string | undefined
  do {
    const { Contents, NextContinuationToken } = await listPage(bucket, prefix, token)
    if (NextContinuationToken !== undefined && NextContinuationToken === token) throw new S3Trouble('list', 'EndlessList', false)
    token = NextContinuationToken
    for (const { Key = '', Size = 0 } of Contents ?? []) {
      const key = Key.slice(bucket.place.prefix.length)
      // Others may keep things beside ours: a marker of a folder is one.
      if (Key.startsWith(bucket.place.prefix + prefix) && isKey(key)) yield { key, size: Size }
    }
  } while (token !== undefined)
}

function listPage(bucket: Bucket, prefix: string, token: string | undefined, most?: number): Promise<ListObjectsV2Output> {
  const input = {
    Bucket: bucket.place.bucket,
    Prefix: bucket.place.prefix + prefix,
    ...(token !== undefined && { ContinuationToken: token }),
    ...(most !== undefined && { MaxKeys: most }),
  }
  return persist(bucket.patience, 'list', 0, (abortSignal) => bucket.client.send(new ListObjectsV2Command(input), { abortSignal }))
}

const at = ({ place }: Bucket, Key: string) => ({ Bucket: place.bucket, Key })

function nameOf({ place }: Bucket, key: string): string {
  checkKey(key)
  return place.prefix + key
}

function isKey(key: string): boolean {
  try {
    checkKey(key)
    return true
  } catch {
    return false
  }
}
