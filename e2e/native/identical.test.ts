// Real WordPress sites under a cheap host's limits, furnished with what is hard to carry, backed up, destroyed, and brought back exactly.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { type FakeS3, s3Keys, startFakeS3 } from '../../server/test/fake-s3.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse } from '../house.ts'
import { destroy, furnish, type Type } from './accident.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, type Managed } from './managed.ts'
import { importSql } from './mariadb.ts'
import { differing, filesOf, stateOf, warmUp } from './site-state.ts'

/** Each seed is another site. IDENTICAL_SEEDS=5 for the long form, in which each case is tried on MariaDB and on SQLite. */
const isLong = process.env.IDENTICAL_SEEDS !== undefined
const seeds = Array.from({ length: Number(process.env.IDENTICAL_SEEDS ?? 1) }, (_, n) => n + 1)
const TYPES: Type[] = ['full', 'db', 'files']
const STORES = {
  directory: isLong ? (['mariadb', 'sqlite'] as const) : (['mariadb'] as const),
  S3: isLong ? (['mariadb', 'sqlite'] as const) : (['sqlite'] as const),
}

describe('a site that was destroyed comes back byte for byte', { concurrency: 2 }, () => {
  let same = 0
  after(() => console.log(`${same}/${Object.keys(STORES).length * TYPES.length * seeds.length} byte-identical, seeds ${seeds.join(' ')}`))

  for (const [store, engines] of Object.entries(STORES))
    describe(`from a store that is a ${store}, on ${engines.join(' and ')}`, { concurrency: 1 }, () => {
      let s3: FakeS3 | undefined
      let house: House
      let fleet: Fleet
      let all: Managed[]
      before(async () => {
        s3 = store === 'S3' ? await startFakeS3() : undefined
        house = await openHouse(
          s3 && { SERVICE_STORAGE_URL: s3.url('sites'), AWS_ACCESS_KEY_ID: s3Keys.id, AWS_SECRET_ACCESS_KEY: s3Keys.secret },
        )
        fleet = await startFleet(
          engines.map((db) => ({ wp: '7.1.1', db, confined: true })),
          { plugins: [CONNECTOR, await writeSamplePlugin(house.dir)] },
        )
        all = await connectAll(house, fleet)
        for (const { database } of all) if (database !== null) await importSql(fleet.dir, database, join(import.meta.dirname, 'types.sql'))
      })
      after(async () => {
        await fleet?.stop()
        await house?.close()
        if (s3) assert.ok(s3.objects.size > 0)
        await s3?.stop()
      })

      for (const seed of seeds)
        for (const type of TYPES)
          test(`${type}, seed ${seed}`, async () => {
            const cases = all.map((one) => comesBack(house, one, type, seed))
            await Promise.allSettled(cases) // Nothing of a case that failed runs on beside the next.
            await Promise.all(cases)
            same += 1
          })
    })
})

async function comesBack(house: House, one: Managed, type: Type, seed: number): Promise<void> {
  const finished = async (path: string, body: object) => {
    const { job_id } = await house.ask<{ job_id: string }>('POST', path, body)
    const { status, result, error } = await house.finished<{ backup_id: string }>(job_id)
    assert.equal(status, 'completed', JSON.stringify(error))
    return result
  }
  await furnish(one, seed)
  await warmUp(one)
  const was = await stateOf(one)
  const { backup_id } = await finished(`/sites/${one.site.id}/backups`, { type })
  await destroy(one, type, seed)
  if (type !== 'db') assert.ok(differing(was.files, await filesOf(one.native.dir)).length > 1_000)
  await finished(`/sites/${one.site.id}/backups/${backup_id}/restore`, { safety_backup: false })
  const is = await stateOf(one)
  assert.deepEqual([differing(was.files, is.files), differing(was.rows, is.rows)], [[], []])
}
