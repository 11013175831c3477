import { z } from 'zod'
import { Cursor, limit, page } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteFilterOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Decision, Effect, JumpOf, Policies, PolicyVersion } from './schema.ts'
import { pageOfVersions, readPolicies, setPolicy } from './service.ts'

export const get = workspaceOperation({
  name: 'policies.get',
  http: 'GET /policies',
  title: 'Read the approval policies',
  summary: 'What an agent that needs approvals has done at once, what it must ask for, and what it is refused.',
  scope: 'manage',
  effect: 'read',
  rows: 'effects',
  columns: ['title', 'decision', 'usual', 'always_asks', 'narrowed', 'effect', 'jump'],
  input: z.strictObject({}),
  output: Policies,
  example: {},
  handle: readPolicies,
})

export const set = siteFilterOperation({
  name: 'policies.set',
  http: 'POST /policies',
  title: 'Set an approval policy',
  summary:
    'Decide over one kind of effect, everywhere, on one site or on those with a tag. Having less asked for takes a person who has just shown a second factor.',
  scope: 'manage',
  effect: 'change',
  idempotent: true,
  input: z.strictObject({
    effect: Effect,
    jump: JumpOf.optional().describe('Of updates: how far they lead.'),
    site_id: SiteId.optional().describe('Only on this site: its id or domain.'),
    tag: z.string().trim().min(1).max(100).optional().describe('Only on sites with this tag.'),
    decision: z
      .enum([...Decision.options, 'usual'])
      .describe('auto: done at once. ask: a person decides. never: refused. usual: what was set here is forgotten.'),
  }),
  output: Policies,
  example: { effect: 'updates', jump: 'patch', tag: 'staging', decision: 'auto' },
  handle: ({ site, ...context }, { site_id: _, ...setting }) => setPolicy(context, { ...setting, site_id: site?.id }),
})

export const history = workspaceOperation({
  name: 'policies.history',
  http: 'GET /policies/versions',
  title: 'List versions of the approval policies',
  summary: 'What was changed in the approval policies, by whom and when, newest first.',
  scope: 'manage',
  effect: 'read',
  list: 'versions',
  columns: ['version', 'set_at', 'set_by.name', 'title', 'change'],
  input: z.strictObject({ limit: limit(200, 50), cursor: Cursor }),
  output: page('versions', PolicyVersion),
  example: {},
  handle: pageOfVersions,
})
