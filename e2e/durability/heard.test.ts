import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aHeardWorld, heard } from '../../server/test/heard.ts'
import { seed } from '../../server/test/seed.ts'
import type { TestWorld } from '../../server/test/world.ts'

const { FUZZ_REQUESTS = '5000' } = process.env
const requests = Number(FUZZ_REQUESTS)

let here: TestWorld
before(async () => {
  here = await aHeardWorld()
})
after(() => here.close())

test(`${requests} requests with one field in a wrong place or form, seed ${seed}: no effect that was not asked for`, async (t) => {
  const report = await heard(here, { requests, seed })
  t.diagnostic(JSON.stringify(report))
  assert.ok(report.refused > requests * 0.9)
})
