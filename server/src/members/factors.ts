// A person's second factors: how one is taken up, replaced and given up. Each change asks for a factor again.
import { randomBytes, randomInt } from 'node:crypto'
import { Problem, wrongField } from '../kernel/problem.ts'
import { seal } from '../platform/master-key.ts'
import { personKey } from '../workspaces/keys.ts'
import type { World } from '../world.ts'
import {
  adoptAuthenticator,
  deleteAllFactors,
  deleteAuthenticator,
  deleteHalves,
  findAuthenticator,
  hasFactor,
  holdPerson,
  offerAuthenticator,
  replaceRecoveryCodes,
} from './factor-store.ts'
import { mustBeFresh } from './fresh.ts'
import { noteForPerson } from './person-audit.ts'
import { contextOf, hashOfRecovery, openSecret, type Sealing } from './second-step.ts'
import { endSessions, findAccount, markShown, type Session, type Shown } from './session-store.ts'
import { offerOf, stepOf } from './totp.ts'

/** How long a secret that was shown waits for its first code. */
const offeredMs = 15 * 60_000
const recoveryCodes = 10

/** Throws unless the person has just shown what they have. */
export async function mustHaveShown(here: Pick<Sealing, 'db' | 'now'>, session: Session): Promise<void> {
  mustBeFresh(session, await hasFactor(here.db, session.user_id), here.now())
}

/** A fresh secret for an authenticator app; the one in force stays so until a code of this one is seen. */
export async function beginAuthenticator(here: Sealing, session: Session, issuer: string) {
  await mustHaveShown(here, session)
  const secret = randomBytes(20)
  const sealed = seal(await personKey(here, session.user_id), secret, contextOf(session.user_id)).toString('base64')
  await offerAuthenticator(here.db, session.user_id, sealed, here.now())
  return offerOf(secret, { issuer, account: session.email })
}

/** Takes up the app that was shown the secret, once it tells a code. */
export async function adoptApp(here: Sealing, session: Session, code: string): Promise<Added> {
  await mustHaveShown(here, session)
  const { user_id: userId } = session
  const offered = (await findAuthenticator(here.db, userId)) ?? { offered: null, offered_at: null }
  if (offered.offered === null || here.now().getTime() - (offered.offered_at?.getTime() ?? 0) > offeredMs)
    throw new Problem('conflict', 'The QR code is too old. Show a new one.', { retryable: false })
  const step = stepOf(await openSecret(here, userId, offered.offered), code.replaceAll(/\s/g, ''), here.now())
  if (step === undefined) throw wrongCode()
  const adopted = { offered: offered.offered, step, at: here.now() }
  return addFactor(here, session, { shown: 'code', note: 'factor.authenticator_added' }, async (db) => {
    if (!(await adoptAuthenticator(db, userId, adopted)))
      throw new Problem('conflict', 'Another QR code was shown meanwhile. Use the newest one.', { retryable: false })
  })
}

const wrongCode = () =>
  wrongField('code', 'This is not the code the app shows now. Type the newest; if that fails too, set the clock of its device right.')

export interface Added {
  /** With the first factor: shown once. */
  recovery_codes: string[] | null
}

/** Whatever comes with a new factor: with the first one, recovery codes, and every other session ends, because it was begun without one. */
export function addFactor(
  here: Sealing,
  session: Session,
  { shown, note }: { shown: Shown; note: string },
  add: (db: World['db']) => Promise<void>,
): Promise<Added> {
  const { user_id: userId } = session
  return here.db.transaction().execute(async (db) => {
    await holdPerson(db, userId)
    const first = !(await hasFactor(db, userId))
    await add(db)
    await markShown(db, session.id, shown, here.now())
    if (first) await endSessions(db, userId, { but: session.id }, here.now())
    await noteForPerson({ ...here, db }, userId, note)
    return { recovery_codes: first ? await makeCodes(db, userId) : null }
  })
}

/** Gives a factor up; with the last one the recovery codes go as well. */
export async function giveUpFactor(here: Sealing, session: Session, note: string, giveUp: (db: World['db']) => Promise<boolean>) {
  await mustHaveShown(here, session)
  const { user_id: userId } = session
  await here.db.transaction().execute(async (db) => {
    await holdPerson(db, userId)
    if (!(await giveUp(db))) throw new Problem('not_found', 'You have no such factor.')
    if (!(await hasFactor(db, userId))) await replaceRecoveryCodes(db, userId, [])
    await deleteHalves(db, userId)
    await noteForPerson({ ...here, db }, userId, note)
  })
}

export const removeApp = (here: Sealing, session: Session) =>
  giveUpFactor(here, session, 'factor.authenticator_removed', (db) => deleteAuthenticator(db, session.user_id))

/** Ten new recovery codes; the older ones open nothing any more. */
export async function renewRecoveryCodes(here: Sealing, session: Session): Promise<Added> {
  await mustHaveShown(here, session)
  const { user_id: userId } = session
  return here.db.transaction().execute(async (db) => {
    await holdPerson(db, userId)
    if (!(await hasFactor(db, userId)))
      throw new Problem('conflict', 'Recovery codes stand in for a second factor, and you have none yet.', { retryable: false })
    await noteForPerson({ ...here, db }, userId, 'factor.recovery_codes_made')
    return { recovery_codes: await makeCodes(db, userId) }
  })
}

const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** 16 characters without look-alikes, about 79 bits; the hashes alone are kept. */
async function makeCodes(db: World['db'], userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, () => Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join(''))
  await replaceRecoveryCodes(
    db,
    userId,
    codes.map((code) => hashOfRecovery(userId, code)),
  )
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-'))
}

/** The operator takes every second factor away from somebody who lost them all; every session of theirs ends. */
export async function forgetFactors(here: Pick<Sealing, 'db' | 'now' | 'audit'>, email: string): Promise<{ email: string }> {
  const account = await findAccount(here.db, email)
  if (!account) throw new Problem('not_found', `There is no person with the address "${email}".`)
  await here.db.transaction().execute(async (db) => {
    await holdPerson(db, account.id)
    await deleteAllFactors(db, account.id)
    await deleteHalves(db, account.id)
    await endSessions(db, account.id, {}, here.now())
    await noteForPerson({ ...here, db }, account.id, 'factor.all_removed')
  })
  return { email: account.email }
}
