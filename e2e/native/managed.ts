// A native site together with what the service knows it by.
import { readdir } from 'node:fs/promises'
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
  // The service lets one address enrol only so often in a minute; a large fleet has to wait.
  await until(`${native.url} enrolled`, async () =>
    native.wpCli(['svc-connector', 'connect', `--service=${house.url}`, `--code=${await house.pairingCode()}`]).catch((error: unknown) => {
      if (/Too many|429/i.test(String(error))) return undefined
      throw error
    }),
  )
  return until(`${native.url} connected`, async () =>
    (await house.ask<Site[]>('GET', '/sites')).find(({ url, status }) => url === native.url && status === 'connected'),
  )
}

/** What a restore or an update might leave behind: closed folders, code that runs before every plugin, a notice, tables beside the live ones. */
export async function leftovers({ native, database, fleet }: Managed): Promise<string[]> {
  const found = async (folder: string, pattern: RegExp) =>
    (await readdir(join(native.dir, folder)).catch(() => [])).filter((name) => pattern.test(name))
  return [
    ...(await found('wp-content/svc-connector-work', /^\.ht(?!access$)/)),
    ...(await found('wp-content/mu-plugins', /svc-connector/)),
    ...(await found('..', /^\.svc-connector/)),
    ...(await found('.', /^\.maintenance$/)),
    ...(database === null ? [] : (await query(fleet, database, "SHOW TABLES LIKE 'svc%'")).split('\n').filter(Boolean)),
  ]
}
