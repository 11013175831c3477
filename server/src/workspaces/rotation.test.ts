import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { startFakeSite } from '../../test/fake-site.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import type { Answer } from '../admin/command.ts'
import { commands } from '../admin/commands.ts'
import { openCommandWorld } from '../admin/world.ts'
import { openMasterKey } from '../platform/installation.ts'
import { masterKeyOf } from '../platform/master-key.ts'
import type { World } from '../world.ts'
import { newSealedKey, sealKey, workspaceKey } from './keys.ts'
import { exportKit, importKit, readKit } from './recovery-kit.ts'
import { type RotationStep, rotateMasterKey } from './rotation.ts'
import { createWorkspace } from './service.ts'

let here: TestWorld
before(async () => {
  here = await aWorld()
})
after(() => here.close())

const file = () => here.world.config.masterKeyFile
const staged = () => fs.readdirSync(path.dirname(file())).filter((name) => name.startsWith('master.key.'))
const run = (world: World, name: string, words: string[] = []): Promise<Answer> => {
  const command = commands.find((each) => each.name === name)
  assert.ok(command)
  return command.run(world, {}, words)
}
/** What a command run now would work with. */
const asCommand = async <Result>(work: (world: World) => Promise<Result>) => {
  const { world, close } = await openCommandWorld(here.world.config, here.world.log, here.address)
  try {
    return await work(world)
  } finally {
    await close()
  }
}
const keyIn = (world: World, id: string) => workspaceKey(world, id).then(({ bytes }) => Buffer.from(bytes).toString('hex'))

test('a rotation beside a running service is noticed by it when it must, and nothing is lost', async () => {
  const known = here.workspaceId
  const before = await asCommand((world) => keyIn(world, known))
  // Made by another process, so this one has never opened its key.
  const unopened = await asCommand(async (world) => (await createWorkspace(world, 'Unopened')).id)
  const code = await here.call('pairing.create_code')
  const old = masterKeyOf(here.world.masterKey.bytes.slice())
  const rotated = (await asCommand((world) => run(world, 'keys rotate'))).json as {
    master_key_id: string
    replaced: string
    workspaces: number
  }
  assert.deepEqual([rotated.replaced, rotated.workspaces], [old.id, 2])
  assert.deepEqual([fs.statSync(file()).mode & 0o777, staged()], [0o600, []])
  assert.equal(here.world.masterKey.id, old.id, 'the service has not heard of it')

  assert.equal(await asCommand((world) => keyIn(world, known)), before, 'the keys themselves stay')
  const site = await startFakeSite({})
  await site.enrol(here.url, String(code.code))
  await site.stop()
  const caller = here.caller({ workspaceId: unopened })
  await here.call('pairing.create_code', {}, { caller })
  assert.equal(here.world.masterKey.id, rotated.master_key_id)
  fs.writeFileSync(file(), `${Buffer.from(old.bytes).toString('hex')}\n`)
  await assert.rejects(openMasterKey(here.world.db, here.world.config), /but this database is sealed under/, 'the old key is refused')
  fs.writeFileSync(file(), `${Buffer.from(here.world.masterKey.bytes).toString('hex')}\n`)
})

test('a service that still has the old key makes a workspace under the new one', async () => {
  await asCommand((world) => rotateMasterKey(world))
  const { id } = await createWorkspace(here.world, 'Made late')
  assert.equal((await asCommand((world) => keyIn(world, id))).length, 64)
})

const steps: RotationStep[] = ['held', 'staged', 'rewrapped', 'recorded', 'committed', 'adopted']
for (const last of steps)
  test(`a rotation that ends after the step "${last}" leaves everything openable, by what runs and by what starts, and can be done again`, async () => {
    const id = await here.workspace(`Stopped ${last}`)
    const key = await keyIn(here.world, id)
    const before = here.world.masterKey.id
    await asCommand(async (world) => {
      const stop = (step: RotationStep) => {
        if (step === last) throw new Error('the power is gone')
      }
      await assert.rejects(rotateMasterKey(world, stop), /power/)
    })
    const runs = await asCommand(async (world) => {
      assert.equal(await keyIn(world, id), key)
      return world.masterKey.id
    })
    assert.equal(runs !== before, last === 'committed' || last === 'adopted')
    const later = await here.workspace(`After ${last}`)
    assert.equal(await asCommand((world) => keyIn(world, later)), await keyIn(here.world, later))
    await asCommand((world) => rotateMasterKey(world))
    assert.deepEqual(staged(), [])
    assert.equal(await asCommand((world) => keyIn(world, id)), key)
  })

test('a key whose row is gone is forgotten within a minute; one whose row was sealed anew stays', async () => {
  const { world } = here
  const [gone, anew] = [await here.workspace('Forgotten'), await here.workspace('Sealed anew')]
  const began = world.now().getTime()
  const later = (seconds: number) => ({ ...world, now: () => new Date(began + seconds * 1000) })
  const keys = [await keyIn(later(0), gone), await keyIn(later(0), anew)]
  const drop = (id: string) => sql`DELETE FROM workspaces WHERE id = ${id}`.execute(world.db)
  const sealed = sealKey(masterKeyOf(randomBytes(32)), anew, Buffer.from(keys[1] ?? '', 'hex'))
  await sql`UPDATE workspaces SET sealed_key = ${sealed} WHERE id = ${anew}`.execute(world.db)
  await drop(gone)
  assert.deepEqual([await keyIn(later(50), gone), await keyIn(later(61), anew)], keys)
  await assert.rejects(keyIn(later(61), gone), { code: 'not_found' })
  await assert.rejects(keyIn(world, gone), { code: 'not_found' })
  await drop(anew)
})

test('a running service finds the new key while it still lies beside the old one', async () => {
  const id = await asCommand(async (world) => (await createWorkspace(world, 'Between')).id)
  await asCommand(async (world) => {
    const look = async () => assert.equal((await keyIn(here.world, id)).length, 64)
    let looked: Promise<void> | undefined
    await rotateMasterKey(world, (step) => {
      if (step === 'committed') looked = look()
    })
    await looked
  })
})

test('of rotations at the same time one is done, and the others say so', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => asCommand((world) => rotateMasterKey(world))))
  const done = outcomes.filter(({ status }) => status === 'fulfilled')
  assert.ok(done.length >= 1)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.match(String(outcome.reason), /Somebody else has just replaced|holds the key/)
  assert.equal((await asCommand((world) => keyIn(world, here.workspaceId))).length, 64)
})

test('a key file that cannot be written stops a rotation before anything has changed', async () => {
  const idOf = () => asCommand(async ({ masterKey }) => masterKey.id)
  const before = await idOf()
  await asCommand(async (world) => {
    const config = { ...world.config, masterKeyFile: path.join(here.dataDir, 'nowhere', 'master.key') }
    await assert.rejects(rotateMasterKey({ ...world, config }), /No new key can be written beside .*nothing was changed/)
  })
  assert.equal(await idOf(), before)
})

test('jobs that run while the master key is replaced five times all end well', async () => {
  const sites = [await here.site(), await here.site(), await here.site()]
  const started = sites.flatMap(({ id }) => Array.from({ length: 8 }, () => here.call('backups.create', { site_id: id, type: 'db' })))
  const jobs = (await Promise.all(started)) as { job_id: string }[]
  for (let n = 0; n < 5; n++) await asCommand((world) => rotateMasterKey(world))
  for (const { job_id } of jobs) assert.equal((await here.job(job_id)).status, 'completed')
})

test('a kit from before a rotation still opens what it named', async () => {
  const known = async () => (await here.call('workspaces.recovery_kit')) as { state: string; exported_at: string | null }
  assert.deepEqual(await known(), { state: 'never', exported_at: null })
  const kit = await asCommand((world) => exportKit(world))
  const { state, exported_at } = await known()
  assert.equal(state, 'current')
  assert.match(exported_at ?? '', /^\d{4}-.*Z$/)
  await asCommand((world) => rotateMasterKey(world))
  assert.deepEqual(await known(), { state: 'older_than_key', exported_at })
  const later = await here.workspace('Later')
  const there = await here.call('workspaces.recovery_kit', {}, { caller: here.caller({ workspaceId: later }) })
  assert.deepEqual(there, { state: 'never', exported_at: null })
  const elsewhere = await aWorld()
  try {
    const imported = await importKit(elsewhere.world, { kit, masterKey: masterKeyOf(Buffer.from(kit.master_key, 'hex')) })
    assert.equal(imported.added.length, kit.workspaces.length)
    const mine = await asCommand((world) => keyIn(world, here.workspaceId))
    assert.equal(await keyIn(elsewhere.world, here.workspaceId), mine)
    const other = {
      ...kit,
      workspaces: [
        { id: here.workspaceId, name: 'x', sealed_key: newSealedKey(masterKeyOf(Buffer.from(kit.master_key, 'hex')), here.workspaceId) },
      ],
    }
    await assert.rejects(importKit(elsewhere.world, { kit: other, masterKey: masterKeyOf(Buffer.from(kit.master_key, 'hex')) }), {
      code: 'conflict',
    })
  } finally {
    await elsewhere.close()
  }
})

test('a machine that lost its key file gets it back from the kit, and from no other', async () => {
  const kit = await asCommand((world) => exportKit(world))
  const held = masterKeyOf(Buffer.from(kit.master_key, 'hex'))
  fs.rmSync(file())
  await assert.rejects(openMasterKey(here.world.db, here.world.config), /is missing; put it back/)
  await assert.rejects(openMasterKey(here.world.db, here.world.config, masterKeyOf(randomBytes(32))), /is missing; put it back/)
  assert.ok(!fs.existsSync(file()))
  assert.equal((await openMasterKey(here.world.db, here.world.config, held)).id, held.id)
})

test('what is no kit is refused without being repeated', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-kit-'))
  const at = path.join(folder, 'kit.json')
  const secret = 'ab'.repeat(32)
  for (const text of [
    '',
    'no json',
    '{}',
    `{"format":"svc-recovery-kit-1","master_key":"${secret}","master_key_id":"0","workspaces":[]}`,
  ]) {
    fs.writeFileSync(at, text)
    assert.throws(
      () => readKit(at),
      (error: Error & { code: string }) => error.code === 'invalid_payload' && !error.message.includes(secret),
    )
  }
  assert.throws(() => readKit(path.join(folder, 'none')), { code: 'invalid_payload' })
  fs.rmSync(folder, { recursive: true })
})
