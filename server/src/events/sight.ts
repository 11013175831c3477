// What a listener is told of the changes of a workspace: all of them, or those of the sites that are seen at this moment.
import { hash } from 'node:crypto'
import { askedFor } from '../approvals/store.ts'
import type { Change } from '../kernel/change.ts'
import { type Caller, isGuest } from '../kernel/context.ts'
import { askedBy } from '../rollouts/store.ts'
import type { Site } from '../sites/schema.ts'
import type { Context } from '../world.ts'

export interface Sight {
  /** Looks which sites are seen now; another number when they are others. */
  refresh(): Promise<number>
  /** What of the news is for this listener, as of the last refresh. */
  visible(news: readonly Change[]): Promise<readonly Change[]>
}

export const sightOf = (context: Context): Sight => (context.caller.sees ? someOf(context, context.caller) : whole)

const whole: Sight = { refresh: async () => 0, visible: async (news) => news }

/** `context.fleet` holds no other sites. */
function someOf(context: Context, caller: Caller): Sight {
  const { fleet, workspaceId } = context
  const [guest, bare] = [isGuest(caller), { id: null, site_id: null }]
  let before: ReadonlyMap<string, Site> = new Map()
  let seen: ReadonlyMap<string, Site> = new Map()

  /** Of very many sites, those that look another way than at the look before; what nobody looked at before may have changed. */
  const otherThanBefore = (at: string): Change[] =>
    [...seen.values()].filter((site) => !isAsBefore(site, before.get(site.id))).map(({ id }) => ({ at, kind: 'site', id, site_id: id }))
  const isAsBefore = (site: Site, was: Site | undefined) =>
    was !== undefined && (site === was || fleet.cachedSite(site).etag === fleet.cachedSite(was).etag)

  return {
    async refresh() {
      const sites = await fleet.all(workspaceId)
      before = seen
      seen = new Map(sites.map((site) => [site.id, site]))
      return numberOf([...seen.keys()])
    },
    async visible(news) {
      const of = (wanted: Change['kind']) => news.flatMap(({ kind, id }) => (kind === wanted && id !== null ? [id] : []))
      const [rollouts, approvals] = [of('rollout'), of('approval')]
      const own = rollouts.length > 0 ? await askedBy(context, caller.id, rollouts) : new Set<string>()
      // As approvals.list shows them.
      const requests = approvals.length > 0 ? await askedFor(context, caller.id, approvals) : new Set<string>()
      return news.flatMap((change): Change[] => {
        const { at, kind, id, site_id, sites, internal } = change
        if (kind === 'reset') return [change]
        if (kind === 'site' && id === null) return otherThanBefore(at)
        if (kind === 'rollout' && id !== null) return own.has(id) ? [change] : []
        if (kind === 'approval') return id !== null && requests.has(id) ? [change] : []
        if (site_id !== null) return seen.has(site_id) && !(guest && internal) ? [change] : []
        return sites?.some((each) => seen.has(each)) ? [{ at, kind, ...bare }] : []
      })
    },
  }
}

const numberOf = (ids: string[]) => hash('sha256', ids.toSorted().join(' '), 'buffer').readUInt32BE() || 1
