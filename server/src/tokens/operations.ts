import { z } from 'zod'
import { Cursor, limit, Moment, page } from '../kernel/shapes.ts'
import { Sees } from '../workspaces/schema.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { Call, pageOfCalls } from './calls.ts'
import { NewToken, Token, TokenId, TokenScope } from './schema.ts'
import { createToken, getToken, revokeToken } from './service.ts'
import { listTokens } from './store.ts'

export const list = workspaceOperation({
  name: 'tokens.list',
  http: 'GET /tokens',
  title: 'List tokens',
  summary: 'The API tokens of the workspace, newest first; their secrets are not kept.',
  scope: 'manage',
  effect: 'read',
  list: 'tokens',
  input: z.strictObject({}),
  output: page('tokens', Token),
  example: {},
  async handle(context) {
    const tokens = await listTokens(context)
    return { tokens, total: tokens.length, limit: null, next_cursor: null }
  },
})

export const create = workspaceOperation({
  name: 'tokens.create',
  http: 'POST /tokens',
  title: 'Create a token',
  summary: 'Make an API token; the answer is the only time its secret is shown.',
  scope: 'manage',
  effect: 'create',
  status: 201,
  secret: true,
  input: z.strictObject({
    name: z.string().trim().min(1).max(100).describe('What it is for, for example "Claude on my laptop".'),
    scope: TokenScope.describe('read: look only. write: change things too.'),
    approval_only: z
      .boolean()
      .default(false)
      .describe('Every change waits for an owner or admin, but for what approval policies let be done or refuse.'),
    sees: Sees.refine((sees) => Object.keys(sees).length > 0, 'Must name something.')
      .optional()
      .describe('Only these sites are there for it; all of the workspace if not given.'),
    expires_at: Moment.optional().describe('When it stops working; never if not given.'),
  }),
  output: NewToken,
  example: { name: 'Agent', scope: 'read' },
  handle: createToken,
})

export const revoke = workspaceOperation({
  name: 'tokens.revoke',
  http: 'POST /tokens/{token_id}/revoke',
  title: 'Revoke a token',
  summary: 'Refuse a token from now on, everywhere at once.',
  scope: 'manage',
  effect: 'destroy',
  idempotent: true,
  waits: true,
  input: z.strictObject({ token_id: TokenId }),
  output: Token,
  example: { token_id: 'tok_01k0000000000000000000000a' },
  handle: (context, { token_id }) => revokeToken(context, token_id),
})

export const calls = workspaceOperation({
  name: 'tokens.calls',
  http: 'GET /tokens/{token_id}/calls',
  title: 'What a token did',
  summary: 'Every call of a token that was let in, newest first: what, on which site, when, by which face, and how it ended.',
  scope: 'manage',
  effect: 'read',
  list: 'calls',
  columns: ['at', 'operation', 'outcome', 'via', 'site_id', 'request_id', 'id'],
  input: z.strictObject({
    token_id: TokenId,
    outcome: z.string().min(1).max(50).optional().describe('Only those that ended so: ok, awaiting_approval, or the code of a refusal.'),
    limit: limit(200, 50),
    cursor: Cursor,
  }),
  output: page('calls', Call),
  example: { token_id: 'tok_01k0000000000000000000000a' },
  async handle(context, { token_id, outcome, limit, cursor }) {
    await getToken(context, token_id)
    return pageOfCalls(context, { tokenId: token_id, outcome }, { limit, cursor })
  },
})
