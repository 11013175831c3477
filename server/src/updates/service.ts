import { lastSoundBefore } from '../backups/store.ts'
import { unheard } from '../inventory/heard.ts'
import { readInventory } from '../inventory/service.ts'
import { startJob } from '../jobs/service.ts'
import { Problem } from '../kernel/problem.ts'
import { preUpdateBackup, updatePolicyOf } from '../schedules/pre-update.ts'
import type { Site } from '../sites/schema.ts'
import { mustBePaired } from '../sites/talk.ts'
import { vulnerabilitiesFixed } from '../vulnerabilities/match.ts'
import type { Context } from '../world.ts'
import { harmsOf, offersOf } from './harmful.ts'
import { update } from './jobs.ts'
import { isNamed, type Judge, type Ruling, rulesOn, type Wish } from './rules.ts'
import type { Planned, Selection, Updatable } from './schema.ts'
import { chosen, mustBeInstalled, obstacle } from './selection.ts'

const mostFixes = 20
const secondsOf = { plugin: 12, theme: 12, core: 45, translations: 12 }

export async function planUpdate(context: Context, site: Site, wanted: Selection) {
  const inventory = await readInventory(context, site, { refresh: true, cached: false })
  mustBeInstalled(inventory, wanted)
  const items: Planned[] = []
  const risks = await undoRisks(context, site.id)
  const judge = await rulesOn(context, [site.id])
  const those = chosen(inventory, wanted)
  const harms = await harmsOf(context, offersOf(those))
  for (const item of those) {
    const harm = offersOf([item]).flatMap((offered) => harms(offered, site.id))
    const planned = plannedItem(item, judge(site, item, wishOf(context, wanted)))
    const all = planned.will_run ? [...harm, ...planned.risks, ...risks(item)] : []
    items.push({ ...planned, risks: all, fixes: await fixesOf(context, item) })
  }
  const estimated_s = items.reduce((sum, { will_run, estimated_s }) => sum + (will_run ? estimated_s : 0), 0)
  const backup = estimated_s > 0 ? await preUpdateBackup(context, site.id) : null
  const { live, site_said } = inventory
  const live_error = inventory.live_error ?? (live ? unheard(inventory) : null)
  const planned = { status: 'planned', job_id: null, poll_after_s: null, next: null, dry_run: true }
  return { ...planned, live, live_error, site_said, items, backup, estimated_s }
}

/** What of the files comes back alone, and WordPress only with all of the site: from the backup that is made first, or one that there is. */
async function undoRisks(context: Context, siteId: string): Promise<(item: Updatable) => string[]> {
  const { pre_update } = (await updatePolicyOf(context, siteId)).policy
  const hasSound = async (whole: boolean) => (await lastSoundBefore(context, siteId, { before: context.now(), whole })) !== undefined
  const isWhole = pre_update === 'full' || (await hasSound(true))
  const isHeld = isWhole || pre_update === 'files' || (await hasSound(false))
  const ofParts = isHeld ? [] : ['This cannot be undone from here: no backup holds the files.']
  const ofCore = isWhole
    ? 'WordPress is undone with the whole site only: a full backup from before is restored, and what changed since is lost.'
    : 'WordPress cannot be undone from here: there is no full backup. Make one first; restored, it brings the whole site back.'
  return ({ type }) => (type === 'core' ? [ofCore] : ofParts)
}

/** Who names a thing in person has it, whatever a rule would still hold back. */
export const wishOf = ({ caller }: Pick<Context, 'caller'>, wanted: Selection): Wish => ({ wanted, byPerson: caller.type === 'user' })

function plannedItem(item: Updatable, { reason: left, note }: Ruling) {
  const { type, slug, file, name, version: from_version, update } = item
  const reason = obstacle(item) ?? left
  return {
    ...{ type, slug, file, name, from_version, to_version: update?.version ?? from_version },
    ...{ requires_wp: update?.requires_wp ?? '', requires_php: update?.requires_php ?? '' },
    ...{ will_run: reason === null, reason, changelog_url: changelogOf(item) },
    ...{ risks: [...(note === null ? [] : [note]), ...risksOf(item)], estimated_s: secondsOf[type] },
  }
}

/** Which known vulnerabilities the update ends, each in a line. */
async function fixesOf({ db }: Context, { type, slug, version, update }: Updatable): Promise<string[]> {
  if (type === 'translations' || !update) return []
  const fixed = await vulnerabilitiesFixed({ db }, { type, slug }, version, update.version)
  return fixed.slice(0, mostFixes).map(({ cve, severity, title }) => `${cve ? `${cve}, ` : ''}${severity}: ${title}`)
}

/** Where a person reads what is new. */
function changelogOf({ type, update }: Updatable): string | null {
  if (!update) return null
  if (type === 'core') return `https://wordpress.org/documentation/wordpress-version/version-${update.version.replaceAll('.', '-')}/`
  if (/^https:\/\/wordpress\.org\/plugins\/[a-z0-9-]+\/?$/.test(update.url)) return `${update.url.replace(/\/?$/, '/')}#developers`
  return update.url || null
}

function risksOf({ type, version, update, active }: Updatable): string[] {
  const [from, to] = [version, update?.version ?? ''].map((each) => Number.parseInt(each, 10))
  return [
    ...(type === 'core' ? ['Visitors see a maintenance notice while the files of WordPress are replaced.'] : []),
    ...(type !== 'translations' && from !== to ? ['A new major version: look at the changelog first.'] : []),
    ...(type === 'plugin' && !active ? ['The plugin is not active, so a failure would show only when it is activated.'] : []),
  ]
}

export async function startUpdate(context: Context, site: Site, wanted: Selection) {
  mustBePaired(site, 'nothing can be updated there')
  const known = await readInventory(context, site, { refresh: false, cached: true }).catch(() => undefined)
  if (known) {
    mustBeInstalled(known, wanted)
    mustBeLet(chosen(known, wanted), await rulesOn(context, [site.id]), site, wishOf(context, wanted))
  }
  const started = await startJob(context, update, site.id, { ...wanted })
  return { ...started, dry_run: false, live: null, live_error: null, site_said: null, items: null, backup: null, estimated_s: null }
}

/** What is named and never to be updated is refused; of everything that waits it is left out. */
function mustBeLet(items: readonly Updatable[], judge: Judge, site: Site, wish: Wish): void {
  const refused = items.filter((item) => isNamed(item, wish.wanted)).find((item) => judge(site, item, wish).never)
  if (refused)
    throw new Problem('conflict', `Nothing was updated. ${judge(site, refused, wish).reason} Change the rule, or leave it out.`, {
      retryable: false,
    })
}
