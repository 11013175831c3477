// A rollout over real sites goes on by itself after kill -9 of the service, whatever it was doing.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { KINDS, SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, type Job, openHouse, until } from '../house.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, forbidTrials, leftovers, type Managed } from './managed.ts'
import { killService } from './processes.ts'

interface Rollout {
  status: string
  wave: number
  sites: { status: string; reason: string | null; job_id: string | null }[]
}

let house: House
let fleet: Fleet
let mirrors: Mirror[]
let all: Managed[]

before(async () => {
  house = await openHouse()
  mirrors = await Promise.all(['good_new', 'fatal_at_load', 'good_new'].map(() => startMirror()))
  for (const [place, kind] of (['good_new', 'fatal_at_load', 'good_new'] as const).entries())
    mirrors[place]?.offer({ plugins: { [SAMPLE_PLUGIN]: KINDS[kind].version } })
  fleet = await startFleet(
    mirrors.map(({ url }) => ({ wp: '7.1.1', db: 'mariadb', constants: { WPORG_MIRROR: url } })),
    {
      light: true,
      plugins: [CONNECTOR, await writeSamplePlugin(house.dir)],
      muPlugins: [join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
    },
  )
  all = await connectAll(house, fleet)
  for (const { native } of all) await forbidTrials(native)
})
after(async () => {
  await fleet?.stop()
  for (const mirror of mirrors ?? []) await mirror.stop()
  await house?.close()
})

const front = async (place: number) => {
  const answer = await fetch(all[place]?.native.url ?? '')
  return `${answer.status} ${/Harbour Notices [\d.]+/.exec(await answer.text())?.[0] ?? ''}`
}

test('killed in the first wave, while a site is down, and between the waves', async () => {
  const { rollout_id } = await house.ask<{ rollout_id: string }>('POST', '/updates', {
    ...{ site_ids: all.map(({ site }) => site.id), plugins: ['harbour-notices'], wave_size: 1, stop_above_percent: 100 },
  })
  const read = () => house.ask<Rollout>('GET', `/rollouts/${rollout_id}`)
  const jobOf = async (place: number) => {
    const id = (await read()).sites[place]?.job_id
    return id == null ? undefined : house.ask<Job<unknown>>('GET', `/jobs/${id}`)
  }
  await until('The first site is being updated', async () => ((await jobOf(0))?.status === 'running' ? true : undefined))
  await killAgain()
  await until('The second site is down', async () => ((await front(1)).startsWith('200') ? undefined : true))
  await killAgain()
  await until('The second wave is over', async () => ((await jobOf(1))?.status === 'completed' ? true : undefined))
  await killAgain()

  const told = await until('The rollout ended', async () => {
    const rollout = await read()
    return rollout.status === 'running' ? undefined : rollout
  })
  assert.deepEqual([told.status, told.sites.map(({ status }) => status)], ['completed', ['updated', 'rolled_back', 'updated']])
  assert.deepEqual(
    await Promise.all([0, 1, 2].map(front)),
    ['1.1.0', '1.0.0', '1.1.0'].map((version) => `200 Harbour Notices ${version}`),
  )
  for (const one of all) {
    assert.deepEqual(await leftovers(one), [])
    const jobs = await house.ask<{ id: string }[]>('GET', `/jobs?site_id=${one.site.id}&type=update`)
    assert.equal(jobs.length, 1, 'each site was updated once')
  }
})

async function killAgain(): Promise<void> {
  await killService()
  await sleep(300)
  await house.startAgain()
}
