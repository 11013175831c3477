import { logEvent } from '../activity/service.ts'
import { pageOf, type Wanted } from '../kernel/cursor.ts'
import type { EffectKind, Jump } from '../kernel/effects.ts'
import { asker } from '../kernel/job.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import { freshFactor, freshMinutes } from '../members/fresh.ts'
import { isApprover } from '../members/store.ts'
import type { Context, Db } from '../world.ts'
import { baseOf, inWords, isLooser, rulesOf } from './decide.ts'
import { alwaysAsks, type Cell, cells, hasJumps, titleOf, usualOf } from './effects.ts'
import type { Change, Decision, Place, Policies, Rule } from './schema.ts'
import { countVersions, findPolicies, holdPolicies, insertVersion, listVersions, type Version } from './store.ts'

const mostRules = 200

export async function readPolicies(context: Db): Promise<Policies> {
  const { version, rules, set_by, set_at } = await findPolicies(context)
  const effects = cells.map((cell) => ({
    ...{ ...cell, title: titleOf(cell), decision: baseOf(rules, cell).decision, usual: usualOf(cell), always_asks: alwaysAsks(cell) },
    narrowed: rulesOf(rules, cell)
      .filter(({ site_id, tag }) => site_id !== null || tag !== null)
      .map(({ site_id, tag, decision }) => ({ site_id, tag, decision })),
  }))
  return { version, set_by, set_at: set_at && new Date(set_at).toISOString(), effects }
}

const notFresh = () =>
  new Problem(
    'confirmation_required',
    `Nothing was changed: to have less asked for than before takes a person who showed a second factor in the last ${freshMinutes} minutes. Show it again and repeat; whoever has none sets one up in the dashboard first (Account).`,
  )

interface Setting {
  effect: EffectKind
  jump?: Jump | undefined
  site_id: string | undefined
  tag?: string | undefined
  decision: Decision | 'usual'
}

/** Sets one decision, as a new version; where it is so already nothing changes. To have less asked for takes a fresh factor. */
export async function setPolicy(context: Context, setting: Setting): Promise<Policies> {
  await mustBeApprover(context)
  const place = placeOf(setting)
  const after = setting.decision === 'usual' ? null : setting.decision
  if (after === 'auto' && alwaysAsks(place))
    throw wrongField('decision', `${titleOf(place)}: never done without asking. Choose ask or never.`)
  await holdPolicies(context)
  const now = await findPolicies(context)
  const said = now.rules.find((rule) => isOf(rule, place))
  if ((said?.decision ?? null) === after) return readPolicies(context)
  const looser = isLooser(now.rules, place, after)
  if (looser && !freshFactor(context.caller, context.now())) throw notFresh()
  await write(context, now, { ...place, before: said?.decision ?? null, after, looser })
  return readPolicies(context)
}

async function write(context: Context, { version, rules: before }: Version, change: Change): Promise<void> {
  const { effect, jump, site_id, tag, after, looser } = change
  const others = before.filter((rule) => !isOf(rule, change))
  const rules = after === null ? others : [...others, { effect, jump, site_id, tag, decision: after }]
  if (rules.length > mostRules)
    throw new Problem('conflict', `There are ${before.length} decisions already, and more than ${mostRules} there may not be.`, {
      retryable: false,
    })
  const by = asker(context)
  await insertVersion(context, { version: version + 1, rules, change, by })
  const summary = `${looser ? 'Agents are asked less' : 'Agents are asked more'}: ${titleOf(change)}`
  const notes = `Version ${version + 1}. ${after === null ? 'As usual again.' : `${inWords({ effect, jump, site_id, tag, decision: after })}.`}`
  await logEvent(context, { siteId: site_id, category: 'security', summary, notes, by, internal: true })
}

const isOf = (rule: Omit<Rule, 'decision'>, { effect, jump, site_id, tag }: Cell & Place) =>
  rule.effect === effect && rule.jump === jump && rule.site_id === site_id && rule.tag === tag

function placeOf({ effect, jump, site_id, tag }: Setting): Cell & Place {
  if (hasJumps(effect) && jump === undefined) throw wrongField('jump', 'Say of which updates: patch, minor or major.')
  if (!hasJumps(effect) && jump !== undefined) throw wrongField('jump', 'Leave it out: only updates lead so far.')
  if (site_id !== undefined && tag !== undefined) throw wrongField('tag', 'Name a site or a tag, not both.')
  return { effect, jump: jump ?? null, site_id: site_id ?? null, tag: tag ?? null }
}

/** Who decides over requests decides over what is asked. */
async function mustBeApprover({ caller, db, workspaceId }: Context): Promise<void> {
  if (caller.type !== 'user' || !(await isApprover({ db, workspaceId }, caller.id)))
    throw new Problem('insufficient_scope', 'Nothing was changed: only an owner or admin of the workspace sets policies, in person.')
}

export async function pageOfVersions(context: Context, wanted: Wanted) {
  const listing = { list: 'versions', workspaceId: context.workspaceId, filter: {} }
  const { items, cursorAfter, ...page } = await pageOf(listing, wanted, {
    items: (part) => listVersions(context, part),
    total: () => countVersions(context),
    at: ({ version }) => [String(version)],
  })
  return { versions: items.map((each) => ({ ...each, title: titleOf(each.change) })), ...page, cursorAfter }
}
