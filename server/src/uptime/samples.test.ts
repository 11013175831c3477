import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buckets, closeHour, hourOf, openHour, packSample, quantileOf, sumOf, unpackSamples } from './samples.ts'
import { errorKinds } from './schema.ts'

const hour = new Date('2026-01-01T10:00:00Z')
const part = fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: null })
const sample = fc.record({
  at: fc.integer({ min: 0, max: 3599 }).map((second) => new Date(hour.getTime() + second * 1000)),
  up: fc.boolean(),
  appUp: fc.option(fc.boolean(), { nil: null }),
  excluded: fc.boolean(),
  error: fc.option(fc.constantFrom(...errorKinds), { nil: null }),
  status: fc.integer({ min: 0, max: 999 }),
  waitMs: fc.integer({ min: 0, max: 65_535 }),
  totalMs: fc.integer({ min: 0, max: 65_535 }),
  dnsMs: part,
  connectMs: part,
  tlsMs: part,
})

test('an hour of checks is twelve bytes each and comes back as it was, the small parts to a twentieth', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 120 }), (all) => {
      const packed = Buffer.concat(all.map(packSample))
      assert.equal(packed.length, 12 * all.length)
      const back = unpackSamples(hour, packed)
      assert.deepEqual(openHour(hour, closeHour(packed)), back)
      for (const [n, { dnsMs, connectMs, tlsMs, ...exact }] of all.entries()) {
        const { dnsMs: dns = null, connectMs: connect = null, tlsMs: tls = null, ...rest } = back[n] ?? assert.fail()
        assert.deepEqual(rest, exact)
        for (const [was, is] of [
          [dnsMs, dns],
          [connectMs, connect],
          [tlsMs, tls],
        ] as const) {
          assert.equal(was === null, is === null)
          if (was !== null && is !== null) assert.ok(Math.abs(is - was) <= Math.max(1, 0.05 * was), `${was} ${is}`)
        }
      }
    }),
  )
})

test('only what counts is counted, and a quantile is the end of the bucket it lies in', () => {
  const one = (waitMs: number, more = {}) => ({
    ...{ at: hour, up: true, appUp: null, excluded: false, error: null, status: 200, waitMs, totalMs: waitMs },
    ...{ dnsMs: null, connectMs: null, tlsMs: null },
    ...more,
  })
  const sum = sumOf([one(40), one(60), one(60), one(20_000), one(5, { up: false }), one(5, { excluded: true })])
  assert.deepEqual([sum.checks, sum.ups, sum.excluded, sum.msSum], [5, 4, 1, 20_160])
  assert.equal(sum.histogram.length, buckets.length + 1)
  assert.deepEqual([quantileOf(sum.histogram, 0.25), quantileOf(sum.histogram, 0.5), quantileOf(sum.histogram, 0.95)], [50, 100, null])
  assert.equal(quantileOf(sumOf([]).histogram, 0.95), null)
  assert.deepEqual(hourOf(new Date('2026-01-01T10:59:59.999Z')), hour)
})
