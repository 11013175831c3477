import { type Health, type ItemResult, shownAfter, type UpdateResult } from './schema.ts'

const mostItems = 60
/** Those that say more than their versions. */
const mostTold = 15
/** The worst first. */
const order: ItemResult['status'][] = ['failed', 'rolled_back', 'skipped', 'already_current', 'updated']

/** The result of an update for a model: what went well by its versions, the rest with those pages that had a problem. */
export function briefOf({ items, ...rest }: UpdateResult): { result: Record<string, unknown>; without: string } {
  const sorted = items.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status) || Number(isWell(a)) - Number(isWell(b)))
  let count = 0
  const shown = sorted
    .slice(0, mostItems)
    .map((item) => (count++ >= mostTold ? versions(item) : isWell(item) ? { ...versions(item), ...remarks(item) } : withProblems(item)))
  const left = items.length - shown.length
  const result = { ...rest, items: shown, ...(left > 0 && { items_left_out: left }) }
  return { result, without: 'Pages that were well are counted, not shown; of what went well only versions are.' }
}

const isWell = ({ status, health }: ItemResult) => ['updated', 'already_current'].includes(status) && health?.after?.ok !== false

const versions = ({ type, slug, from_version, to_version, status, seconds, health }: ItemResult) => ({
  ...{ type, slug, from_version, to_version, status, seconds },
  ...(health?.after && { pages_well: countOf(health.after) }),
})

/** What is to be known of an item that went well. */
const remarks = ({ reason, site_said, health, pictures, unjudged }: ItemResult) => ({
  ...(reason !== null && { reason }),
  ...(site_said && { site_said }),
  ...(health?.after?.errors_meanwhile && { errors_meanwhile: health.after.errors_meanwhile }),
  ...(pictures && { pictures: { verdict: pictures.verdict } }),
  ...(unjudged && { unjudged }),
})

const withProblems = ({ health, ...item }: ItemResult) => ({
  ...item,
  health: health && {
    before: onlyWrong(health.before),
    after_shows: health.after_shows ?? shownAfter(item.status),
    after: onlyWrong(health.after),
  },
})

const onlyWrong = (health: Health | null) =>
  health && { ...health, pages: health.pages.filter(({ problem }) => problem !== null), pages_well: countOf(health) }

const countOf = ({ pages }: Health) => pages.filter(({ problem }) => problem === null).length
