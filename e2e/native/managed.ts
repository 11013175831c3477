// A native site together with what the service knows it by.
import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type House, type Site, until } from '../house.ts'
import type { Fleet, NativeSite } from './fleet.ts'
import { query } from './mariadb.ts'

export interface Managed {
  native: NativeSite
  site: Site
  /** Name in the fleet's MariaDB; null for SQLite. */
  database: string | null
  /** Folder of the fleet. */
  fleet: string
}

/** Connects every site of the fleet with the service, a few at a time. */
export async function connectAll(house: House, fleet: Fleet): Promise<Managed[]> {
  const connected: Managed[] = []
  const waiting = fleet.sites.entries()
  const next = async () => {
    for (const [place, native] of waiting)
      connected[place] = { native, site: await connect(house, native), database: native.database, fleet: fleet.dir }
  }
  await Promise.all([next(), next(), next()])
  return connected
}

async function connect(house: House, native: NativeSite): Promise<Site> {
  const said = await enrol(house, native)
  return until(`${native.url} connected`, async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ id, status }) => said.includes(id) && status === 'connected'),
  )
}

/** What the site's command line says, its id among it; throws where that refuses. `again`: as this site, perhaps on another host. */
export async function enrol(house: House, native: NativeSite, again: { site?: string; host?: string } = {}): Promise<string> {
  // The service lets one address enrol only so often in a minute; a large fleet has to wait.
  return until(`${native.url} enrolled`, async () =>
    native
      .wpCli(['svc-connector', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode(again.site, again.host)}`])
      .catch((error: unknown) => {
        if (/Too many|429/i.test(String(error))) return undefined
        throw error
      }),
  )
}

/** Nobody can open a way before WordPress in a folder like this, so no version is tried before it is installed, and visitors meet a broken one. */
export const forbidTrials = ({ dir }: NativeSite) => chmod(dir, 0o555)

/** What a restore or an update might leave behind: closed folders, code that runs before every plugin, a notice, tables beside the live ones. */
export async function leftovers({ native, database, fleet }: Managed): Promise<string[]> {
  const found = async (folder: string, pattern: RegExp) => (await readdir(folder).catch(() => [])).filter((name) => pattern.test(name))
  return [
    ...(await found(join(native.content, 'svc-connector-work'), /^\.ht(?!access$)/)),
    ...(await found(join(native.content, 'mu-plugins'), /svc-connector-recovery|\.part(?:\.php)?$/)),
    ...(await found(join(native.dir, '..'), /^\.svc-connector/)),
    ...(await found(native.core, /^\.maintenance$/)),
    ...(database === null ? [] : (await query(fleet, database, "SHOW TABLES LIKE 'svc%'")).split('\n').filter(Boolean)),
  ]
}
