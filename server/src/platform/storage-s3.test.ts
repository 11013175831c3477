import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { type S3Trouble, s3Keys, startFakeS3 } from '../../test/fake-s3.ts'
import { storageConformance } from '../../test/storage-conformance.ts'
import { openStorage } from './installation.ts'
import { ObjectMissing, type Storage } from './storage.ts'
import { openS3Storage } from './storage-s3.ts'
import { parseS3Url } from './storage-s3-url.ts'

process.env.AWS_ACCESS_KEY_ID = s3Keys.id
process.env.AWS_SECRET_ACCESS_KEY = s3Keys.secret
process.env.AWS_EC2_METADATA_DISABLED = 'true'
/** Where the store is in trouble; elsewhere a busy machine must not look like it. */
const brisk = { connect: 500, idle: 150, attempt: 1500, backoff: 1, tries: 8 }
const patient = { connect: 60_000, idle: 60_000, attempt: 120_000, backoff: 1, tries: 4 }

let s3: Awaited<ReturnType<typeof startFakeS3>>
before(async () => {
  s3 = await startFakeS3()
})
after(() => s3.stop())
beforeEach(() => {
  s3.trouble = () => undefined
})

/** Does it to the first `times` requests of this method, then behaves. */
function first(times: number, method: string, trouble: S3Trouble): void {
  let seen = 0
  s3.trouble = (asked) => (asked === method && seen++ < times ? trouble : undefined)
}

const open = (prefix = 'a/prefix', patience = brisk) => openS3Storage(s3.url(prefix), patience)

storageConformance('s3', () => open('a/prefix', patient))
storageConformance('s3 without a prefix', () => open('', patient))

test('everything lies below the prefix, one PUT each, and what others keep there is not listed', async () => {
  const storage = await open('mine/objects/', patient)
  s3.requests.length = 0
  await storage.put('w/ws_1/p/ab/x', Buffer.from('x'))
  assert.deepEqual(s3.requests, ['PUT /backups/mine/objects/w/ws_1/p/ab/x'])
  for (const foreign of ['mine/objects/', 'mine/objects/w/', 'mine/objects2/y', 'mine/objects/w/a b'])
    s3.objects.set(foreign, Buffer.from('?'))
  assert.deepEqual(await keysOf(storage, ''), ['w/ws_1/p/ab/x'])
})

const passing: [S3Trouble, string, (storage: Storage) => Promise<unknown>][] = (['slow_down', 'broken', 'silent', 'reset'] as const)
  .flatMap((trouble) => [
    [trouble, 'PUT', (storage: Storage) => storage.put('t/new', Buffer.from('new'))] as const,
    [trouble, 'GET', (storage: Storage) => storage.get('t/there', { offset: 1, length: 5 })] as const,
    [trouble, 'GET', (storage: Storage) => keysOf(storage, 't/')] as const,
    [trouble, 'HEAD', (storage: Storage) => storage.stat('t/there')] as const,
    [trouble, 'DELETE', (storage: Storage) => storage.delete('t/none')] as const,
  ])
  .map((each) => [...each])

test('trouble that passes is waited out, by every function', async () => {
  const storage = await open('passing')
  await storage.put('t/there', randomBytes(20_000))
  for (const [trouble, method, ask] of passing) {
    first(2, method, trouble)
    await ask(storage)
  }
  for (const trouble of ['truncated', 'wrong_bytes', 'stalled', 'slow'] as const) {
    first(2, 'GET', trouble)
    assert.deepEqual(await storage.get('t/there'), s3.objects.get('passing/t/there'), trouble)
  }
  first(2, 'GET', 'truncated')
  assert.equal((await storage.get('t/there', { offset: 10, length: 10_000 })).length, 10_000)
  first(2, 'PUT', 'spoilt_upload')
  await storage.put('t/spoilt', Buffer.from('as it was'))
  assert.equal(s3.objects.get('passing/t/spoilt')?.toString(), 'as it was')
})

test('trouble that stays is told in two words, without a secret, and a short object never looks whole', async () => {
  const [storage, hasty] = [await open('staying', patient), await open('staying')]
  await storage.put('t/there', randomBytes(20_000))
  const told = async (trouble: S3Trouble, ask: () => Promise<unknown>) => {
    s3.trouble = () => trouble
    const error = await ask().then(
      () => assert.fail(`${trouble} went unnoticed`),
      (reason: Error) => reason,
    )
    const everything = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`
    for (const secret of [s3Keys.id, s3Keys.secret, 'Signature=', '127.0.0.1']) assert.ok(!everything.includes(secret), everything)
    return error.message
  }
  assert.equal(await told('slow_down', () => storage.get('t/there')), 'The object store failed (get: SlowDown, 503).')
  assert.equal(await told('denied', () => storage.put('t/x', Buffer.from('x'))), 'The object store failed (put: AccessDenied, 403).')
  assert.equal(await told('spoilt_upload', () => storage.put('t/x', Buffer.from('x'))), 'The object store failed (put: BadDigest, 400).')
  assert.match(await told('silent', () => hasty.stat('t/there')), /\(stat: (ETIMEDOUT|TimeoutError)\)/)
  assert.match(await told('reset', () => storage.delete('t/there')), /\(delete: ECONNRESET\)/)
  assert.match(await told('wrong_bytes', () => storage.get('t/there')), /\(get: WrongChecksum\)/)
  await told('truncated', () => storage.get('t/there'))
  await told('stalled', () => hasty.get('t/there'))
  await told('truncated', () => storage.get('t/there', { offset: 0, length: 5000 }))
  await told('broken', () => keysOf(storage, 't/'))
})

test('a refusal is not repeated, and of a missing object only that it is missing is said', async () => {
  const storage = await open('refused', patient)
  s3.trouble = () => 'denied'
  s3.requests.length = 0
  await assert.rejects(storage.get('t/there'), /get: AccessDenied, 403/)
  assert.equal(s3.requests.length, 1)
  s3.trouble = () => undefined
  await assert.rejects(storage.get('t/none', { offset: 5, length: 0 }), ObjectMissing)
})

test('a bucket that cannot be used keeps the service from starting, and says why', async () => {
  const refused = async (change: (url: string) => string, message: RegExp, patience = patient) => {
    await assert.rejects(openS3Storage(change(s3.url('x')), patience), (error: Error) => {
      assert.equal(error.name, 'Refusal')
      assert.match(error.message, message)
      assert.ok(!error.message.includes(s3Keys.secret) && !error.message.includes(s3Keys.id))
      return true
    })
  }
  await refused((url) => url.replace('s3://backups', 's3://nothing'), /bucket nothing .*there is no such bucket/)
  await refused((url) => url.replace('eu-test-1', 'us-east-1'), /InvalidAccessKeyId/)
  await refused((url) => url.replace(/127\.0\.0\.1%3A\d+/, '127.0.0.1%3A1'), /nothing listens at its endpoint \(ECONNREFUSED\)/)
  s3.trouble = () => 'silent'
  await refused((url) => url, /it does not answer in time/, brisk)
  s3.trouble = () => undefined
  process.env.AWS_SECRET_ACCESS_KEY = 'another'
  await refused((url) => url, /secret key, the region or the machine’s clock is wrong/)
  delete process.env.AWS_SECRET_ACCESS_KEY
  await refused((url) => url, /there are no credentials/)
  process.env.AWS_SECRET_ACCESS_KEY = s3Keys.secret
})

test('the address is read strictly, and what is refused is not repeated', () => {
  assert.deepEqual(parseS3Url('s3://my-bucket'), {
    bucket: 'my-bucket',
    prefix: '',
    endpoint: undefined,
    region: undefined,
    pathStyle: false,
  })
  const own = parseS3Url('s3://b.ucket/a/b/?endpoint=https%3A%2F%2Fs3.example.com%2F&path_style=true')
  assert.deepEqual(own, { bucket: 'b.ucket', prefix: 'a/b/', endpoint: 'https://s3.example.com', region: 'us-east-1', pathStyle: true })
  const bad = [
    's3://',
    's3://A',
    's3://hunter2:hunter2@bucket',
    's3://bucket/?hunter2=1',
    's3://bucket/?endpoint=ftp://hunter2',
    's3://bucket/a%20hunter2',
  ]
  for (const url of [
    ...bad,
    's3://bucket/?endpoint=https://u:hunter2@x',
    's3://bucket/?path_style=hunter2',
    's3://bucket/?region=HUNTER2',
    's3://bucket/a//hunter2',
  ])
    assert.throws(
      () => parseS3Url(url),
      (error: Error) => error.name === 'Refusal' && !/hunter2/i.test(error.message),
      url,
    )
})

test('the setting chooses the back end, and the SDK is loaded for a bucket only', async () => {
  const storage = await openStorage({ storageUrl: s3.url('chosen'), dataDir: '/nonexistent' })
  await storage.put('x', Buffer.from('x'))
  assert.ok(s3.objects.has('chosen/x'))
  await assert.rejects(openStorage({ storageUrl: 'ftp://x/y', dataDir: '/nonexistent' }), /"ftp" is not known/)
})

async function keysOf(storage: Storage, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys
}
