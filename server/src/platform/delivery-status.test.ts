import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { awayMessage, byExchange, byPostfix } from '../../test/returned-mail.ts'
import { readFailure } from './delivery-status.ts'

const to = 'bounces+1@example.com'

test('what different mail servers write is read alike, folded lines put together', () => {
  const said = 'smtp; 550 5.1.1 <gone@example.com>:\nRecipient address rejected'
  assert.deepEqual(readFailure(byPostfix({ to, said })), {
    code: '5.1.1',
    said: '550 5.1.1 <gone@example.com>: Recipient address rejected',
  })
  assert.deepEqual(
    readFailure(
      byPostfix({ to })
        .replace(/^From .*\n/, '')
        .replaceAll('\n', '\r\n'),
    )?.code,
    '5.1.1',
  )
  assert.deepEqual(readFailure(byExchange({ to, said: '550 5.1.10 RESOLVER' })), { code: '5.1.10', said: '550 5.1.10 RESOLVER' })
  const global = byPostfix({ to }).replace('message/delivery-status', 'message/global-delivery-status')
  assert.equal(readFailure(global)?.code, '5.1.1')
})

test('a delay, a receipt, an answer of a person and a mail like any other are no failures', () => {
  for (const action of ['delayed', 'delivered', 'relayed', 'expanded', 'not failed', ''])
    assert.equal(readFailure(byPostfix({ to, action, code: '4.4.1' })), undefined, action)
  assert.equal(readFailure(awayMessage(to)), undefined)
  assert.equal(readFailure(byPostfix({ to }).replace('multipart/report', 'multipart/mixed')), undefined)
  assert.equal(readFailure(''), undefined)
})

test('a code that is none is not known; the first recipient that failed counts', () => {
  for (const code of ['1.1.1', '5.1', '5.1.1111', '<script>', '']) assert.equal(readFailure(byPostfix({ to, code }))?.code, null, code)
  const two = byPostfix({ to, action: 'relayed' }).replace(
    '\n--4C0B1C0033.1801472400/mx.example.com\nContent-Description: Und',
    '\nAction: failed\nStatus: 5.7.1\n$&',
  )
  assert.equal(readFailure(two)?.code, '5.7.1')
})

test('of whatever is cut off, repeated or turned around in it, it makes nothing but a failure or none', () => {
  const whole = byPostfix({ to })
  const edits = fc.array(fc.tuple(fc.nat(whole.length), fc.nat(400), fc.string({ maxLength: 60, unit: 'binary' })), { maxLength: 6 })
  fc.assert(
    fc.property(edits, (all) => {
      const message = all.reduce((text, [at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut), whole)
      const failure = readFailure(message)
      assert.ok(failure === undefined || failure.code === null || /^[245](\.\d{1,3}){2}$/.test(failure.code))
    }),
    { numRuns: 2000 },
  )
})
