import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { announceRevocation } from '../platform/signals.ts'
import type { Context } from '../world.ts'
import type { Token } from './schema.ts'
import { hashOfToken, newToken, prefixOfToken } from './secret.ts'
import { findToken, insertToken, markRevoked, markRevoking } from './store.ts'

interface Wanted {
  name: string
  scope: 'read' | 'write'
  approval_only: boolean
  expires_at?: Date | undefined
  sees?: Token['sees'] | undefined
}

/** Makes a token; the answer is the only time its secret is seen. */
export async function createToken(context: Context, wanted: Wanted): Promise<Token & { token: string }> {
  if (wanted.approval_only && wanted.scope === 'read')
    throw new Problem('invalid_payload', 'A read token changes nothing, so there is nothing to approve. Use the write scope.')
  const expires = wanted.expires_at ?? null
  if (expires && expires <= context.now()) throw new Problem('invalid_payload', 'expires_at has passed.')
  const token = newToken()
  const id = newId('tok', context.now())
  const row = {
    id,
    name: wanted.name,
    prefix: prefixOfToken(token),
    scope: wanted.scope,
    approval_only: wanted.approval_only,
    sees: wanted.sees ?? null,
  }
  await insertToken(context, { ...row, sha256: hashOfToken(token), expires_at: expires })
  return { ...(await getToken(context, id)), token }
}

/** Refused on every node from the moment this returns; connections stay open. */
export async function revokeToken(context: Context, id: string): Promise<Token> {
  await getToken(context, id)
  await markRevoking(context, id)
  await announceRevocation(context.db, id)
  await markRevoked(context, id)
  return getToken(context, id)
}

/** Why nothing is changed in the name of a token any more, behind its name in a sentence; undefined: it may. */
export function whySpent(token: Lasting | undefined, now: Date): string | undefined {
  if (!token || token.revoked_at !== null || token.revoking) return 'was revoked'
  if (token.expires_at !== null && new Date(token.expires_at) <= now) return 'has expired'
  return token.scope === 'write' ? undefined : 'may not write'
}
type Lasting = Pick<Token, 'revoked_at' | 'expires_at' | 'scope'> & { revoking?: boolean }

export async function getToken(context: Context, id: string): Promise<Token> {
  const token = await findToken(context, id)
  if (!token) throw new Problem('not_found', 'There is no such token in this workspace.')
  return token
}
