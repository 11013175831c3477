import type { Kysely } from 'kysely'
import { CachedAnswer } from '../kernel/cached-answer.ts'
import type { Summary } from '../kernel/capability.ts'
import { cursorsOf, type Listing, type Page, type Position } from '../kernel/cursor.ts'
import { JoinedRead } from '../kernel/joined-reads.ts'
import { makeRoom } from '../platform/make-room.ts'
import type { Signals } from '../platform/signals.ts'
import { countsOf } from './counts.ts'
import { filtersOf, narrowed } from './filters.ts'
import type { Fleet, FleetCounts, Site } from './schema.ts'
import { listSites, readSites } from './store.ts'

/** Where sites are read, and what is told of each. */
interface Source {
  db: Kysely<unknown>
  summary: Summary
}

/** What a list tells beside its page. */
type Whole = { counts: FleetCounts; unknown: number }

interface Memory {
  /** When it began, by `performance.now()`. */
  began: number
  sites: Map<string, Site>
  /** To be read: changed, or asked for and not there. */
  stale: Set<string>
  /** Being read. */
  asked: ReadonlySet<string>
  /** Somebody wants every site of the workspace. */
  wanted: boolean
  /** `sites` holds every site of the workspace. */
  complete: boolean
  /** One question at a time, so that an older answer never comes after a newer one. */
  read: JoinedRead<void>
  /** Made of `sites`; by limit, Infinity for all. */
  lists: Map<number, CachedAnswer>
}

const mostWorkspaces = 1000
const mostLists = 8
/** Figures that change with each check are told to nobody: they are read anew with the whole after so long. */
const oldMs = 10 * 60_000
/** Each site's JSON, made once. */
const written = new WeakMap<Site, CachedAnswer>()

/** `db` has connections of its own: a write that looks for its site holds one of the others already. */
export function openFleet(db: Kysely<unknown>, signals: Signals, summary: Summary): Fleet {
  const source = { db, summary }
  const filters = filtersOf(summary)
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

  const ask = (workspaceId: string, memory: Memory) => memory.read.ask(() => readAgain(source, workspaceId, memory))

  /** What this node remembers, or a memory for this question alone while it cannot hear of changes. */
  function memoryOf(workspaceId: string): Memory {
    const memory = known.get(workspaceId)
    const isOld = memory !== undefined && performance.now() - memory.began > oldMs
    if (memory && !isOld && signals.fresh()) return memory
    const empty = emptyMemory()
    if (!signals.fresh()) return empty
    if (!known.has(workspaceId)) makeRoom(known, mostWorkspaces)
    known.set(workspaceId, empty)
    return empty
  }

  async function upToDate(workspaceId: string): Promise<Memory> {
    const memory = memoryOf(workspaceId)
    if (memory.complete && memory.stale.size === 0 && memory.asked.size === 0) return memory
    memory.wanted = true
    await ask(workspaceId, memory)
    return memory
  }

  return {
    forget,
    all: async (workspaceId) => ordered(await upToDate(workspaceId)),
    one(workspaceId, siteId) {
      const memory = memoryOf(workspaceId)
      if (isKnown(memory, siteId)) return memory.sites.get(siteId)
      memory.stale.add(siteId)
      return ask(workspaceId, memory).then(() => memory.sites.get(siteId))
    },
    narrowed: (sites, filter) => narrowed(filters, sites, filter),
    cachedSite,
    async cachedList(workspaceId, limit = Number.POSITIVE_INFINITY) {
      const memory = await upToDate(workspaceId)
      const list = memory.lists.get(limit) ?? answerOfList(workspaceId, ordered(memory), limit)
      if (memory.lists.size < mostLists) memory.lists.set(limit, list)
      return list
    },
  }
}

const emptyMemory = (): Memory => ({
  began: performance.now(),
  sites: new Map(),
  stale: new Set(),
  asked: new Set(),
  wanted: false,
  complete: false,
  read: new JoinedRead(),
  lists: new Map(),
})

/** Whether memory can tell what this site is like, or that there is none. */
const isKnown = ({ sites, stale, asked, complete }: Memory, id: string) => (complete || sites.has(id)) && !stale.has(id) && !asked.has(id)

/** Ids sort by creation. */
const ordered = ({ sites }: Memory) => [...sites.values()].sort((a, b) => (a.id < b.id ? -1 : 1))

async function readAgain(source: Source, workspaceId: string, memory: Memory): Promise<void> {
  const ids = [...memory.stale]
  const all = memory.wanted && !memory.complete
  if (!all && ids.length === 0) return
  memory.stale.clear()
  memory.asked = new Set(ids)
  try {
    const sites = all ? await listSites({ ...source, workspaceId }) : await readSites({ ...source, workspaceId }, ids)
    if (all) memory.sites.clear()
    for (const id of ids) memory.sites.delete(id)
    for (const site of sites) memory.sites.set(site.id, site)
    memory.complete ||= all
    memory.lists.clear()
  } catch (error) {
    for (const id of ids) memory.stale.add(id)
    throw error
  } finally {
    memory.asked = new Set()
  }
}

function cachedSite(site: Site): CachedAnswer {
  const answer = written.get(site) ?? new CachedAnswer(site, () => Buffer.from(JSON.stringify(site)))
  written.set(site, answer)
  return answer
}

export const listingOf = (workspaceId: string, filter: object = {}): Listing => ({ list: 'sites', workspaceId, filter })
export const placeOf = ({ id }: Site): Position => [id]

export function answerOfList(workspaceId: string, all: Site[], limit: number): CachedAnswer {
  const sites = all.slice(0, limit)
  const cursors = cursorsOf(listingOf(workspaceId), sites, placeOf, sites.length < all.length)
  const page = { items: sites, total: all.length, limit: Number.isFinite(limit) ? limit : null, ...cursors }
  return answerOfSites(page, { counts: countsOf(all), unknown: 0 })
}

/** A page of sites, put together from what is written of each. */
export function answerOfSites({ items: sites, cursorAfter, ...page }: Page<Site>, whole: Whole): CachedAnswer {
  return new CachedAnswer({ ...whole, ...page, sites }, () => arrayOf(sites.map((site) => cachedSite(site).json)), cursorAfter)
}

const comma = Buffer.from(',')
const arrayOf = (items: Buffer[]) =>
  Buffer.concat([Buffer.from('['), ...items.flatMap((json, index) => (index === 0 ? [json] : [comma, json])), Buffer.from(']')])
