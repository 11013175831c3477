// What a signed-in browser holds: a random secret, of which the SHA-256 is kept. It says who is asking; what they may do is looked up anew.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../kernel/context.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import type { World } from '../world.ts'
import { countFactors, type Factors, insertHalf } from './factor-store.ts'
import { secondFactorAt } from './fresh.ts'
import { noteForPerson } from './person-audit.ts'
import { scopesOf } from './schema.ts'
import { hashOfSecret, newSecret } from './service.ts'
import {
  chooseWorkspace,
  endSessions,
  findSession,
  insertSession,
  listOpenSessions,
  markSeen,
  rememberDevice,
  type Session,
  type Shown,
  shareHold,
} from './session-store.ts'
import { listMemberships } from './store.ts'

const dayMs = 86_400_000
/** A session ends so long after it began, and so long after it was last used. */
const lasts = { wholeMs: 30 * dayMs, idleMs: 7 * dayMs }
/** When it was last used is written no more often. */
const seenEveryMs = 60_000
/** So long a sign-in waits for its second factor. */
const halfwayMs = 10 * 60_000

/** Where a person sits: what the browser sends along. */
export interface Seat {
  address: string
  agent: string
  /** The secret by which this browser is known. */
  device: string | undefined
}

export interface Begun {
  secret: string
  device: string
}

/** Who signs in or out, and what is written of it. */
export type Audited = Pick<World, 'db' | 'now' | 'audit'>

const within = (now: Date) => ({ now, idleSince: new Date(now.getTime() - lasts.idleMs) })

/** A sign-in that waits for a second factor: the secret to go on with, and what may be shown. */
export interface Halfway {
  half: string
  ways: Exclude<Shown, 'password'>[]
}

/** What led to a session, as the audit record tells it; what was shown (a password where it is not said), and the workspace to look at. */
interface How {
  by: string
  at?: string | null
  shown?: { what: Shown; at?: Date | null }
}

/**
 * The one gate: every session there is was made here, with a secret nobody had before.
 * Where the person has a second factor, whatever else led here does not do: it must be shown first.
 */
export async function beginSession(here: Audited, userId: string, seat: Seat, how: How): Promise<Begun | Halfway> {
  const at = here.now()
  const shown = how.shown?.what ?? 'password'
  if (shown === 'password') {
    await shareHold(here.db, userId)
    const ways = waysOf(await countFactors(here.db, userId))
    if (ways.length > 0) return waitHalfway(here, userId, how, ways)
  }
  const [secret, device] = [newSecret(), seat.device ?? newSecret()]
  const memberships = await listMemberships(here.db, userId)
  const first = memberships.find(({ id }) => id === how.at) ?? memberships.find(({ last }) => last) ?? memberships[0]
  const row = {
    id: newId('session', at),
    sha256: hashOfSecret(secret),
    userId,
    looksAt: first?.id ?? null,
    at,
    expiresAt: new Date(at.getTime() + lasts.wholeMs),
    shown,
    shownAt: how.shown?.at ?? at,
  }
  await insertSession(here.db, { ...row, address: seat.address.slice(0, 100), agent: seat.agent.slice(0, 300) })
  await rememberDevice(here.db, userId, hashOfSecret(device), at)
  await noteForPerson(here, userId, `session.${how.by}`)
  return { secret, device }
}

const waysOf = ({ authenticator, passkeys, recovery }: Factors): Halfway['ways'] =>
  authenticator === null && passkeys === 0
    ? []
    : [
        ...(authenticator ? ['code' as const] : []),
        ...(passkeys > 0 ? ['passkey' as const] : []),
        ...(recovery > 0 ? ['recovery_code' as const] : []),
      ]

async function waitHalfway({ db, now }: Audited, userId: string, { by, at }: How, ways: Halfway['ways']): Promise<Halfway> {
  const half = newSecret()
  const expiresAt = new Date(now().getTime() + halfwayMs)
  await insertHalf(db, hashOfSecret(half), { user_id: userId, by, looks_at: at ?? null, expires_at: expiresAt })
  return { half, ways }
}

/** Whose session it is, with the role as it is now; undefined when it opens nothing. */
export async function openSession({ db, now }: Pick<World, 'db' | 'now'>, secret: string | undefined): Promise<Session | undefined> {
  if (secret === undefined || !/^[\w-]{43}$/.test(secret)) return undefined
  const at = now()
  const session = await findSession(db, hashOfSecret(secret), within(at))
  if (session && at.getTime() - session.seen_at.getTime() > seenEveryMs) await markSeen(db, session.id, at)
  return session
}

/** The caller a session is; undefined where its person is no member of the workspace it shows. */
export function callerOf(session: Session): Caller | undefined {
  const { user_id: id, email: name, workspace_id: workspaceId, role, sees } = session
  if (workspaceId === null || role === null) return undefined
  const factorAt = secondFactorAt(session)
  return {
    type: 'user',
    id,
    name,
    workspaceId,
    scopes: scopesOf[role],
    approvalOnly: false,
    ...(sees && { sees }),
    ...(factorAt && { factorAt }),
  }
}

/** What a page must send along to change anything: a site that lets the browser send its cookie cannot know it. Another workspace has another one. */
const proofOf = (secret: string, workspaceId: string | null) =>
  createHmac('sha256', secret)
    .update(`csrf ${workspaceId ?? ''}`)
    .digest('base64url')

export function provesPage(secret: string, workspaceId: string | null, given: unknown): boolean {
  const [wanted, sent] = [Buffer.from(proofOf(secret, workspaceId)), Buffer.from(typeof given === 'string' ? given : '')]
  return wanted.length === sent.length && timingSafeEqual(wanted, sent)
}

/** Ends this session, or another one of the same person; answers how many that were. */
export async function endSession(here: Audited, session: Session, id = session.id): Promise<number> {
  const ended = await endSessions(here.db, session.user_id, { only: id }, here.now())
  if (ended > 0) await noteForPerson(here, session.user_id, 'session.end')
  return ended
}

/** Signs the person out everywhere else; answers how many sessions that ended. */
export async function endOthers(here: Audited, session: Session): Promise<number> {
  const ended = await endSessions(here.db, session.user_id, { but: session.id }, here.now())
  await noteForPerson(here, session.user_id, 'session.end_others')
  return ended
}

export async function switchWorkspace(here: Audited, session: Session, workspaceId: string): Promise<void> {
  if (!(await chooseWorkspace(here.db, session, workspaceId))) throw new Problem('not_found', 'There is no such workspace.')
}

/** What the dashboard says of the session, the person and where they may go; `new_workspaces`: they may make a further one. */
export async function describeSession({ db, config }: Pick<World, 'db' | 'config'>, session: Session, secret: string) {
  return {
    user: { id: session.user_id, email: session.email },
    workspace:
      session.workspace_id === null ? null : { id: session.workspace_id, name: session.workspace, role: session.role, sees: session.sees },
    scopes: session.role === null ? [] : [...scopesOf[session.role]],
    workspaces: (await listMemberships(db, session.user_id)).map(({ id, name, role }) => ({ id, name, role })),
    new_workspaces: config.newWorkspaces === 'owners' && session.role === 'owner',
    csrf: proofOf(secret, session.workspace_id),
  }
}

export async function listOwnSessions({ db, now }: Pick<World, 'db' | 'now'>, session: Session) {
  const rows = await listOpenSessions(db, session.user_id, within(now()))
  return rows.map((row) => ({ ...row, current: row.id === session.id }))
}
