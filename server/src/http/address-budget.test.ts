import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBudget, ByAddress } from './address-budget.ts'

test('an address has its number of calls in a minute, counted from its first', () => {
  let now = 0
  const may = addressBudget(2, () => now)
  assert.deepEqual([may('192.0.2.1'), may('192.0.2.1'), may('192.0.2.1'), may('192.0.2.2')], [true, true, false, true])
  now = 59_999
  assert.equal(may('192.0.2.1'), false)
  now = 60_000
  assert.equal(may('192.0.2.1'), true)
})

test('a network of IPv6 is one address, however it is written; one of IPv4 is itself', () => {
  const counts = new ByAddress(() => ({ n: 0 }))
  const same = (...addresses: string[]) => new Set(addresses.map((address) => counts.get(address))).size === 1
  assert.ok(same('2001:db8:1:2::1', '2001:db8:1:2:ffff::', '2001:0DB8:0001:0002:3:4:5:6', '2001:db8:1:2::9%eth0'))
  assert.ok(same('::ffff:192.0.2.1', '192.0.2.1'))
  assert.ok(same('::1', '::2'))
  assert.ok(!same('2001:db8:1:2::1', '2001:db8:1:3::1'))
  assert.ok(!same('2001:db8::1:2:3:4:5', '2001:db8:1:2:3::4:5'))
  assert.ok(!same('192.0.2.1', '192.0.2.2'))
})

test('a hundred thousand addresses take no more memory than ten thousand; those that came last are counted on', () => {
  const may = new ByAddress(() => ({ n: 0 }))
  for (let n = 0; n < 100_000; n++) may.get(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`).n++
  assert.equal(may.size, 10_000)
  assert.deepEqual(may.find('10.1.134.159'), { n: 1 })
  assert.equal(may.find('10.0.0.1'), undefined)
})
