// What the measurements of uptime share: the fleet, its rows in a database, and workers that look at it.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { openCommandWorld } from '../server/src/admin/world.ts'
import { readConfig } from '../server/src/config.ts'
import { connectPool } from '../server/src/platform/database.ts'
import { createLog } from '../server/src/platform/log.ts'
import { seal } from '../server/src/platform/master-key.ts'
import type { DatabaseAddress } from '../server/src/platform/open-database.ts'
import { prepareDatabase } from '../server/src/service.ts'
import { sealContext } from '../server/src/sites/talk.ts'
import { newSealedKey, workspaceKey } from '../server/src/workspaces/keys.ts'
import { startTestServer } from '../server/test/database.ts'
import type { Planned } from './seed.ts'
import { environment, freePort, stop } from './service.ts'

export interface UptimeHouse {
  pool: pg.Pool
  urls: string[]
  /** Asked, it tells how often each site was visited (bench/uptime-fleet.ts). */
  fleet: ChildProcess
  startWorker(): Promise<ChildProcess>
}

export const workspaceId = 'ws_bench'
const silent = { info() {}, warn() {}, error() {} }

/** Has so many fake sites, each looked at every `intervalS`, for as long as `work` takes. */
export async function withUptimeHouse<Answer>(
  { sites, intervalS }: { sites: number; intervalS: number },
  work: (house: UptimeHouse) => Promise<Answer>,
): Promise<Answer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const server = await startTestServer()
  const fleet = fork(join(import.meta.dirname, 'uptime-fleet.ts'))
  const workers: ChildProcess[] = []
  const address = { ...server.address, database: 'postgres' }
  const pool = connectPool(address, silent)
  try {
    const [port] = (await once(fleet, 'message')) as [number]
    await prepareDatabase({ address, log: silent })
    const urls = urlsOf(sites, port)
    await fill(pool, urls, intervalS)
    await pair({ pool, fleet, address, folder }, urls)
    const startWorker = async () => {
      const worker = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'uptime-worker.ts')], {
        env: { ...process.env, ...environment({ dataDir: folder, port: await freePort() }), BENCH_DATABASE: JSON.stringify(address) },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      workers.push(worker)
      await once(worker, 'message')
      return worker
    }
    return await work({ pool, urls, fleet, startWorker })
  } finally {
    await Promise.all(workers.map((child) => stop(child)))
    await pool.end()
    await stop(fleet)
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Place {
  pool: pg.Pool
  fleet: ChildProcess
  address: DatabaseAddress
  folder: string
}

/** So that each site is asked as one that is connected, signed and all. */
async function pair({ pool, fleet, address, folder }: Place, urls: readonly string[]): Promise<void> {
  fleet.send({ sites: urls.map((url, n) => ({ url, id: idOf(n + 1) })) })
  const [planned] = (await once(fleet, 'message')) as [Planned[]]
  const config = readConfig({ ...process.env, ...environment({ dataDir: folder, port: 0 }) })
  const { world, close } = await openCommandWorld(config, createLog({ level: 'error', to: 'stderr' }), address)
  try {
    await pool.query('UPDATE workspaces SET sealed_key = $1 WHERE id = $2', [newSealedKey(world.masterKey, workspaceId), workspaceId])
    const key = await workspaceKey(world, workspaceId)
    const sealed = planned.map(({ servicePrivate }, n) =>
      seal(key, Buffer.from(servicePrivate), sealContext(idOf(n + 1))).toString('base64'),
    )
    const columns = [
      planned.map((_, n) => idOf(n + 1)),
      planned.map((each) => each.servicePublic),
      sealed,
      planned.map((each) => each.sitePublic),
    ]
    await pool.query(
      `UPDATE sites SET status = 'connected', unproven = false, keyid = 'k1', service_public = p.service, sealed_service_key = p.sealed,
         site_public = p.site, door = 'front', mode = 'headers'
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS p (id, service, sealed, site) WHERE sites.id = p.id`,
      columns,
    )
  } finally {
    await close()
  }
}

/** All sites are one server; each has an address of its own, 127.x.y.z. */
const urlsOf = (sites: number, port: number) =>
  Array.from({ length: sites }, (_, n) => `http://127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}:${port}`)

/** Of the site that is so many in the row, from 1. */
export const idOf = (n: number) => `site_${String(n).padStart(26, '0')}`

/** Puts a workspace with these sites into a database, each with its turn within an interval. */
export async function fill(pool: pg.Pool, urls: readonly string[], intervalS: number): Promise<void> {
  await pool.query(`INSERT INTO workspaces (id, name, sealed_key) VALUES ('ws_bench', 'Bench', '')`)
  await pool.query(`INSERT INTO uptime_settings (workspace_id, interval_s) VALUES ('ws_bench', $1)`, [intervalS])
  await pool.query(
    `INSERT INTO sites (workspace_id, id, name, url, home, status, keyid, service_public, sealed_service_key, site_public, created_at, updated_at)
     SELECT 'ws_bench', 'site_' || lpad(n::text, 26, '0'), 'Site ' || n, url, url, 'clone_detected', '', '', '', '', now(), now()
     FROM unnest($1::text[]) WITH ORDINALITY AS u (url, n)`,
    [urls],
  )
  await pool.query(
    `INSERT INTO turns (workspace_id, site_id, kind, due_at)
     SELECT workspace_id, id, 'uptime', now() + random() * make_interval(secs => $1) FROM sites`,
    [intervalS],
  )
}
