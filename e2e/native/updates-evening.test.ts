// Ten plugins of which four are harmful, on php-fpm and MariaDB: nobody notices.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { offersOf, preparePlugins, surviveEvening } from '../evening.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, PHOTOGRAPHED } from '../house.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { connectAll, leftovers, type Managed } from './managed.ts'

const offers = offersOf('hangs_on_pages')
let house: House
let mirror: Mirror
let fleet: Fleet
let one: Managed

before(async () => {
  house = await openHouse(PHOTOGRAPHED)
  mirror = await startMirror()
  const plugins = [CONNECTOR, await writeSamplePlugin(house.dir), ...(await preparePlugins(mirror, house.dir, offers))]
  fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb', constants: { WPORG_MIRROR: mirror.url } }], {
    plugins,
    muPlugins: [join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
  })
  const [first] = await connectAll(house, fleet)
  one = first ?? assert.fail()
})
after(async () => {
  await fleet?.stop()
  await mirror?.stop()
  await house?.close()
})

test('a bad evening on a real host: six of ten are new, four are as they were, and no visitor noticed', async (t) => {
  await surviveEvening(t, house, { id: one.site.id, url: one.native.url, offers })
  assert.deepEqual(await leftovers(one), [])
})
