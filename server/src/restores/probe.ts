// What must be true of a site once a restore has been swapped in.
import { plainWord, type Why } from '../kernel/site-said.ts'
import type { SiteClient } from '../sites/client.ts'
import { isCopy, visitPages, whatIsWrong } from '../sites/health.ts'
import { type PageSight, remaining } from '../sites/sight.ts'

/** `secret` lets us in while visitors see the notice. */
export interface Armed {
  secret: string
  sights: PageSight[]
}
export type Expected = { wordpress: string | null; marker: string }

const pastNotice = (secret: string) => ({ 'svc-connector-probe': secret })

/** How the site is before; the same look as after. */
export const lookBefore = (site: SiteClient, secret: string) => visitPages(site, pastNotice(secret))

/** What is wrong with the site after the swap; null when nothing is, and then `warnings` names what was so before and still is. */
export async function judge(
  site: SiteClient,
  { secret, sights }: Armed,
  expected: Expected,
): Promise<{ wrong: Why | null; warnings: string[] }> {
  const warnings: string[] = []
  const wrong = await whatIsWrong(site, {
    before: sights,
    meant: 'replaced',
    query: pastNotice(secret),
    seen: (pages) => void warnings.push(...remaining(pages, sights)),
    ask: () => differs(site, expected),
  })
  return { wrong, warnings }
}

async function differs(site: SiteClient, { wordpress, marker }: Expected): Promise<Why | null> {
  const hello = await site.hello()
  if (hello.clone) return isCopy
  if (wordpress !== null && hello.wp_version !== wordpress)
    return {
      message: `WordPress is ${plainWord(hello.wp_version) ?? 'of another version'}, not ${plainWord(wordpress) ?? 'that of the backup'}.`,
    }
  const status = await site.once('restore.status', {})
  return status.marker === marker ? null : { message: 'The restored tables are not in use.' }
}
