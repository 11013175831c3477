// A real site whose updates may break it: what it is, who looks at it, and what may be killed.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeSamplePlugin } from '../../demo/mirror-packages.ts'
import { type Service, startService } from '../../demo/service.ts'
import { type Mirror, startMirror } from '../../demo/wporg-mirror.ts'
import { CONNECTOR } from '../guest.ts'
import { type House, openHouse, type Site, until } from '../house.ts'
import { type Fleet, type NativeSite, startFleet } from './fleet.ts'

export interface Result {
  items: {
    status: string
    reason: string | null
    from_version: string
    to_version: string
    seconds: number | null
    health: Health | null
  }[]
}
export interface Health {
  before: { ok: boolean }
  after: { ok: boolean; pages: { page: string; status: number; live: boolean }[] } | null
}

export interface Managed {
  house: House
  fleet: Fleet
  mirror: Mirror
  native: NativeSite
  site: Site
  /** Another service on the same data. */
  startAgain(): Promise<void>
  close(): Promise<void>
}

/** One connected site with an outdated plugin. */
export async function openSite(): Promise<Managed> {
  const house = await openHouse()
  const mirror = await startMirror()
  const fleet = await startFleet([{ wp: '7.1.1', db: 'mariadb' }], {
    plugins: [CONNECTOR, await writeSamplePlugin(house.dir)],
    muPlugins: [join(import.meta.dirname, '../../demo/mu-wporg-mirror.php')],
    constants: { WPORG_MIRROR: mirror.url },
  })
  const native = fleet.sites[0] as NativeSite
  await native.wpCli(['svc', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`])
  const site = await until('A connected site', async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ status }) => status === 'connected'),
  )
  const successors: Service[] = []
  return {
    ...{ house, fleet, mirror, native, site },
    startAgain: async () => void successors.push(await startService(join(house.dir, 'data'), Number(new URL(house.url).port))),
    async close() {
      await fleet.stop()
      await mirror.stop()
      for (const service of successors) await service.stop()
      await house.close()
    },
  }
}

/** Path → digest, for every file that is not the connector's own working folder. */
export async function picture({ native }: Managed): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(native.dir, { recursive: true, withFileTypes: true })) {
    const path = relative(native.dir, join(entry.parentPath, entry.name))
    if (/^wp-content\/(svc-connector-work|upgrade|upgrade-temp-backup|languages)(\/|$)/.test(path)) continue
    const full = join(native.dir, path)
    found[path] = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(full))
          .digest('hex')
      : 'folder'
  }
  return found
}

/** What the way back leaves anywhere. */
export async function leftovers({ native }: Managed): Promise<string[]> {
  const in_ = async (folder: string, pattern: RegExp) => (await readdir(folder).catch(() => [])).filter((name) => pattern.test(name))
  return [
    ...(await in_(join(native.dir, 'wp-content/svc-connector-work'), /^\.ht[0-9a-f]{32}$/)),
    ...(await in_(join(native.dir, 'wp-content/mu-plugins'), /svc-connector/)),
    ...(await in_(join(native.dir, '..'), /^\.svc-connector/)),
    ...(await in_(native.dir, /^\.maintenance$/)),
  ]
}

/** Asks for the front page every 200 ms, as a visitor who sees what is wrong; answers the longest time it was wrong, in ms. */
export function visitor({ native }: Managed) {
  let over = false
  const seen: { at: number; ok: boolean }[] = []
  const visiting = (async () => {
    while (!over) {
      const at = performance.now()
      const ok = await fetch(native.url).then(
        async (answer) => {
          const text = await answer.text()
          return answer.status === 200 && text.includes('</html>')
        },
        () => false,
      )
      seen.push({ at, ok })
      await sleep(200)
    }
  })()
  return async () => {
    over = true
    await visiting
    let [longest, since] = [0, -1]
    for (const { at, ok } of seen) {
      since = ok ? -1 : since < 0 ? at : since
      if (since >= 0) longest = Math.max(longest, at - since + 200)
    }
    return { longestMs: longest, looks: seen.length, wrong: seen.filter(({ ok }) => !ok).length }
  }
}

/** SIGKILL to the service. */
export async function killService(): Promise<void> {
  for (const task of await readdir('/proc/self/task'))
    for (const pid of (await readFile(`/proc/self/task/${task}/children`, 'utf8')).trim().split(' ').filter(Boolean))
      if (/main\.ts\0serve/.test(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))) process.kill(Number(pid), 'SIGKILL')
}

/** SIGKILL to every worker of the fleet's PHP; the master starts new ones. */
export async function killWorkers({ fleet }: Managed): Promise<void> {
  const master = (await readFile(join(fleet.dir, 'run/fpm.pid'), 'utf8')).trim()
  for (const pid of (await readFile(`/proc/${master}/task/${master}/children`, 'utf8')).trim().split(' ').filter(Boolean))
    process.kill(Number(pid), 'SIGKILL')
}
