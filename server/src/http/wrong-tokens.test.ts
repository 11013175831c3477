import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../kernel/context.ts'
import { limitWrongTokens } from './wrong-tokens.ts'

const ann: Caller = { type: 'token', id: 'tok_1', name: 'ann', workspaceId: 'ws_1', scopes: new Set(['read']), approvalOnly: false }
const tooMany = { code: 'rate_limited', retryAfter: 60 }

function door(now = () => 0) {
  const looks: (() => void)[] = []
  const asked: string[] = []
  const identify = limitWrongTokens((authorization = '', inTurn = (look) => look()) => {
    if (authorization === 'remembered') return ann
    return inTurn(async () => {
      asked.push(authorization)
      if (authorization.startsWith('slow')) await new Promise<void>((resolve) => looks.push(resolve))
      return authorization === 'good' ? ann : undefined
    })
  }, now)
  return { identify: async (authorization: string, address = '192.0.2.1') => identify(authorization, address), asked, looks }
}

test('a wrong token that comes again and again is one, and is looked up once', async () => {
  const { identify, asked } = door()
  for (let n = 0; n < 500; n++) assert.equal(await identify('stale'), undefined)
  assert.deepEqual(asked, ['stale'])
  for (let n = 1; n < 60; n++) assert.equal(await identify(`wrong ${n}`), undefined)
  await assert.rejects(identify('wrong 60'), tooMany)
  assert.equal(await identify('stale'), undefined, 'it is still told that it is wrong')
})

test('what is refused to an address is neither refused to a good token of it nor to another address, and not for longer than a minute', async () => {
  let now = 0
  const { identify } = door(() => now)
  for (let n = 0; n < 60; n++) await identify(`wrong ${n}`)
  await assert.rejects(identify('wrong 60'), tooMany)
  for (const good of ['good', 'remembered']) assert.equal(await identify(good), ann)
  assert.equal(await identify('wrong 60', '192.0.2.2'), undefined)
  now = 60_000
  assert.equal(await identify('wrong 60'), undefined)
})

test('two tokens of an address are looked up at a time; one that is remembered waits for none', async () => {
  const { identify, asked, looks } = door()
  const slow = [identify('slow'), identify('slow 2'), identify('good')]
  assert.equal(await identify('remembered'), ann)
  assert.equal(await identify('good', '192.0.2.2'), ann)
  assert.deepEqual(asked, ['slow', 'slow 2', 'good'], 'the third of the address waits')
  for (const end of looks) end()
  assert.deepEqual(await Promise.all(slow), [undefined, undefined, ann])
})

test('calls with one token that is not known yet share a look-up, but never one that has begun', async () => {
  const { identify, asked, looks } = door()
  const first = identify('slow')
  await new Promise((resolve) => setImmediate(resolve))
  const later = Array.from({ length: 5000 }, () => identify('slow'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(asked.length, 2)
  for (const end of looks) end()
  assert.deepEqual(new Set(await Promise.all([first, ...later])), new Set([undefined]))
})

test('a look-up that fails is not a wrong token', async () => {
  const broken = limitWrongTokens(() => Promise.reject(new Error('no database')))
  for (let n = 0; n < 100; n++) await assert.rejects(async () => broken(`token ${n}`, '192.0.2.1'), /no database/)
})
