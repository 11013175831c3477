// Needs a Chromium: apt-get install --no-install-recommends chromium
// Lighthouse over a real WordPress, from the call to the figures that are kept.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ensureLab } from '../browser/lab.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse } from '../house.ts'
import { startFleet } from './fleet.ts'
import { connectAll, type Managed } from './managed.ts'

let house: House
let managed: Managed
let stop: () => Promise<void>
before(async () => {
  ensureLab()
  house = await openHouse({ SERVICE_CHROMIUM: '/usr/bin/chromium' })
  const fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb' }], { plugins: [CONNECTOR] })
  stop = () => fleet.stop()
  ;[managed] = (await connectAll(house, fleet)) as [Managed]
})
after(async () => {
  await stop?.()
  await house?.close()
})

interface Lab {
  score: number
  lcp_ms: number
  runs: { benchmark_index: number }[]
  lighthouse: string
  chromium: string
  benchmark_index: number
}
interface Answer {
  sites: { score: number | null; lab: Lab | null }[]
  lab_unavailable: string | null
  lab_points: { score: number; discarded: string | null }[]
  trends: { metric: string; direction: string }[]
}

async function toldOf(siteId: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${house.reader}`, accept: 'application/vnd.svc.list+json' }
  return (await (await fetch(`${house.url}/api/v1/sites/${siteId}/performance`, { headers })).json()) as Answer
}

test('a lab run is a job with three runs, and its figures are told; of a busy machine it is said', async () => {
  const { id } = managed.site
  const told = () => toldOf(id)
  assert.partialDeepStrictEqual(await told(), { lab_unavailable: null, lab_points: [], sites: [{ score: null, lab: null }] })
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${id}/performance/measure`, { lab: true })
  const { status, error, result } = await house.finished<Lab & { discarded: string | null }>(job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
  console.log(`# ${JSON.stringify(result)}`)
  assert.deepEqual([result.runs.length, result.lighthouse], [3, '13.5.0'])
  assert.match(result.chromium, /^\d+\.\d+\.\d+\.\d+$/)
  assert.ok(result.score > 0 && result.score <= 100 && result.lcp_ms > 100 && result.benchmark_index > 0)
  const { lab_points, sites, trends } = await told()
  assert.deepEqual(
    lab_points.map(({ score, discarded }) => [score, discarded]),
    [[result.score, result.discarded]],
  )
  assert.equal(sites[0]?.score, result.discarded === null ? result.score : null, 'one that was discarded counts for nothing')
  assert.equal(trends.find(({ metric }) => metric === 'score')?.direction, 'unknown')
})

test('a run that is canceled ends, and leaves no figure', async () => {
  const { id } = managed.site
  const before = (await toldOf(id)).lab_points.length
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${id}/performance/measure`, { lab: true })
  await house.ask('POST', `/jobs/${job_id}/cancel`)
  assert.equal((await house.finished(job_id)).status, 'canceled')
  assert.equal((await toldOf(id)).lab_points.length, before)
})
