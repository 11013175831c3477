import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Sealed } from '../kernel/run.ts'
import type { Signals } from '../platform/signals.ts'
import type { Site } from './schema.ts'
import { listSites } from './store.ts'

interface Remembered {
  sites: Site[]
  byId: Map<string, Site>
  list: Sealed
  /** First pages, by their limit. */
  pages: Map<number, Sealed>
  one: Map<string, Sealed>
}

/** The sites of a workspace, from memory while `signals` is fresh and no change was announced. */
export interface Fleet {
  of(workspaceId: string): Promise<Remembered> | Remembered
  /** After a write of this node, whose announcement may still be under way. */
  forget(workspaceId: string): void
  /** A site's answer, written once until the site changes. */
  sealedSite(fleet: Remembered, site: Site): Sealed
  /** The first `limit` sites, written once until one changes. */
  sealedPage(fleet: Remembered, limit: number): Sealed
}

const mostWorkspaces = 1000
const mostPages = 8

/** Every change of a site or of its backups announces its workspace (a trigger, migration 0005), so memory follows the database. */
export function openFleet(db: Kysely<unknown>, signals: Signals): Fleet {
  const known = new Map<string, Remembered>()
  let heard = 0
  const forget = (workspaceId: string) => {
    heard++
    known.delete(workspaceId)
  }
  signals.on('svc_sites', {
    hear: forget,
    forget() {
      heard++
      known.clear()
    },
  })

  async function read(workspaceId: string): Promise<Remembered> {
    const before = heard
    const sites = await listSites({ db, workspaceId })
    const list = sealed({ sites, total: sites.length, limit: null, next_cursor: null }, sites)
    const fleet = { sites, byId: new Map(sites.map((site) => [site.id, site])), list, pages: new Map<number, Sealed>(), one: new Map<string, Sealed>() }
    if (before === heard && signals.fresh()) {
      if (known.size >= mostWorkspaces) known.clear()
      known.set(workspaceId, fleet)
    }
    return fleet
  }

  return {
    forget,
    of: (workspaceId) => (signals.fresh() && known.get(workspaceId)) || read(workspaceId),
    sealedSite(fleet, site) {
      const answer = fleet.one.get(site.id) ?? sealed(site, site)
      fleet.one.set(site.id, answer)
      return answer
    },
    sealedPage(fleet, limit) {
      const page = fleet.pages.get(limit) ?? firstPage(fleet.sites, limit)
      if (fleet.pages.size < mostPages) fleet.pages.set(limit, page)
      return page
    },
  }
}

function firstPage(all: Site[], limit: number): Sealed {
  const sites = all.slice(0, limit)
  const next_cursor = sites.length < all.length ? (sites.at(-1)?.id ?? null) : null
  return sealed({ sites, total: all.length, limit, next_cursor }, sites)
}

function sealed(value: unknown, body: unknown): Sealed {
  const json = JSON.stringify(body)
  return new Sealed(value, json, `"${hash('sha1', json, 'base64url')}"`)
}
