import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { failureOf } from '../../test/failure.ts'
import { settle } from '../../test/until.ts'
import { FetchError } from './fetch-error.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { askNameservers, openLookups, type Resolve } from './lookups.ts'
import { Slots } from './slots.ts'

const dozen = Array.from({ length: 12 }, (_, n) => `silent-${n}.example`)
const localhost = ['127.0.0.1']
const none: Resolve = () => Promise.reject(new Error('no answer'))
const isNobodys = async () => false

/** As getaddrinfo: two at a time, and who waits for a silent nameserver keeps a thread until it is given up. */
function aPool() {
  const threads = new Slots(2)
  const held = new Map<string, () => void>()
  const asked: string[] = []
  const system: Resolve = async (hostname) => {
    asked.push(hostname)
    const thread = await threads.take('', 60_000)
    try {
      if (hostname.startsWith('silent')) await new Promise<void>((_, reject) => held.set(hostname, () => reject(new Error('EAI_AGAIN'))))
      return localhost
    } finally {
      held.delete(hostname)
      thread?.()
    }
  }
  return { system, asked, held }
}

test('a dozen names whose nameservers never answer keep no other from being asked', async (t) => {
  const server = createServer((_, response) => void response.end('Flowers'))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.after(() => server.close())
  const aside: Resolve = (hostname) => (hostname.startsWith('silent') ? none(hostname) : Promise.resolve(localhost))
  const resolve = openLookups({ system: aPool().system, aside, isOurs: isNobodys })
  const guarded = createGuardedFetch({ allowPrivate: true, resolve })
  t.after(() => guarded.close())
  const get = (host: string) =>
    guarded.fetch({ method: 'GET', url: `http://${host}:${(server.address() as AddressInfo).port}/`, maxBytes: 100, timeoutMs: 30_000 })
  for (const hostname of dozen) get(hostname).catch(() => undefined)
  assert.equal((await get('healthy.example')).status, 200)
})

/** Each of them was silent once, and is known for it. */
async function metOnce(t: TestContext, resolve: Resolve, held: Map<string, () => void>): Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const hostname of dozen) {
    const asked = assert.rejects(resolve(hostname), /EAI_AGAIN/)
    await settle()
    t.mock.timers.tick(1_000)
    await settle()
    held.get(hostname)?.()
    await asked
  }
}

test('names that were silent share one thread, so that also what nameservers do not know is looked up at once', async (t) => {
  const { system, held, asked } = aPool()
  const resolve = openLookups({ system, aside: none, isOurs: isNobodys })
  await metOnce(t, resolve, held)
  asked.length = 0
  for (const hostname of dozen) resolve(hostname).catch(() => undefined)
  let found: readonly string[] = []
  const keep = (addresses: readonly string[]) => {
    found = addresses
  }
  resolve('healthy.example').then(keep, () => undefined)
  await settle()
  assert.deepEqual([found, asked.length], [localhost, 2])
})

const notAsked: Resolve = () => Promise.reject(new FetchError('dns', 'Nobody was asked.', undefined, true))

/** What comes of a name for which there is no thread. */
async function withoutThread(t: TestContext, { system }: ReturnType<typeof aPool>, aside: Resolve) {
  const resolve = openLookups({ system, aside, isOurs: isNobodys })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const hostname of dozen) resolve(hostname).catch(() => undefined)
  await settle()
  const found = resolve('healthy.example')
  found.catch(() => undefined)
  for (const ms of [0, 1_000, 3_000]) {
    t.mock.timers.tick(ms)
    await settle()
  }
  return found
}

test('who had no thread was not looked up: that says nothing about a site', async (t) => {
  const { reason, unsent } = await failureOf(FetchError, withoutThread(t, aPool(), notAsked))
  assert.deepEqual([reason, unsent], ['dns', true])
})

test('who had no thread, but was asked of nameservers in vain, was looked up', async (t) => {
  await assert.rejects(withoutThread(t, aPool(), none), { message: 'no answer' })
})

test('the same name is looked up once at a time', async () => {
  const { system, asked } = aPool()
  const resolve = openLookups({ system, aside: none, isOurs: isNobodys })
  for (let rounds = 0; rounds < 2; rounds++)
    assert.deepEqual(await Promise.all(Array.from({ length: 5 }, () => resolve('a.example'))), Array(5).fill(localhost))
  assert.equal(asked.length, 2)
})

test('names of the operator’s own are asked of the machine alone, however long that takes', async (t) => {
  const { system, held } = aPool()
  const told: string[] = []
  const aside: Resolve = async (hostname) => {
    told.push(hostname)
    return ['203.0.113.1']
  }
  const resolve = openLookups({ system, aside, isOurs: async (hostname) => hostname === 'shop.example' })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const hostname of dozen.slice(0, 2)) resolve(hostname).catch(() => undefined)
  const ours = ['shop.example', 'database'].map(resolve)
  await settle()
  t.mock.timers.tick(1_000)
  await settle()
  for (const giveUp of held.values()) giveUp()
  assert.deepEqual(await Promise.all(ours), [localhost, localhost])
  assert.deepEqual(told.toSorted(), dozen.slice(0, 2))
})

test('nameservers tell addresses of both kinds, and what one kind is not answered for is not told in part', async (t) => {
  const kinds = { a: 1, aaaa: 28 }
  const addresses = { [kinds.a]: [93, 184, 216, 34], [kinds.aaaa]: [0x20, 1, 4, 0x70, ...Array(11).fill(0), 1] }
  const server = createSocket('udp4', (question, { port, address }) => {
    const [name, kind] = [question.toString('latin1', 13, 13 + (question[12] ?? 0)), question.readUInt16BE(question.indexOf(0, 12) + 1)]
    const data = name === 'none' || (kind === kinds.aaaa && name !== 'both') ? undefined : addresses[kind]
    const answer = Buffer.from(question.subarray(0, question.indexOf(0, 12) + 5))
    // Whether it is refused; how many answers there are, and nothing else.
    answer.writeUInt16BE(name === 'part' && kind === kinds.aaaa ? 0x8185 : 0x8180, 2)
    for (const [at, many] of [
      [6, data ? 1 : 0],
      [8, 0],
      [10, 0],
    ] as const)
      answer.writeUInt16BE(many, at)
    const record = data ? Buffer.from([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]) : Buffer.alloc(0)
    server.send(Buffer.concat([answer, record]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const ask = (hostname: string) => askNameservers(hostname, [`127.0.0.1:${server.address().port}`])
  assert.deepEqual(await ask('both.example'), ['93.184.216.34', '2001:470::1'])
  assert.deepEqual(await ask('old.example'), ['93.184.216.34'])
  await assert.rejects(ask('part.example'), { code: 'EREFUSED' })
  await assert.rejects(ask('none.example'), /no address in DNS/)
})
