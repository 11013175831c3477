import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aHeardWorld, heard } from './heard.ts'
import { seed } from './seed.ts'
import type { TestWorld } from './world.ts'

const requests = 700

let here: TestWorld
before(async () => {
  here = await aHeardWorld()
})
after(() => here.close())

test(`${requests} requests with one field in a wrong place or form, seed ${seed}: each is refused and changes nothing, or is a read`, async (t) => {
  const report = await heard(here, { requests, seed })
  t.diagnostic(JSON.stringify(report))
  assert.ok(report.operations > 25 && Object.keys(report.ways).length > 20, 'it tried much')
  assert.ok(report.refused > requests * 0.8)
})
