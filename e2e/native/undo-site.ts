// A real site whose updates may break it.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { run } from '../../demo/npm.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse } from '../house.ts'
import { startFleet } from './fleet.ts'
import { connectAll, type Managed } from './managed.ts'

export interface Result {
  items: {
    status: string
    reason: string | null
    site_said: { untrusted: true; text: string } | null
    from_version: string
    to_version: string
    seconds: number | null
    health: Health | null
    pictures: { verdict: string; likeness: number | null; reason: string | null; before: string | null; after: string | null } | null
  }[]
}
export interface Health {
  before: { ok: boolean }
  after: {
    ok: boolean
    pages: { page: string; status: number; live: boolean }[]
    errors_meanwhile: { site_said: { untrusted: true; text: string } } | null
  } | null
}

export interface Outdated extends Managed {
  house: House
  mirror: Mirror
  close(): Promise<void>
}

/** One connected site with an outdated plugin. */
export async function openSite(settings: Record<string, string> = {}, muPlugins: string[] = []): Promise<Outdated> {
  const house = await openHouse(settings)
  const mirror = await startMirror()
  // On a busy machine WordPress takes longer to unpack than a host's 20 s, or 10 s of the processor; what a host ends is tried by killing.
  const patient = { pool: ['request_terminate_timeout = 120s'], php: { max_execution_time: '60' } }
  const fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb', confined: true, ...patient }], {
    light: process.env.UPDATES !== 'whole',
    plugins: [CONNECTOR, await writeSamplePlugin(house.dir)],
    muPlugins: [join(import.meta.dirname, '../../demo/mu-wporg-mirror.php'), ...muPlugins],
    constants: { WPORG_MIRROR: mirror.url },
  })
  const [managed] = (await connectAll(house, fleet)) as [Managed]
  await makeUpgradeFolders(managed)
  const close = async () => {
    await fleet.stop()
    await mirror.stop()
    await house.close()
  }
  return { ...managed, house, mirror, close }
}

/** The folders that WordPress makes at its first update. */
export async function makeUpgradeFolders({ native }: Managed): Promise<void> {
  for (const name of ['upgrade', 'upgrade-temp-backup/plugins', 'upgrade-temp-backup/themes', 'languages/plugins'])
    await mkdir(join(native.dir, 'wp-content', name), { recursive: true })
  await run('chown', ['-R', 'www-data:', join(native.dir, 'wp-content')])
}
