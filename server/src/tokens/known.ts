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
/** As its row says. */
type Row = Known & { revoking: boolean }

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

/** When tokens were used and by whom, gathered and written now and then. */
class Uses {
  readonly #db: Kysely<unknown>
  readonly #log: Log
  readonly #used = new Map<string, Use>()
  readonly #timer: NodeJS.Timeout

  constructor(db: Kysely<unknown>, log: Log) {
    this.#db = db
    this.#log = log
    this.#timer = setInterval(() => void this.#write(), writeUsedEveryMs).unref()
  }

  note(id: string, at: Date): void {
    const use = this.#used.get(id)
    if (use) use.at = at
    else this.#used.set(id, { at })
  }

  noteWhence(id: string, from: string, client: string | undefined): void {
    const use = this.#used.get(id)
    if (!use) return
    use.from = from
    if (client !== undefined) use.client = nameOf(client)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#write()
  }

  async #write(): Promise<void> {
    if (this.#used.size === 0) return
    const batch = new Map(this.#used)
    this.#used.clear()
    await markUsed(this.#db, batch).catch((err: unknown) => this.#log.warn({ err }, 'when tokens were last used could not be written'))
  }
}

/** Tokens by their SHA-256, as far as this node remembers them. */
class Memory {
  readonly #known = new Map<string, Known>()
  /** Counts announcements, so that a look-up that began before one is not remembered after it. */
  #heard = 0
  /** Of the last token, which mostly comes again. */
  readonly #digested = { authorization: '', sha256: '' }

  constructor(signals: Signals) {
    signals.on('svc_revoking', {
      hear: (payload) => {
        this.#heard++
        const { whose } = JSON.parse(payload) as { whose: string }
        for (const [sha256, { caller }] of this.#known) if (caller.id === whose || caller.workspaceId === whose) this.#known.delete(sha256)
      },
      forget: () => {
        this.#heard++
        this.#known.clear()
      },
    })
  }

  digestOf(authorization: string | undefined): string | undefined {
    if (authorization === undefined) return undefined
    if (authorization === this.#digested.authorization) return this.#digested.sha256
    const token = bearer(authorization)
    if (token === undefined) return undefined
    return Object.assign(this.#digested, { authorization, sha256: hash('sha256', token, 'hex') }).sha256
  }

  get(sha256: string): Known | undefined {
    return this.#known.get(sha256)
  }

  /** Remembers what `find` finds, unless something is announced meanwhile. */
  async learn(sha256: string, find: () => Promise<Row | undefined>): Promise<Known | undefined> {
    const before = this.#heard
    const found = await find()
    if (found && before === this.#heard && !found.revoking) {
      if (!this.#known.has(sha256)) makeRoom(this.#known, mostKnown)
      this.#known.set(sha256, found)
    }
    return found
  }
}

async function findKnown(db: Kysely<unknown>, sha256: string): Promise<Row | undefined> {
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
  const expiresAt = row.expires_at === null ? Number.POSITIVE_INFINITY : new Date(row.expires_at).getTime()
  return { caller, expiresAt, revoking: row.revoking }
}

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
  const memory = new Memory(signals)
  const uses = new Uses(db, log)
  const admit = ({ caller, expiresAt }: Known): Caller | undefined => {
    const at = now()
    if (expiresAt <= at.getTime()) return undefined
    uses.note(caller.id, at)
    return caller
  }
  const lookUp = async (sha256: string): Promise<Caller | undefined> => {
    const found = await memory.learn(sha256, () => findKnown(db, sha256))
    return found && admit(found)
  }
  return {
    identify(authorization, inTurn = (find) => find()) {
      const sha256 = memory.digestOf(authorization)
      if (sha256 === undefined) return undefined
      const entry = signals.fresh() ? memory.get(sha256) : undefined
      return entry ? admit(entry) : inTurn(() => lookUp(sha256))
    },
    noteUse(authorization, from, client) {
      const sha256 = memory.digestOf(authorization)
      const entry = sha256 === undefined ? undefined : memory.get(sha256)
      if (entry) uses.noteWhence(entry.caller.id, from, client)
    },
    close: () => uses.close(),
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
