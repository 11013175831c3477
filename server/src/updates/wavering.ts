// A page that shows another thing each time says nothing by its words, by its title or by where it leads.
import type { SiteClient } from '../sites/client.ts'
import { compared } from '../sites/sight.ts'
import type { Mark, Sight, Standard } from './look.ts'
import { isWell, lookAlone } from './looks.ts'

/** At a page of which something like that is about to decide, one after the other. */
const mostLooks = 6
/** Of a version that harms a site visitors meet each look that is taken: more pages that are worse at once are no chance. */
const mostPages = 2

/**
 * Of a version in its trial: whether the installed one shows the same now and then. What that shows is what was before, from now on.
 */
export const isAsInstalled = (site: SiteClient, standard: Standard, pages: readonly Sight[]): Promise<boolean> =>
  hasAnother(site, standard, pages, (seen, page) => {
    standard.before?.push(seen)
    return isAsBefore(page, standard)
  })

/** Of the installed version: whether the page is as before now and then. Then what it shows in between is taken for what was before as well. */
export const comesAndGoes = (site: SiteClient, standard: Standard, pages: readonly Sight[]): Promise<boolean> =>
  hasAnother(site, standard, pages, (seen, page) => {
    const isBack = isAsBefore(seen, standard)
    if (isBack) standard.before?.push(page)
    return isBack
  })

const isAsBefore = (page: Sight, { before }: Standard) => compared([page], before).every(({ problem }) => problem === null)

async function hasAnother(
  site: SiteClient,
  standard: Standard,
  pages: readonly Sight[],
  matches: (seen: Sight, page: Sight) => boolean,
): Promise<boolean> {
  const mark: Mark = { echo: standard.echo, trial: false }
  if (pages.length > mostPages) return false
  const found = await Promise.all(
    pages.map(async (page) => {
      for (let looks = 0; looks < mostLooks; looks++) {
        const seen = await lookAlone(site, standard, mark, page.page)
        if (seen && isWell(seen) && matches(seen, page)) return true
      }
      return false
    }),
  )
  return found.length > 0 && found.every(Boolean)
}
