// The demo's kind of site – PHP as WebAssembly, WordPress on SQLite – broken by hand and brought back through the tools of an agent.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Guest, removeBulk, startGuest } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'

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

test('an agent backs up, looks at the plan, restores, and everything is back', async () => {
  const plugin = join(guest.site.dir, 'wp-content/plugins/harbour-notices/harbour-notices.php')
  const sound = await readFile(plugin, 'utf8')
  const post = () => fetch(`${guest.site.url}/?rest_route=/wp/v2/posts/1`)
  assert.equal((await post()).status, 200)
  const { job_id, backup_id } = await tool<{ job_id: string; backup_id: string }>('create_backup', { site_id: site.id })
  assert.equal((await house.finished(job_id)).status, 'completed')
  // PHP may print warnings of WordPress, which count as a failure there; whether the post is gone is asked below.
  await guest.site.runPhp("<?php require '/wordpress/wp-load.php'; wp_delete_post( 1, true );").catch(() => undefined)
  assert.equal((await post()).status, 404)
  await writeFile(plugin, '<?php throw new Exception( "broken" );')
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
  assert.equal(await readFile(plugin, 'utf8'), sound)
  assert.equal((await post()).status, 200)
  assert.equal((await fetch(guest.site.url)).status, 200)
  assert.equal((await house.ask<{ ok: boolean }>('POST', `/sites/${site.id}/actions`, { action: 'ping' })).ok, true)
})
