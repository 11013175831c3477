import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aChromium } from './fake-chromium.ts'
import { heard } from './heard.ts'
import { seed } from './seed.ts'
import { aWorld, type TestWorld } from './world.ts'

const requests = 700

let here: TestWorld
const browser = aChromium('prints')
before(async () => {
  here = await aWorld({ SERVICE_CALLS_PER_MINUTE: '10000000', SERVICE_SECURITY_CHECKS: 'off', SERVICE_CHROMIUM: browser.program })
})
after(async () => {
  await here.close()
  browser.stop()
})

test(`${requests} requests with one field in a wrong place or form, seed ${seed}: each is refused and changes nothing, or is a read`, async (t) => {
  const report = await heard(here, { requests, seed })
  t.diagnostic(JSON.stringify(report))
  assert.ok(report.operations > 25 && Object.keys(report.ways).length > 20, 'it tried much')
  assert.ok(report.refused > requests * 0.8)
})
