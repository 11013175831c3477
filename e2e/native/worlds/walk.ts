// The one walk through every world: paired, backed up, held against the archive, destroyed, brought back, undone, brought back, uninstalled.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { headersFor } from '../../../server/src/sites/access.ts'
import { CONNECTOR } from '../../guest.ts'
import { type Job, type Site, until, WORKSPACE } from '../../house.ts'
import { destroy } from '../accident.ts'
import type { TrustingHouse } from '../certificate.ts'
import { startFleet } from '../fleet.ts'
import { enrol, leftovers, type Managed } from '../managed.ts'
import { query } from '../mariadb.ts'
import { warmUp } from '../site-state.ts'
import { backedUp } from './backed-up.ts'
import { apart, isBelow, only, type Seen, same, seen, seenBeside, without } from './seen.ts'
import { type Ground, groundOf, type Paired, type World } from './world.ts'

/** How a world ended: all of it came back, or it was refused in words that help. Throws what does not hold. `spoil` runs after the restore. */
export async function walk(house: TrustingHouse, world: World, spoil?: (ground: Paired) => Promise<unknown>): Promise<string> {
  const { site, beside = [], muPlugins = [], smallNames = false, clock, https } = world
  const fleet = await startFleet(
    [site, ...beside].map((one) => ({ ...one, confined: true, ...(https && { https: { ca: house.ca } }) })),
    { plugins: [CONNECTOR], muPlugins, smallNames, ...(clock !== undefined && { clock }) },
  )
  try {
    const ground = groundOf(house, fleet)
    await world.lay?.(ground)
    let wasRefused = false
    const paired = await pair(ground).catch((error: unknown) => {
      wasRefused = world.refused?.test(String(error)) ?? false
      if (!wasRefused) throw error
      return world.access && letIn(ground, world.access)
    })
    assert.equal(wasRefused, world.refused !== undefined, 'It was paired.')
    if (!paired) return 'refused'
    const one: Managed = { native: ground.native, site: paired, database: ground.native.database, fleet: fleet.dir }
    await walkOn({ ...ground, one }, world, spoil)
    return 'back'
  } finally {
    await world.leave?.(fleet)
    await fleet.stop()
  }
}

const patienceMs = 20_000

/** Throws what is said to the person who pairs. */
export async function pair({ house, native }: Pick<Ground, 'house' | 'native'>, again?: { site: string; host?: string }): Promise<Site> {
  const said = await enrol(house, native, again)
  const began = performance.now()
  return until('A connected site', async () => {
    const site = (await house.ask<Site[]>('GET', '/sites')).find(({ id }) => said.includes(id))
    const error = site?.status === 'connected' ? null : site?.connection.last_error
    if (error && performance.now() - began > patienceMs) throw new Error(`The service says: ${JSON.stringify(error)}`)
    return site?.status === 'connected' ? site : undefined
  })
}

/** What a visitor shows the web server. */
const passing = ({ access }: World) => (access ? headersFor(access) : {})

/** True of some worlds now and then: which doors WordPress still has depends on what was destroyed of it. */
const BESIDE = 'WordPress did not start before the restore; the site was put back beside it.'

/** As the operator does it on the machine of the service, and in the dashboard then. */
async function letIn({ house, native }: Ground, { basic: { user, password }, header }: NonNullable<World['access']>): Promise<Site> {
  const id = (await house.ask<Site[]>('GET', '/sites')).find(({ url }) => url === native.url)?.id ?? ''
  const access = ['site', 'access', id, '--workspace', WORKSPACE, '--user', user, '--header', header.name]
  await house.admin(access, `${password}\n${header.value}\n`)
  await house.ask('POST', `/sites/${id}/actions`, { action: 'ping' })
  return house.ask<Site>('GET', `/sites/${id}`)
}

async function walkOn(ground: Paired, world: World, spoil?: (ground: Paired) => Promise<unknown>): Promise<void> {
  const { house, one } = ground
  const { items } = await house.ask<{ items: { type: string }[] }>('GET', `/sites/${one.site.id}/inventory`)
  assert.ok(['core', 'plugin', 'theme'].every((type) => items.some((item) => item.type === type)))
  await world.plant?.(ground)
  await warmUp(one, passing(world))
  const { id, back } = await backedUp(ground, world)

  await othersGoOn(ground)
  await world.meanwhile?.(ground)
  if (world.becomes) Object.assign(back, only(await seen(ground), world.becomes))
  const others = await seenBeside(ground, world)
  await accident(ground, world)
  if (world.obstacle) await refusedFirst(ground, id, world.obstacle)
  if (world.obstacle?.becomes) Object.assign(back, only(await seen(ground), world.obstacle.becomes))
  const broken = await kept(ground, world)
  assert.notDeepEqual(apart(back, broken), [], 'Nothing was destroyed.')
  await still('destroyed', others, ground, world)

  await planned(ground, id)
  const restored = await finished<{ warnings: string[] }>(ground, `backups/${id}/restore`, { safety_backup: false })
  assert.match(restored.warnings.filter((warning) => warning !== BESIDE).join(' '), world.warned ?? /^$/)
  await spoil?.(ground)
  same('restored', back, await kept(ground, world))
  await still('restored', others, ground, world)

  await world.afterwards?.(ground)
  const { warnings } = await finished<{ warnings: string[] }>(ground, 'restores/undo', {})
  assert.match(warnings.join(), world.undoLacks?.said ?? /^$/)
  const isLacking = (name: string) => world.undoLacks !== undefined && name.includes(world.undoLacks.table)
  same('undone', without(broken, isLacking), without(await kept(ground, world), isLacking))

  await finished(ground, `backups/${id}/restore`, { safety_backup: false })
  await world.atLast?.(ground)
  await uninstall(ground, world.omits)
  same('uninstalled', without(back, isOfPlugins), without(await kept(ground, world), isOfPlugins))
  same('others, when it was uninstalled', others, await seenBeside(ground, world))
}

/** Options that tell which plugins there are. */
const isOfPlugins = (name: string) => /options: (active_plugins|recently_activated|uninstall_plugins)$/.test(name)
/** All but what no backup has. */
const kept = async (ground: Paired, { omits }: World) => without(await seen(ground), (name) => isBelow(name, omits))

/** The others are as they were, but for what the connector keeps for the way back. */
async function still(when: string, others: Seen, ground: Paired, world: World): Promise<void> {
  const found = await seenBeside(ground, world)
  same(
    `others, when it was ${when}`,
    others,
    without(found, (name) => name.includes('.svc_connector_') && others[name] === undefined),
  )
}

/** The others live on after the backup, so that whoever put them back would be seen. */
async function othersGoOn({ beside, fleet }: Paired): Promise<void> {
  for (const { content, prefix, database, wpCli } of beside) {
    await wpCli(['post', 'create', '--post_title=Written after the backup', '--post_status=publish'])
    await query(fleet.dir, String(database), `CREATE TABLE ${prefix}newer (id int PRIMARY KEY); INSERT INTO ${prefix}newer VALUES (1)`)
    await writeFile(join(content, 'newer.txt'), 'written after the backup')
  }
}

async function accident(ground: Paired, world: World): Promise<void> {
  if (world.destroy) await world.destroy(ground)
  else await destroy(ground.one, 'full', world.name.length, { each: world.thorough ? 1 : 9, spared: world.spared })
  await world.harm?.(ground)
  // WordPress writes into what is left of it when it is first visited, at whatever door.
  await warmUp(ground.one, passing(world))
  await ground.native.wpCli(['eval', '1;']).catch(() => 'It does not start.')
  await ground.house.send('POST', `/sites/${ground.one.site.id}/actions`, { action: 'ping' })
}

interface Plan {
  obstacle: string | null
  site_said: { text: string } | null
}

async function planned({ house, one }: Paired, id: string): Promise<void> {
  const { plan } = await house.ask<{ plan: Plan }>('POST', `/sites/${one.site.id}/backups/${id}/restore`, { dry_run: true })
  assert.equal(plan.obstacle, null, JSON.stringify(plan.site_said))
}

/** A restore that cannot be made is refused in words, and nothing is touched. */
async function refusedFirst(ground: Paired, id: string, { said, clear }: NonNullable<World['obstacle']>): Promise<void> {
  const { house, one } = ground
  const path = `/sites/${one.site.id}/backups/${id}/restore`
  const was = await seen(ground)
  const { plan } = await house.ask<{ plan: Plan }>('POST', path, { dry_run: true })
  assert.match(`${plan.obstacle} ${plan.site_said?.text}`, said)
  const { job_id } = await house.ask<{ job_id: string }>('POST', path, { safety_backup: false })
  const { status, error } = await house.finished(job_id)
  assert.deepEqual([status, said.test(JSON.stringify(error))], ['failed', true], JSON.stringify(error))
  same('refused', was, await seen(ground))
  await clear(ground)
}

/** Follows a job that must complete. */
export async function finished<Result>({ house, one }: Paired, path: string, body: object): Promise<Result> {
  const { job_id } = await house.ask<{ job_id: string }>('POST', `/sites/${one.site.id}/${path}`, body)
  const { status, error, result }: Job<Result> = await house.finished(job_id)
  assert.equal(status, 'completed', `${path}: ${JSON.stringify(error)}`)
  return result
}

async function uninstall({ native, one, fleet, sh }: Paired, omits: string[] = []): Promise<void> {
  await native.wpCli(['plugin', 'uninstall', 'svc-connector', '--deactivate'])
  const ask = (sql: string) => query(fleet.dir, String(native.database), sql)
  const left = [
    await sh(
      `find . \\( -path ./tmp ${omits.map((path) => `-o -path './${path}'`).join(' ')} \\) -prune -o -iname '*svc-connector*' -print`,
    ),
    await ask(`SELECT option_name FROM ${native.prefix}options WHERE option_name LIKE '%svc\\_%'`),
    await ask(`SHOW TABLES LIKE '${native.prefix}svc%'`),
  ]
  assert.equal(left.join('').trim(), '', 'What the connector left behind.')
  if (native.otherPrefixes.length === 0) assert.deepEqual(await leftovers(one), [])
}
