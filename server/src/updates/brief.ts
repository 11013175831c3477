import type { Health, ItemResult, UpdateResult } from './schema.ts'

const mostItems = 60
/** Those that say more than their versions. */
const mostTold = 15
/** The worst first. */
const order: ItemResult['status'][] = ['failed', 'rolled_back', 'skipped', 'already_current', 'updated']

/** The result of a large update for a model: what went well by its versions, the rest with those pages that had a problem. */
export function briefOf({ items, ...rest }: UpdateResult): { result: Record<string, unknown>; without: string } {
  const sorted = items.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status) || Number(isWell(a)) - Number(isWell(b)))
  let told = 0
  const shown = sorted.slice(0, mostItems).map((item) => (isWell(item) || told++ >= mostTold ? versions(item) : withProblems(item)))
  const result = { ...rest, items: shown, items_left_out: items.length - shown.length }
  return { result, without: 'Of what went well only versions are shown, of the rest only pages with a problem.' }
}

const isWell = ({ status, health }: ItemResult) => ['updated', 'already_current'].includes(status) && health?.after?.ok !== false

const versions = ({ type, slug, from_version, to_version, status, seconds }: ItemResult) => ({
  ...{ type, slug, from_version, to_version, status, seconds },
})

const withProblems = ({ health, ...item }: ItemResult) => ({
  ...item,
  health: health && { before: onlyWrong(health.before), after: onlyWrong(health.after) },
})

const onlyWrong = (health: Health | null) => health && { ...health, pages: health.pages.filter(({ problem }) => problem !== null) }
