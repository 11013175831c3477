// The demo's kind of site – PHP as WebAssembly, WordPress on SQLite – broken by hand and brought back through the tools of an agent, and not broken by updates that fail.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { type Guest, removeBulk, startGuest } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'

interface UpdateResult {
  items: { file: string; status: string; to_version: string; reason: string | null }[]
}

let house: House
let guest: Guest
let site: Site

before(async () => {
  house = await openHouse()
  guest = await startGuest(house)
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

async function tool<Answer>(name: string, args: object): Promise<Answer> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const headers = {
    authorization: `Bearer ${house.writer}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const answer = await fetch(`${house.url}/api/mcp`, { method: 'POST', headers, body: JSON.stringify(body) })
  const { result } = (await answer.json()) as { result: { isError: boolean; structuredContent: Answer } }
  assert.equal(result.isError, false, JSON.stringify(result))
  return result.structuredContent
}

const pluginFile = () => join(guest.site.dir, 'wp-content/plugins/harbour-notices/harbour-notices.php')

test('an agent backs up, looks at the plan, restores, and everything is back', async () => {
  const sound = await readFile(pluginFile(), 'utf8')
  const post = () => fetch(`${guest.site.url}/?rest_route=/wp/v2/posts/1`)
  assert.equal((await post()).status, 200)
  const { job_id, backup_id } = await tool<{ job_id: string; backup_id: string }>('create_backup', { site_id: site.id })
  assert.equal((await house.finished(job_id)).status, 'completed')
  // PHP may print warnings of WordPress, which count as a failure there; whether the post is gone is asked below.
  await guest.site.runPhp("<?php require '/wordpress/wp-load.php'; wp_delete_post( 1, true );").catch(() => undefined)
  assert.equal((await post()).status, 404)
  await writeFile(pluginFile(), '<?php throw new Exception( "broken" );')
  assert.equal((await fetch(guest.site.url)).status, 500)

  const planned = await tool<{ plan: { files: { replace: number }; obstacle: string | null } }>('restore_backup', {
    site_id: site.id,
    backup_id,
    dry_run: true,
  })
  assert.deepEqual([planned.plan.files.replace, planned.plan.obstacle], [1, null])
  const restored = await tool<{ job_id: string }>('restore_backup', { site_id: site.id, backup_id, safety_backup: false })
  const { status, error } = await house.finished(restored.job_id)
  assert.equal(status, 'completed', JSON.stringify(error))
  assert.equal(await readFile(pluginFile(), 'utf8'), sound)
  assert.equal((await post()).status, 200)
  assert.equal((await fetch(guest.site.url)).status, 200)
  assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${site.id}/actions`, { action: 'ping' })).ok, true)
})

for (const [what, version] of [
  ['is no archive', '1.4.0'],
  ['breaks off', '1.5.0'],
] as const)
  test(`an update whose package ${what} is reported as failed, and the site goes on as before`, async () => {
    guest.mirror.offer({ plugins: { [SAMPLE_PLUGIN]: version } })
    const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${site.id}/actions`, { action: 'update' })
    const { result } = await house.finished<UpdateResult>(job_id)
    assert.deepEqual(
      result.items.map(({ status, to_version }) => [status, to_version]),
      [['failed', version]],
    )
    assert.ok(result.items[0]?.reason)
    assert.match(await readFile(pluginFile(), 'utf8'), /Version: +1\.0\.0/)
    const page = await fetch(guest.site.url)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /Harbour Notices 1\.0\.0/)
  })
