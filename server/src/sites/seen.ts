import { type Caller, isGuest } from '../kernel/context.ts'
import { answerOfList } from './fleet.ts'
import type { Fleet, Site } from './schema.ts'

/** The fleet as somebody sees it who does not see all of it: to him every other site does not exist. */
export function seenBy(fleet: Fleet, caller: Pick<Caller, 'type' | 'sees'>): { fleet?: Fleet } {
  const { sees } = caller
  if (!sees) return {}
  const shown = isGuest(caller) ? withoutNotes : (site: Site) => site
  const { site_ids, tag, client } = sees
  const isSeen = (site: Site) =>
    (site_ids === undefined || site_ids.includes(site.id)) &&
    (tag === undefined || site.tags.includes(tag)) &&
    (client === undefined || site.client === client)
  const all = async (workspaceId: string) => (await fleet.all(workspaceId)).filter(isSeen).map(shown)
  return {
    fleet: {
      ...fleet,
      all,
      async one(workspaceId, siteId) {
        const site = await fleet.one(workspaceId, siteId)
        return site && isSeen(site) ? shown(site) : undefined
      },
      cachedList: async (workspaceId, limit = Number.POSITIVE_INFINITY) => answerOfList(workspaceId, await all(workspaceId), limit),
    },
  }
}

const bare = new WeakMap<Site, Site>()

/** Notes are for colleagues. Each site once, because what is written of it is kept by the site. */
function withoutNotes(site: Site): Site {
  if (site.notes === null) return site
  const made = bare.get(site) ?? { ...site, notes: null }
  bare.set(site, made)
  return made
}
