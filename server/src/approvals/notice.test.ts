import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { asMember } from '../../test/people.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Caller } from '../kernel/context.ts'
import { deliver } from '../notifications/deliver.ts'
import { gather } from '../notifications/gather.ts'

let here: TestWorld
let agent: Caller
const told: { type: string; data: { notices: Record<string, unknown>[] } }[] = []
const hook = createServer((request, reply) => {
  let text = ''
  request.on('data', (part) => (text += part))
  request.on('end', () => {
    told.push(JSON.parse(text))
    reply.end()
  })
})

before(async () => {
  here = await aWorld()
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  const { id } = await here.token('write', { approval_only: true })
  agent = here.caller({ type: 'token', id, name: 'Claude', scopes: new Set(['read', 'write']), approvalOnly: true })
})
after(async () => {
  hook.closeAllConnections()
  hook.close()
  await here.close()
})

test('people are told what waits for them, once, and not what was decided before', async () => {
  const { port } = hook.address() as AddressInfo
  const channel = await here.call('notifications.add_channel', { name: 'Hook', type: 'webhook', url: `http://127.0.0.1:${port}/` })
  await here.call('notifications.add_rule', { channel_id: channel.id, kinds: ['approval_waiting'] })
  const [one, two] = [await here.site(), await here.site()]
  const ask = async (name: string, input: object) => String((await here.call(name, input, { caller: agent })).approval_id)
  const ids = [
    await ask('backups.create', { site_id: one.id }),
    await ask('backups.create', { site_ids: [one.id, two.id] }),
    await ask('schedules.set_default', { enabled: true, type: 'db' }),
  ]
  const decided = await ask('sites.set', { site_id: one.id, tags: ['x'] })
  await here.call('approvals.deny', { approval_id: decided }, { caller: await asMember(here) })
  await here.call('backups.create', { site_id: one.id }, { caller: agent })
  await gather(here.world)
  await gather(here.world)
  here.clock.add(30_000)
  await deliver(here.world)
  assert.equal(told.length, 1)
  assert.deepEqual(
    told[0]?.data.notices.map(({ kind, site_id, subject_id, message }) => [kind, site_id, subject_id, message]),
    [
      ['approval_waiting', one.id, ids[0], `Start a backup, asked for by Claude as ${ids[0]}.`],
      ['approval_waiting', null, ids[1], `Start a backup on 2 sites, asked for by Claude as ${ids[1]}.`],
      ['approval_waiting', null, ids[2], `Set the schedule of the workspace, asked for by Claude as ${ids[2]}.`],
    ],
  )
})
