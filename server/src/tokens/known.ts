import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Caller, Log } from '../kernel/context.ts'
import type { Scope } from '../kernel/operation.ts'
import { scrub } from '../platform/log.ts'
import { makeRoom } from '../platform/make-room.ts'
import type { Signals } from '../platform/signals.ts'
import { looksLikeToken } from './secret.ts'
import { findByHash, markUsed, type Use } from './store.ts'

interface Known {
  caller: Caller
  expiresAt: number
}

const scopes: Record<'read' | 'write', ReadonlySet<Scope>> = { read: new Set(['read']), write: new Set(['read', 'write']) }
const writeUsedEveryMs = 30_000
const mostKnown = 10_000

/** Turns the Authorization header into a caller; where the database must be asked, `inTurn` says when. */
export type Identify = (
  authorization: string | undefined,
  inTurn?: (lookUp: () => Promise<Caller | undefined>) => Promise<Caller | undefined>,
) => Caller | undefined | Promise<Caller | undefined>

/** Notes from where, and with which client, a token was used that was let in. */
export type NoteUse = (authorization: string | undefined, from: string, client: string | undefined) => void

/**
 * Tokens this node has seen. They are answered from memory only while `signals` is fresh;
 * a revocation is marked, announced and acknowledged before it commits (signals.ts), so a revoked token is never honoured.
 */
export function openKnownTokens(
  db: Kysely<unknown>,
  signals: Signals,
  now: () => Date,
  log: Log,
): { identify: Identify; noteUse: NoteUse; close(): Promise<void> } {
  const known = new Map<string, Known>()
  const used = new Map<string, Use>()
  const digested = { authorization: '', sha256: '' } // of the last token, which mostly comes again
  let heard = 0 // counts announcements, so that a look-up that began before one is not remembered after it

  signals.on('svc_revoking', {
    hear(payload) {
      heard++
      const { whose } = JSON.parse(payload) as { whose: string }
      for (const [sha256, { caller }] of known) if (caller.id === whose || caller.workspaceId === whose) known.delete(sha256)
    },
    forget() {
      heard++
      known.clear()
    },
  })

  function digestOf(authorization: string): string | undefined {
    if (authorization === digested.authorization) return digested.sha256
    const token = bearer(authorization)
    if (token === undefined) return undefined
    return Object.assign(digested, { authorization, sha256: hash('sha256', token, 'hex') }).sha256
  }
  async function lookUp(sha256: string): Promise<Caller | undefined> {
    const before = heard
    const row = await findByHash(db, Buffer.from(sha256, 'hex'))
    if (!row || row.revoked_at !== null) return undefined
    const { id, name, workspace_id: workspaceId, approval_only: approvalOnly } = row
    const caller: Caller = {
      type: 'token',
      id,
      name,
      workspaceId,
      approvalOnly,
      scopes: scopes[row.scope],
      ...(row.paused && { paused: true }),
      ...(row.sees && { sees: row.sees }),
    }
    const entry = { caller, expiresAt: row.expires_at === null ? Number.POSITIVE_INFINITY : new Date(row.expires_at).getTime() }
    if (before === heard && !row.revoking) remember(sha256, entry)
    return admit(entry)
  }
  function remember(sha256: string, entry: Known) {
    if (!known.has(sha256)) makeRoom(known, mostKnown)
    known.set(sha256, entry)
  }
  function admit({ caller, expiresAt }: Known): Caller | undefined {
    const at = now()
    if (expiresAt <= at.getTime()) return undefined
    const use = used.get(caller.id)
    if (use) use.at = at
    else used.set(caller.id, { at })
    return caller
  }
  const writeUsed = async () => {
    if (used.size === 0) return
    const batch = new Map(used)
    used.clear()
    await markUsed(db, batch).catch((error: unknown) => log.warn({ err: error }, 'when tokens were last used could not be written'))
  }
  const timer = setInterval(() => void writeUsed(), writeUsedEveryMs)
  timer.unref()

  return {
    identify(authorization, inTurn = (lookUp) => lookUp()) {
      const sha256 = authorization === undefined ? undefined : digestOf(authorization)
      if (sha256 === undefined) return undefined
      const entry = signals.fresh() ? known.get(sha256) : undefined
      return entry ? admit(entry) : inTurn(() => lookUp(sha256))
    },
    noteUse(authorization, from, client) {
      const sha256 = authorization === undefined ? undefined : digestOf(authorization)
      const { caller } = (sha256 !== undefined && known.get(sha256)) || {}
      const use = caller && used.get(caller.id)
      if (!use) return
      use.from = from
      if (client !== undefined) use.client = nameOf(client)
    },
    async close() {
      clearInterval(timer)
      await writeUsed()
    },
  }
}

const named = { client: '', name: '' } // of the last client, which mostly comes again

/** What a client calls itself, as far as that is plain text and no secret. */
function nameOf(client: string): string {
  if (client === named.client) return named.name
  return Object.assign(named, { client, name: scrub(client.replaceAll(/[^\x20-\x7e]/g, '')).slice(0, 200) }).name
}

/** The token of an Authorization header; undefined when it cannot be one of ours, which needs no look-up. */
function bearer(authorization: string): string | undefined {
  if (!/^bearer /i.test(authorization)) return undefined
  const token = authorization.slice(7).trim()
  return looksLikeToken(token) ? token : undefined
}
