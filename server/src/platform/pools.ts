// Connections are shared out by kind of work and by workspace, so that nobody who is slow takes them from somebody else.
import type pg from 'pg'
import { Problem } from '../kernel/problem.ts'
import { connectPool, type Database, databaseOn, type PoolLog } from './database.ts'
import { makeRoom } from './make-room.ts'
import type { DatabaseAddress } from './open-database.ts'
import { Slots } from './slots.ts'

/** At most so many connections of each kind in one process; `each`: of one workspace. */
const sizes = {
  work: 20,
  reads: { all: 12, each: 4 },
  writes: { all: 8, each: 3 },
  fleet: 4,
  strangers: 5,
  door: 3,
}
const patienceMs = 10_000

export interface Pools {
  /** Jobs, clocks and what nobody waits for. */
  work: Database
  /** Reads of sites, one after another for each workspace; a write that looks for its site holds one of `writes` already. */
  fleet: Database
  /** Whoever has no token: sites that join or say goodbye, the first owner. */
  strangers: Database
  /** Tokens, and whether the database answers. */
  door: Database
  /** The calls of one workspace. */
  reads(workspaceId: string): Database
  writes(workspaceId: string): Database
  close(): Promise<void>
}

/** Opens no connection before it is needed. */
export function openPools(address: DatabaseAddress, log: PoolLog): Pools {
  const plain = (size: number) => databaseOn(connectPool(address, log, { max: size }))
  const [work, fleet, strangers, door] = [plain(sizes.work), plain(sizes.fleet), plain(sizes.strangers), plain(sizes.door)]
  const [reads, writes] = [shared(address, log, sizes.reads), shared(address, log, sizes.writes)]
  return {
    ...{ work, fleet, strangers, door },
    reads: reads.of,
    writes: writes.of,
    async close() {
      await Promise.all([work.destroy(), fleet.destroy(), strangers.destroy(), door.destroy(), reads.close(), writes.close()])
    },
  }
}

const mostRemembered = 1000

/** One pool, of which each workspace has a share. */
function shared(address: DatabaseAddress, log: PoolLog, { all, each }: { all: number; each: number }) {
  const pool = connectPool(address, log, { max: all })
  const slots = new Slots(each)
  const known = new Map<string, Database>()
  const connect = async (workspaceId: string): Promise<pg.PoolClient> => {
    const giveBack = await slots.take(workspaceId, patienceMs)
    if (!giveBack) throw tooMuch()
    try {
      const client = await pool.connect()
      const { release } = client
      client.release = (error) => {
        giveBack()
        release(error)
      }
      return client
    } catch (error) {
      giveBack()
      throw error
    }
  }
  return {
    of(workspaceId: string): Database {
      const found = known.get(workspaceId)
      if (found) return found
      makeRoom(known, mostRemembered)
      const made = databaseOn({ options: pool.options, connect: () => connect(workspaceId), end: async () => {} })
      known.set(workspaceId, made)
      return made
    },
    close: async () => {
      if (!pool.ending) await pool.end()
    },
  }
}

const tooMuch = () => new Problem('rate_limited', 'Other calls of this workspace keep the database busy. Wait a moment.', { retryAfter: 5 })
