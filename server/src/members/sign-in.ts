// The ways to a session: a password, an invitation, a link to choose a new password. Each ends in `beginSession`.
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { networkOf } from '../platform/network.ts'
import { mustBeHardToGuess } from '../workspaces/guessable.ts'
import { hashPassword, isPassword } from '../workspaces/password.ts'
import { insertUser } from '../workspaces/store.ts'
import type { World } from '../world.ts'
import { deleteHalves, hasFactor } from './factor-store.ts'
import { inTurn, takeTry } from './guesses.ts'
import { noteForPerson, noteLater } from './person-audit.ts'
import { checkCode, type Sealing } from './second-step.ts'
import { hashOfSecret, newSecret } from './service.ts'
import {
  type Account,
  chooseWorkspace,
  closeRecoveries,
  endSessions,
  findAccount,
  findRecovery,
  insertRecovery,
  knowsDevice,
  listAddresses,
  markShown,
  type Session,
  type Shown,
  setPasswordHash,
} from './session-store.ts'
import { type Audited, type Begun, beginSession, type Halfway, type Seat } from './sessions.ts'
import { findOpenInvitation, joinWorkspace, type OpenInvitation, takeInvitation } from './store.ts'

/** How long a link to choose a new password is good for. */
export const recoveryMinutes = 60

/** The same words and the same work whether there is such an account or not. */
export async function signIn(
  here: Audited,
  { email, password }: { email: string; password: string },
  seat: Seat,
): Promise<Begun | Halfway> {
  const account = await checkPassword(here, email, password, seat)
  return here.db.transaction().execute((db) => beginSession({ ...here, db }, account.id, seat, { by: 'begin' }))
}

async function checkPassword(here: Audited, email: string, password: string, seat: Seat): Promise<Account> {
  await takeTry(here, email, await knownBy(here, email, seat))
  const account = await findAccount(here.db, email)
  if ((await inTurn(() => isPassword(password, account?.password_hash))) && account) return account
  if (account) await noteLater(here, account, 'session.begin', 'unauthenticated')
  throw new Problem('unauthenticated', 'The e-mail address or the password is wrong.')
}

/** By what the person is known who sits there: the browser, else the network. */
async function knownBy({ db }: Audited, email: string, { device, address }: Seat): Promise<Buffer | 'network' | undefined> {
  const sha256 = device === undefined ? undefined : hashOfSecret(device)
  if (sha256 && (await knowsDevice(db, email, sha256))) return sha256
  const network = networkOf(address)
  return (await listAddresses(db, email)).some((each) => networkOf(each) === network) ? 'network' : undefined
}

/** Asks for the password in force first. Every other session of the person ends, and this one gets a new secret. */
export async function changePassword(here: Audited, session: Session, { current, next }: { current: string; next: string }, seat: Seat) {
  await checkPassword(here, session.email, current, seat).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'unauthenticated')
      throw new Problem('insufficient_scope', 'Nothing was changed: the current password is wrong.')
    throw error
  })
  const shown = { what: session.shown, at: session.shown_at }
  const person = { id: session.user_id, email: session.email }
  return setPassword(here, person, next, { seat, by: 'new_password', at: session.workspace_id, shown, field: 'next' })
}

interface Changed {
  seat: Seat
  by: string
  at?: string | null
  /** What the person had shown before; a password where it is not said. */
  shown?: { what: Shown; at: Date | null }
  /** Inside the same transaction, before anything else. */
  first?(db: World['db']): Promise<void>
  /** Into which the password was typed. */
  field?: string
}

/** Of a password that a person chose; throws `invalid_payload` for one that is easy to guess. */
async function hashChosen(password: string, email: string, field?: string): Promise<string> {
  await mustBeHardToGuess(password, email, field)
  return inTurn(() => hashPassword(password))
}

async function setPassword(here: Audited, { id: userId, email }: { id: string; email: string }, password: string, change: Changed) {
  const { seat, by, at, shown, first, field } = change
  const passwordHash = await hashChosen(password, email, field)
  return here.db.transaction().execute(async (db) => {
    await first?.(db)
    await setPasswordHash(db, userId, passwordHash)
    await endSessions(db, userId, {}, here.now())
    await deleteHalves(db, userId)
    return beginSession({ ...here, db }, userId, seat, { by, ...(at && { at }), ...(shown && { shown }) })
  })
}

/** The secret of a link with which the person chooses a new password; what they have stays in force until then. */
export async function offerRecovery({ db, now }: Pick<World, 'db' | 'now'>, email: string): Promise<{ email: string; secret: string }> {
  const account = await findAccount(db, email)
  if (!account) throw new Problem('not_found', `There is no person with the address "${email}".`)
  const secret = newSecret()
  const expiresAt = new Date(now().getTime() + recoveryMinutes * 60_000)
  await insertRecovery(db, { sha256: hashOfSecret(secret), userId: account.id, expiresAt })
  return { email: account.email, secret }
}

const closedLink = () => new Problem('not_found', 'This link is closed: it was used, withdrawn, or is too old. Ask for a new one.')

/** Whose password the link is for. */
export async function seeRecovery({ db, now }: Pick<World, 'db' | 'now'>, secret: string): Promise<{ email: string }> {
  const person = await findRecovery(db, hashOfSecret(secret), now())
  if (!person) throw closedLink()
  return { email: person.email }
}

/** Chooses a new password; every session the person had ends. Of several at once one comes through. */
export async function recover(here: Audited, secret: string, password: string, seat: Seat): Promise<Begun | Halfway> {
  const sha256 = hashOfSecret(secret)
  const person = await findRecovery(here.db, sha256, here.now())
  if (!person) throw closedLink()
  const first = async (db: World['db']) => {
    if (!(await closeRecoveries(db, person.id, sha256))) throw closedLink()
  }
  return setPassword(here, person, password, { seat, by: 'recover', first })
}

export async function seeInvitation({ db, now }: Pick<World, 'db' | 'now'>, secret: string) {
  const { email, workspace, role, sees, user_id } = await getInvitation({ db, now }, hashOfSecret(secret))
  return { email, workspace, role, sees, has_account: user_id !== null }
}

async function getInvitation({ db, now }: Pick<World, 'db' | 'now'>, sha256: Buffer): Promise<OpenInvitation> {
  const invitation = await findOpenInvitation(db, sha256, now())
  if (!invitation) throw closedLink()
  return invitation
}

/** Joins the workspace: somebody new chooses the password, somebody known proves to be who they are with theirs, or signs in first. */
export async function join(here: Audited, secret: string, password: string, seat: Seat): Promise<Begun | Halfway> {
  const sha256 = hashOfSecret(secret)
  const invitation = await getInvitation(here, sha256)
  const { email, role, sees, workspace_id: workspaceId, user_id: known } = invitation
  if (known !== null) await checkPassword(here, email, password, seat)
  if (known !== null && (await hasFactor(here.db, known)))
    throw new Problem('conflict', 'Your account has a second factor: sign in first, then open this link again.', { retryable: false })
  const passwordHash = known === null ? await hashChosen(password, email) : ''
  return here.db.transaction().execute(async (db) => {
    if (!(await takeInvitation(db, sha256))) throw closedLink()
    if (known === null && (await findAccount(db, email)))
      throw new Problem('conflict', 'This person has an account since just now. Try again.')
    const userId = known ?? newId('user', here.now())
    if (known === null) await insertUser(db, { id: userId, email, passwordHash })
    await joinWorkspace(db, { workspaceId, userId, role, sees })
    return beginSession({ ...here, db }, userId, seat, { by: 'join', at: workspaceId })
  })
}

/** Joins with the session somebody has; it shows the workspace from then on. */
export async function accept(here: Audited, session: Session, secret: string): Promise<void> {
  const sha256 = hashOfSecret(secret)
  const { user_id, role, sees, workspace_id: workspaceId } = await getInvitation(here, sha256)
  if (user_id !== session.user_id)
    throw new Problem('conflict', 'This invitation is for another person. Sign out, and open it again.', { retryable: false })
  await here.db.transaction().execute(async (db) => {
    if (!(await takeInvitation(db, sha256))) throw closedLink()
    await joinWorkspace(db, { workspaceId, userId: user_id, role, sees })
    await chooseWorkspace(db, session, workspaceId)
    await noteForPerson({ ...here, db }, user_id, 'session.join')
  })
}

/** Shows again that it is the person: with a code where they have a second factor, else with the password. */
export async function confirm(here: Sealing, session: Session, given: Given, seat: Seat): Promise<void> {
  const { user_id: id, email } = session
  const shown = (await hasFactor(here.db, id))
    ? await checkCode(here, { id, email }, given.code ?? '', seat).catch(asRefused)
    : await checkPassword(here, email, given.password ?? '', seat).then(() => 'password' as const, asRefused)
  await markShown(here.db, session.id, shown, here.now())
  await noteForPerson(here, id, 'session.confirm')
}

interface Given {
  code?: string | undefined
  password?: string | undefined
}

/** Whoever is signed in stays so. */
function asRefused(error: unknown): never {
  if (error instanceof Problem && error.code === 'unauthenticated') throw new Problem('insufficient_scope', error.message)
  throw error
}
