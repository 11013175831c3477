// The database of a service as its first start leaves it, made once and copied: else each house would wait for initdb and every migration.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { run } from '../demo/npm.ts'
import { clusterFolder } from '../server/src/platform/embedded-postgres.ts'
import { openDatabase } from '../server/src/platform/open-database.ts'
import { prepareDatabase } from '../server/src/service.ts'

const CACHE = join(import.meta.dirname, '.cache')
const MIGRATIONS = join(import.meta.dirname, '../server/migrations')
const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Puts it into the data directory of a service that has not begun. */
export async function layCluster(dataDir: string): Promise<void> {
  const made = join(CACHE, `cluster-${digestOfMigrations()}`)
  if (!existsSync(made)) await make(made)
  await copy(join(made, basename(clusterFolder(dataDir))), dataDir)
}

function digestOfMigrations(): string {
  const digest = createHash('sha256')
  for (const name of readdirSync(MIGRATIONS).toSorted()) digest.update(name).update(readFileSync(join(MIGRATIONS, name)))
  return digest.digest('hex').slice(0, 16)
}

/** It appears whole, and only once, whoever makes it at the same time. */
async function make(made: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-cluster-'))
  const unfinished = `${made}.${randomBytes(4).toString('hex')}`
  try {
    const database = await openDatabase({ url: undefined, dataDir, role: 'service', log })
    await prepareDatabase({ address: database.address, log })
    await database.close()
    await mkdir(unfinished, { recursive: true })
    await copy(clusterFolder(dataDir), unfinished)
    await rename(unfinished, made)
  } catch (error) {
    if (!existsSync(made)) throw error
  } finally {
    await Promise.all([dataDir, unfinished].map((folder) => rm(folder, { recursive: true, force: true })))
  }
}

/** With its owner, which PostgreSQL demands. */
const copy = (folder: string, into: string) => run('cp', ['-a', '--reflink=auto', folder, into])
