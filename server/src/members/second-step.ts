// What somebody shows beside the password: at the end of a sign-in, and again before something that matters.
import { hash } from 'node:crypto'
import { Problem } from '../kernel/problem.ts'
import { open } from '../platform/master-key.ts'
import { personKey } from '../workspaces/keys.ts'
import type { World } from '../world.ts'
import { deleteHalf, findAuthenticator, findHalf, takeRecoveryCode, takeStep } from './factor-store.ts'
import { takeCodeTry } from './guesses.ts'
import { noteForPerson } from './person-audit.ts'
import { hashOfSecret } from './service.ts'
import { knowsDevice, type Shown } from './session-store.ts'
import { type Audited, type Begun, beginSession, type Seat } from './sessions.ts'
import { stepOf } from './totp.ts'

export type Sealing = Audited & Pick<World, 'masterKey'>

export interface Person {
  id: string
  email: string
}

/** Ends a sign-in that waits for a second factor, with a code of the app or a recovery code. */
export async function finishSignIn(here: Sealing, { key, code }: { key: string; code: string }, seat: Seat): Promise<Begun> {
  const sha256 = hashOfSecret(key)
  const half = await findHalf(here.db, sha256, here.now())
  if (!half) throw tooLate()
  const what = await checkCode(here, { id: half.user_id, email: half.email }, code, seat)
  return here.db.transaction().execute(async (db) => {
    if (!(await deleteHalf(db, sha256))) throw tooLate()
    return whole(await beginSession({ ...here, db }, half.user_id, seat, { by: half.by, at: half.looks_at, shown: { what } }))
  })
}

const tooLate = () => new Problem('not_found', 'This sign-in took too long, or was finished already. Begin it anew.')

/** A session whose second factor was shown is never halfway. */
export function whole(begun: Awaited<ReturnType<typeof beginSession>>): Begun {
  if ('half' in begun) throw new Error('a second factor was shown, and another one asked for')
  return begun
}

/** What kind of code it was; throws `unauthenticated` where it is none, or was used before. */
export async function checkCode(here: Sealing, person: Person, code: string, { device }: Pick<Seat, 'device'>): Promise<Shown> {
  const typed = code.replaceAll(/[\s-]/g, '').toLowerCase()
  if (/^\d{6}$/.test(typed)) {
    const known = await knownDevice(here, person.email, device)
    await takeCodeTry(here, person.id, known)
    if (await takeCode(here, person.id, typed)) return 'code'
  } else if (await takeRecoveryCode(here.db, person.id, hashOfRecovery(person.id, typed), here.now())) {
    await noteForPerson(here, person.id, 'factor.recovery_code_used')
    return 'recovery_code'
  }
  await noteForPerson(here, person.id, 'session.second_factor', 'unauthenticated')
  throw new Problem('unauthenticated', 'The code is wrong, too old, or was used before.')
}

async function knownDevice({ db }: Pick<World, 'db'>, email: string, device: string | undefined): Promise<Buffer | undefined> {
  const sha256 = device === undefined ? undefined : hashOfSecret(device)
  return sha256 && (await knowsDevice(db, email, sha256)) ? sha256 : undefined
}

/** True for the one who comes first with a code that is newer than the last one taken. */
async function takeCode(here: Sealing, userId: string, code: string): Promise<boolean> {
  const found = await findAuthenticator(here.db, userId)
  if (!found?.sealed) return false
  const step = stepOf(await openSecret(here, userId, found.sealed), code, here.now())
  return step !== undefined && (await takeStep(here.db, userId, step))
}

export const contextOf = (userId: string) => `authenticator ${userId}`

/** The secret that an authenticator app shares with us. */
export async function openSecret(here: Pick<World, 'db' | 'masterKey'>, userId: string, sealed: string): Promise<Buffer> {
  return open(await personKey(here, userId), Buffer.from(sealed, 'base64'), contextOf(userId))
}

/** Bound to the person. A code is so long that nobody guesses it from its hash. */
export const hashOfRecovery = (userId: string, code: string) => hash('sha256', `recovery ${userId} ${code}`, 'buffer')
