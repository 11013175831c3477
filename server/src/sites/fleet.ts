import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Sealed } from '../kernel/run.ts'
import type { Signals } from '../platform/signals.ts'
import type { Site } from './schema.ts'
import { listSites, readSites } from './store.ts'

/** The sites of each workspace, from memory while `signals` is fresh; of a site that changed, only that one is read again. */
export interface Fleet {
  /** Oldest first. */
  all(workspaceId: string): Promise<Site[]>
  one(workspaceId: string, siteId: string): Promise<Site | undefined> | Site | undefined
  /** One site's answer, written once until the site changes. */
  sealedSite(site: Site): Sealed
  /** All sites or the first `limit` of them, written once until one changes. */
  sealedList(workspaceId: string, limit?: number): Promise<Sealed>
  /** After a write of this node, whose announcement may still be under way. Without ids: every site of the workspace. */
  forget(workspaceId: string, siteIds?: Iterable<string>): void
}

interface Memory {
  sites: Map<string, Site>
  /** Changed since they were read. */
  stale: Set<string>
  /** `sites` holds every site of the workspace. */
  complete: boolean
  reading: Promise<void> | undefined
  /** Made of `sites`; by limit, Infinity for all. */
  lists: Map<number, Sealed>
}

const mostWorkspaces = 1000
const mostLists = 8
/** Each site's JSON, made once. */
const written = new WeakMap<Site, Sealed>()

export function openFleet(db: Kysely<unknown>, signals: Signals): Fleet {
  const known = new Map<string, Memory>()
  const forget: Fleet['forget'] = (workspaceId, siteIds) => {
    const memory = known.get(workspaceId)
    if (!siteIds) known.delete(workspaceId)
    else for (const id of siteIds) memory?.stale.add(id)
  }
  signals.on('svc_sites', {
    hear(payload) {
      const [workspaceId = '', siteId] = payload.split(' ')
      forget(workspaceId, siteId === undefined ? undefined : [siteId])
    },
    forget: () => known.clear(),
  })

  /** What this node remembers, or a memory for this question alone while it cannot hear of changes. */
  function memoryOf(workspaceId: string): Memory {
    const memory = known.get(workspaceId)
    if (memory && signals.fresh()) return memory
    const empty: Memory = { sites: new Map(), stale: new Set(), complete: false, reading: undefined, lists: new Map() }
    if (!signals.fresh()) return empty
    if (known.size >= mostWorkspaces) known.clear()
    known.set(workspaceId, empty)
    return empty
  }

  async function upToDate(workspaceId: string): Promise<Memory> {
    const memory = memoryOf(workspaceId)
    while (!memory.complete || memory.stale.size > 0) {
      memory.reading ??= readAgain(db, workspaceId, memory).finally(() => {
        memory.reading = undefined
      })
      await memory.reading
    }
    return memory
  }

  return {
    forget,
    all: async (workspaceId) => ordered(await upToDate(workspaceId)),
    one(workspaceId, siteId) {
      const memory = memoryOf(workspaceId)
      const site = memory.sites.get(siteId)
      if (memory.stale.has(siteId)) return readOne(db, workspaceId, memory, siteId)
      return site || memory.complete ? site : readOne(db, workspaceId, memory, siteId)
    },
    sealedSite,
    async sealedList(workspaceId, limit = Number.POSITIVE_INFINITY) {
      const memory = await upToDate(workspaceId)
      const list = memory.lists.get(limit) ?? sealList(ordered(memory), limit)
      if (memory.lists.size < mostLists) memory.lists.set(limit, list)
      return list
    },
  }
}

/** Ids sort by creation. */
const ordered = ({ sites }: Memory) => [...sites.values()].sort((a, b) => (a.id < b.id ? -1 : 1))

/** A site is no longer stale before the question is asked, so that a change during the answer makes it stale again. */
async function readAgain(db: Kysely<unknown>, workspaceId: string, memory: Memory): Promise<void> {
  const wasComplete = memory.complete
  const ids = [...memory.stale]
  memory.stale.clear()
  memory.complete = true
  try {
    const sites = wasComplete ? await readSites({ db, workspaceId }, ids) : await listSites({ db, workspaceId })
    if (wasComplete) for (const id of ids) memory.sites.delete(id)
    else memory.sites.clear()
    for (const site of sites) memory.sites.set(site.id, site)
    memory.lists.clear()
  } catch (error) {
    memory.complete = false
    throw error
  }
}

async function readOne(db: Kysely<unknown>, workspaceId: string, memory: Memory, id: string): Promise<Site | undefined> {
  memory.stale.delete(id)
  memory.lists.clear()
  try {
    const [site] = await readSites({ db, workspaceId }, [id])
    if (site) memory.sites.set(id, site)
    else memory.sites.delete(id)
    memory.lists.clear()
    return site
  } catch (error) {
    memory.stale.add(id)
    throw error
  }
}

function sealedSite(site: Site): Sealed {
  const answer = written.get(site) ?? seal(site, Buffer.from(JSON.stringify(site)))
  written.set(site, answer)
  return answer
}

function sealList(all: Site[], limit: number): Sealed {
  const sites = all.slice(0, limit)
  const next_cursor = sites.length < all.length ? (sites.at(-1)?.id ?? null) : null
  const comma = Buffer.from(',')
  const parts = sites.flatMap((site, index) => (index === 0 ? [sealedSite(site).json] : [comma, sealedSite(site).json]))
  const json = Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')])
  return seal({ sites, total: all.length, limit: Number.isFinite(limit) ? limit : null, next_cursor }, json)
}

const seal = (value: unknown, json: Buffer) => new Sealed(value, json, `"${hash('sha1', json, 'base64url')}"`)
