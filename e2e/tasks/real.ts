// The two real sites of the fleet: WordPress on Debian's PHP-FPM, connected by their administrator on the plugin's page.
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { SAMPLE_PLUGIN } from '../../demo/sample-plugin.ts'
import { startMirror } from '../../demo/wporg-mirror.ts'
import { until } from '../../server/test/until.ts'
import type { TestWorld } from '../../server/test/world.ts'
import { CONNECTOR } from '../guest.ts'
import { type NativeSite, startFleet } from '../native/fleet.ts'
import { connectInAdmin, logIn } from '../visitor.ts'

const titles = ['The Harbour', 'The Lighthouse']

export interface Real {
  title: string
  url: string
  site: NativeSite
  /** Once it is paired. */
  id: string
  pair(): Promise<void>
}

export async function startReal(here: TestWorld): Promise<{ sites: Real[]; stop(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-tasks-'))
  const mirror = await startMirror()
  mirror.offer({ plugins: { [SAMPLE_PLUGIN]: '1.1.0' } })
  const fleet = await startFleet(
    titles.map(() => ({ wp: '7.1.1', db: 'sqlite' })),
    {
      plugins: [CONNECTOR, await writeSamplePlugin(dir)],
      muPlugins: [join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
      constants: { WPORG_MIRROR: mirror.url },
      light: true,
    },
  )
  for (const [index, title] of titles.entries()) await fleet.sites[index]?.wpCli(['option', 'update', 'blogname', title])
  return {
    sites: fleet.sites.map((site, index) => managed(here, site, titles[index] ?? '')),
    async stop() {
      await fleet.stop()
      await mirror.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const pluginFile = ({ site }: Pick<Real, 'site'>) => join(site.dir, 'wp-content/plugins', SAMPLE_PLUGIN)
/** What somebody wrote into the plugin of the first. */
const spoil = '\n// Somebody was here.\n'

export async function lookAtPlugin(real: Real): Promise<{ version: string | undefined; spoiled: boolean }> {
  const text = await readFile(pluginFile(real), 'utf8')
  return { version: /^ \* Version: (.*)$/m.exec(text)?.[1], spoiled: text.includes(spoil) }
}

/** Both are backed up; of the first the backup is tried out and a plugin spoiled, on the other that plugin is updated, and then it is backed up once more. */
export async function liveToday(here: TestWorld, [first, second]: readonly Real[]): Promise<void> {
  if (!first || !second) throw new Error('There are two.')
  const done = async (operation: string, input: object) => {
    const started = (await here.call(operation, input)) as { job_id: string; backup_id: string }
    const { status, error } = await here.job(started.job_id)
    if (status !== 'completed') throw new Error(`${operation}: ${JSON.stringify(error)}`)
    return started
  }
  const full = (site: Real) => done('backups.create', { site_id: site.id, type: 'full' })
  const [{ backup_id }] = await Promise.all([full(first), full(second)])
  await done('backups.verify', { site_id: first.id, backup_id })
  await appendFile(pluginFile(first), spoil)
  await done('updates.apply', { site_id: second.id, plugins: [SAMPLE_PLUGIN] })
  await full(second)
  for (const { id } of [first, second]) await here.call('inventory.get', { site_id: id, refresh: true })
}

function managed(here: TestWorld, site: NativeSite, title: string): Real {
  const real: Real = { title, url: site.url, site, id: '', pair }
  async function pair() {
    const { code } = (await here.call('pairing.create_code')) as { code: string }
    const session = await logIn(site.url, site.adminUser, site.adminPassword)
    await connectInAdmin({ site: site.url, session }, here.url, code)
    const found = await until(async () => {
      const { sites } = (await here.call('sites.list', { status: 'connected' })) as { sites: { id: string; url: string }[] }
      return sites.find(({ url }) => url === site.url)
    })
    real.id = found.id
  }
  return real
}
