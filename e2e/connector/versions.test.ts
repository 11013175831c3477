// The oldest and the newest PHP, with every complaint of PHP shown on the page and written down.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { backUp } from '../backup.ts'
import { type Guest, startGuest } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { cookiesOf, postTicket } from '../visitor.ts'

let house: House
before(async () => {
  house = await openHouse()
})
after(() => house?.close())

async function visited(guest: Guest): Promise<Site> {
  await fetch(guest.site.url)
  return until('A connected site', async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ url, status }) => url === guest.site.url && status === 'connected'),
  )
}

/** The newest with `npm run prove:fuzz`; `php.test.ts` has it read every file each time. */
const versions = process.env.CONNECTOR_SEED === undefined ? ['7.4'] : ['7.4', '8.5']

for (const php of versions)
  test(`on PHP ${php} every verb works, and no complaint is about the connector`, async () => {
    const guest = await startGuest(house, { php, constants: { WP_DEBUG: true, WP_DEBUG_DISPLAY: true, WP_DEBUG_LOG: true } })
    const { id, connection } = await visited(guest)
    assert.equal(connection.door, 'front')
    const act = <Body>(body: object) => house.ask<Body>('POST', `/sites/${id}/actions`, body)
    assert.match((await act<{ php_version: string }>({ action: 'ping' })).php_version, new RegExp(`^${php}`))
    const { job_id } = await act<{ job_id: string }>({ action: 'update' })
    const { result } = await house.finished<{ items: { status: string }[] }>(job_id)
    assert.deepEqual(
      result.items.map(({ status }) => status),
      ['updated'],
    )
    assert.equal((await backUp(house, id, 'db')).listed.consistency, 'snapshot')
    const entered = await postTicket((await act<{ url: string }>({ action: 'login' })).url)
    assert.equal(entered.status, 302)
    const settings = await fetch(`${guest.site.url}/wp-admin/options-general.php?page=svc-connector`, {
      headers: { cookie: cookiesOf(entered) },
    })
    assert.match(await settings.text(), /Last contact/)
    await guest.site.runPhp("<?php require '/wordpress/wp-load.php'; trigger_error( 'a canary' );").catch(() => undefined)
    const complaints = await readFile(join(guest.site.dir, 'wp-content/debug.log'), 'utf8')
    assert.match(complaints, /a canary/)
    assert.doesNotMatch(complaints, /svc-connector/)
    await guest.stop()
  })
