import type { Caller } from '../kernel/context.ts'
import { answerOfList } from './fleet.ts'
import type { Fleet, Site } from './schema.ts'

/** The fleet as somebody sees it who does not see all of it: to him every other site does not exist. */
export function seenBy(fleet: Fleet, { sees }: Pick<Caller, 'sees'>): { fleet?: Fleet } {
  if (!sees) return {}
  const { site_ids, tag, client } = sees
  const isSeen = (site: Site) =>
    (site_ids === undefined || site_ids.includes(site.id)) &&
    (tag === undefined || site.tags.includes(tag)) &&
    (client === undefined || site.client === client)
  const all = async (workspaceId: string) => (await fleet.all(workspaceId)).filter(isSeen)
  return {
    fleet: {
      ...fleet,
      all,
      async one(workspaceId, siteId) {
        const site = await fleet.one(workspaceId, siteId)
        return site && isSeen(site) ? site : undefined
      },
      cachedList: async (workspaceId, limit = Number.POSITIVE_INFINITY) => answerOfList(workspaceId, await all(workspaceId), limit),
    },
  }
}
