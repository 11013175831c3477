// Ten plugins of which four are harmful, on the demo's kind of site: nobody notices.
import { after, before, test } from 'node:test'
import { offersOf, preparePlugins, surviveEvening } from '../evening.ts'
import { type Guest, removeBulk, startGuest } from '../guest.ts'
import { type House, openHouse, PHOTOGRAPHED, type Site, until } from '../house.ts'

const offers = offersOf('fatal_at_load')
let house: House
let guest: Guest
let site: Site

before(async () => {
  house = await openHouse(PHOTOGRAPHED)
  guest = await startGuest(house, { plugins: (mirror) => preparePlugins(mirror, house.dir, offers) })
  await removeBulk(guest.site.dir)
  await fetch(guest.site.url)
  site = await until('The site connected', async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ status }) => status === 'connected'),
  )
})
after(async () => {
  await guest?.stop()
  await house?.close()
})

test('a bad evening on the demo: six of ten are new, four are as they were, and no visitor noticed', (t) =>
  surviveEvening(t, house, { id: site.id, url: guest.site.url, offers }))
