// The common ones of the worlds that WordPress lives in; npm run prove:wild walks through all of them.
import { after, before, describe, test } from 'node:test'
import { openTrustingHouse, type TrustingHouse } from './certificate.ts'
import { worlds } from './worlds/all.ts'
import { walk } from './worlds/walk.ts'

describe('a site is brought back byte for byte, wherever it lives, and nothing beside it changes', { concurrency: 2 }, () => {
  let house: TrustingHouse
  before(async () => {
    house = await openTrustingHouse()
  })
  after(() => house?.close())

  for (const world of worlds.filter(({ common }) => common))
    test(world.name, async () => {
      await walk(house, world)
    })
})
