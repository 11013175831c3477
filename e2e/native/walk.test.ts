// That the walk through the worlds would see what came back wrong.
import assert from 'node:assert/strict'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { changeSilently } from '../../server/test/tree.ts'
import { openTrustingHouse, type TrustingHouse } from './certificate.ts'
import { walk } from './worlds/walk.ts'
import type { World } from './worlds/world.ts'

describe('what came back wrong is seen', { concurrency: 2 }, () => {
  let house: TrustingHouse
  before(async () => {
    house = await openTrustingHouse()
  })
  after(() => house?.close())

  const site = { wp: '7.1.1', db: 'mariadb' } as const
  const spoiled: World = { name: 'spoiled', site, beside: [site], destroy: ({ sh }) => sh('rm www/license.txt') }
  test('one byte of a file and one of a row', async () => {
    await assert.rejects(
      walk(house, spoiled, async ({ native, sql }) => {
        await changeSilently(Buffer.from(join(native.core, 'wp-admin/about.php')))
        await sql("UPDATE wp_posts SET post_title = 'Hello world.' WHERE ID = 1")
      }),
      /restored, 2 are not the same: file www\/wp-admin\/about\.php: .*wp_posts: /,
    )
  })
  test('one byte of a neighbour', async () => {
    await assert.rejects(
      walk(house, spoiled, async ({ beside: [other] }) => appendFile(join(other?.dir ?? '', 'license.txt'), '.')),
      /others, when it was restored, 1 are not the same: .*license\.txt/,
    )
  })
})
