import { z } from 'zod'
import { logEvent } from '../activity/service.ts'
import { newId } from '../kernel/ids.ts'
import { asker } from '../kernel/job.ts'
import { Problem, wrongField } from '../kernel/problem.ts'
import { page } from '../kernel/shapes.ts'
import { type Site, SiteId } from '../sites/schema.ts'
import { siteFilterOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import type { Context } from '../world.ts'
import { nameOf } from './rules.ts'
import { Allow, UpdateRule, UpdateRuleId } from './rules-schema.ts'
import { deleteRule, listRules, type RuleRow, writeRule } from './rules-store.ts'

const mostRules = 500
const ruleOf = (rule: RuleRow): UpdateRule => ({ ...rule, set_at: new Date(rule.set_at).toISOString(), name: nameOf(rule) })

export const listUpdateRules = workspaceOperation({
  name: 'updates.rules',
  http: 'GET /updates/rules',
  title: 'List update rules',
  summary: 'Which updates are let through, of which plugins, themes and of WordPress, where, and how long after they were first offered.',
  scope: 'read',
  effect: 'read',
  list: 'rules',
  columns: ['name', 'allow', 'delay_days', 'set_by.name', 'set_at', 'id'],
  input: z.strictObject({}),
  output: page('rules', UpdateRule),
  example: {},
  async handle(context) {
    const rules = (await listRules(context)).map(ruleOf)
    return { rules, total: rules.length, limit: null, next_cursor: null }
  },
})

const Wanted = z.strictObject({
  type: z.enum(['plugin', 'theme', 'core', 'any']).describe('any: plugins, themes and WordPress.'),
  slug: z.string().trim().min(1).max(255).optional().describe('One plugin or theme, by its slug; all of that type if not given.'),
  site_id: SiteId.optional().describe('Only on this site: its id or domain.'),
  tag: z.string().trim().min(1).max(100).optional().describe('Only on sites with this tag.'),
  allow: Allow.describe('How far an update may lead: patch, minor, major (as far as it does), or never.'),
  delay_days: z.int().min(0).max(90).default(0).describe('Only once a site has been offered the version for so many days.'),
})

export const setUpdateRule = siteFilterOperation({
  name: 'updates.set_rule',
  http: 'POST /updates/rules',
  title: 'Set an update rule',
  summary:
    'Let updates of some plugins, themes or of WordPress through only so far, only after so many days, or never; the rule for the same things and sites is replaced.',
  scope: 'write',
  effect: 'change',
  policy: 'settings',
  idempotent: true,
  input: Wanted,
  output: UpdateRule,
  example: { type: 'plugin', slug: 'woocommerce', allow: 'patch', delay_days: 7 },
  handle: setRule,
})

async function setRule({ site, ...context }: Context & { site: Site | undefined }, wanted: z.output<typeof Wanted>): Promise<UpdateRule> {
  const { type, slug = null, tag = null, allow, delay_days } = wanted
  if (slug !== null && type !== 'plugin' && type !== 'theme')
    throw wrongField('slug', 'Leave it out, or say plugin or theme as type: only these have a slug.')
  if (site && tag !== null) throw wrongField('tag', 'Name a site or a tag, not both.')
  if ((await listRules(context)).length >= mostRules)
    throw new Problem('conflict', `There are ${mostRules} update rules already, and more there may not be.`, { retryable: false })
  const rule = { type, slug, site_id: site?.id ?? null, tag, allow, delay_days, set_by: asker(context) }
  const id = await writeRule(context, { ...rule, id: newId('updaterule', context.now()) })
  await note(context, site?.id ?? null, `Update rule set: ${nameOf(rule)}`)
  return ruleOf({ ...rule, id, set_at: context.now().toISOString() })
}

export const removeUpdateRule = workspaceOperation({
  name: 'updates.remove_rule',
  http: 'DELETE /updates/rules/{update_rule_id}',
  title: 'Remove an update rule',
  summary: 'Let through again what the rule left out.',
  scope: 'write',
  effect: 'destroy',
  policy: 'deletions',
  input: z.strictObject({ update_rule_id: UpdateRuleId }),
  output: UpdateRule,
  example: { update_rule_id: 'updaterule_01k0000000000000000000000a' },
  async handle(context, { update_rule_id }) {
    const rule = await deleteRule(context, update_rule_id)
    if (!rule) throw new Problem('not_found', 'There is no such update rule in this workspace. GET /updates/rules shows those there are.')
    await note(context, rule.site_id, `Update rule removed: ${nameOf(rule)}`)
    return ruleOf(rule)
  },
})

const note = (context: Context, siteId: string | null, summary: string) =>
  logEvent(context, { siteId, category: 'update', summary: summary.slice(0, 200), by: asker(context), internal: true })
