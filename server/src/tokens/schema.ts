import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'
import { Sees } from '../workspaces/schema.ts'

/** A secret an agent or a program presents instead of a person. It belongs to one workspace and has one scope. */
export const TokenId = z.string().regex(/^tok_[0-9a-z]{26}$/, 'Not a token id; they look like tok_….')

export const TokenScope = z.enum(['read', 'write'])

export const Token = z.object({
  id: TokenId,
  name: z.string(),
  prefix: z.string().describe('The first 12 characters, to recognise it by.'),
  scope: TokenScope,
  approval_only: z.boolean(),
  sees: Sees.nullable().describe('Only these sites are there for it: with one of these ids, this tag and this client. null: all.'),
  created_at: Time,
  expires_at: Time.nullable(),
  last_used_at: Time.nullable(),
  last_used_from: z.string().nullable().describe('The address the last call came from; behind a proxy that of the proxy. null: not known.'),
  last_used_client: z.string().nullable().describe('What made it, as it says of itself; nobody has verified it. null: not known.'),
  revoked_at: Time.nullable(),
})
export type Token = z.infer<typeof Token>

export const NewToken = Token.extend({ token: z.string().describe('The secret. It is shown only now.') })
