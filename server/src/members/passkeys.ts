// Passkeys: made in a session, and then enough to sign in with. The browser finds the person's, and asks for a finger, a face or a PIN.
import { hash, randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import type { World } from '../world.ts'
import { type Added, addFactor, giveUpFactor, mustHaveShown } from './factors.ts'
import { type Place, placeOf } from './passkey-place.ts'
import {
  deletePasskey,
  findPasskey,
  insertChallenge,
  insertPasskey,
  type KnownPasskey,
  listPasskeys,
  markPasskeyUsed,
  renamePasskey,
  takeChallenge,
} from './passkey-store.ts'
import { noteForPerson } from './person-audit.ts'
import { type Sealing, whole } from './second-step.ts'
import { markShown, type Session } from './session-store.ts'
import { type Begun, beginSession, type Seat } from './sessions.ts'

type Here = Sealing & Pick<World, 'config'>

const challengeMs = 5 * 60_000
const mostPasskeys = 20
/** EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257]

/** Loaded with the first passkey: it takes a while, and most services never need it. */
const webauthn = () => import('@simplewebauthn/server')

/** What a browser is asked to sign: random, kept as its hash, used once. */
async function newChallenge({ db, now }: Pick<Here, 'db' | 'now'>, userId: string | null): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(32))
  const expiresAt = new Date(now().getTime() + challengeMs)
  await insertChallenge(db, { sha256: hashOf(Buffer.from(challenge).toString('base64url')), userId, expiresAt })
  return challenge
}
const hashOf = (challenge: string) => hash('sha256', challenge, 'buffer')

function mustHavePlace({ config }: Pick<Here, 'config'>): Place {
  const place = placeOf(config.baseUrl)
  if ('refused' in place) throw new Problem('conflict', place.refused, { retryable: false })
  return place
}

/** Where a browser may have signed. On this machine itself a port is no other place: whoever asks came from a page of ours. */
const originsOf = ({ origin, rpId }: Place, asked: string | undefined) =>
  rpId === 'localhost' && asked !== undefined && new URL(asked).hostname === 'localhost' ? [origin, asked] : [origin]

/** What the browser makes a passkey from. */
export async function beginPasskey(here: Here, session: Session) {
  const { rpId } = mustHavePlace(here)
  await mustHaveShown(here, session)
  const own = await listPasskeys(here.db, session.user_id)
  if (own.length >= mostPasskeys)
    throw new Problem('conflict', `You have ${mostPasskeys} passkeys. Remove one first.`, { retryable: false })
  const { generateRegistrationOptions } = await webauthn()
  return generateRegistrationOptions({
    rpName: 'Site fleet',
    rpID: rpId,
    userName: session.email,
    userDisplayName: session.email,
    userID: new Uint8Array(Buffer.from(session.user_id)),
    challenge: await newChallenge(here, session.user_id),
    timeout: challengeMs,
    excludeCredentials: own.map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
}

export interface Made {
  name: string
  response: RegistrationResponseJSON
  /** The page's, as the browser told it. */
  origin: string | undefined
}

export async function addPasskey(here: Here, session: Session, { name, response, origin }: Made): Promise<Added> {
  const place = mustHavePlace(here)
  await mustHaveShown(here, session)
  const { user_id: userId } = session
  const { verifyRegistrationResponse } = await webauthn()
  const { registrationInfo: info } = await verifyRegistrationResponse({
    response,
    expectedChallenge: (challenge) => takeChallenge(here.db, { sha256: hashOf(challenge), userId, now: here.now() }),
    expectedOrigin: originsOf(place, origin),
    expectedRPID: place.rpId,
    supportedAlgorithmIDs: algorithms,
  }).catch(asRefused)
  if (!info) throw notAccepted()
  const { credential, credentialDeviceType } = info
  const row = {
    ...{ id: newId('passkey', here.now()), user_id: userId, credential_id: credential.id, name, at: here.now() },
    ...{ public_key: Buffer.from(credential.publicKey), counter: credential.counter, synced: credentialDeviceType === 'multiDevice' },
    transports: (credential.transports ?? []).slice(0, 10).map((each) => String(each).slice(0, 20)),
  }
  return addFactor(here, session, { shown: 'passkey', note: 'factor.passkey_added' }, async (db) => {
    if (!(await insertPasskey(db, row))) throw new Problem('conflict', 'This passkey is known already.', { retryable: false })
  })
}

const notAccepted = (cause?: unknown) => new Problem('unauthenticated', 'This passkey was not accepted. Try again.', { cause })
function asRefused(cause: unknown): never {
  throw cause instanceof Problem ? cause : notAccepted(cause)
}

/** What the browser asks its passkeys to sign, whoever sits there. */
export async function askForPasskey(here: Here) {
  const { rpId } = mustHavePlace(here)
  const { generateAuthenticationOptions } = await webauthn()
  return generateAuthenticationOptions({
    rpID: rpId,
    challenge: await newChallenge(here, null),
    timeout: challengeMs,
    userVerification: 'required',
  })
}

export interface Signed {
  response: AuthenticationResponseJSON
  origin: string | undefined
}

/** Whose passkey signed; throws `unauthenticated`. */
async function checkPasskey(here: Here, { response, origin }: Signed): Promise<KnownPasskey> {
  const place = mustHavePlace(here)
  const known = await findPasskey(here.db, response.id)
  if (!known) throw new Problem('unauthenticated', 'This passkey is not known here. It may have been removed.')
  const { verifyAuthenticationResponse } = await webauthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: (challenge) => takeChallenge(here.db, { sha256: hashOf(challenge), userId: null, now: here.now() }),
    expectedOrigin: originsOf(place, origin),
    expectedRPID: place.rpId,
    requireUserVerification: true,
    credential: {
      id: known.credential_id,
      publicKey: new Uint8Array(known.public_key),
      // A passkey that is copied between devices has no counter that means anything.
      counter: known.synced ? 0 : known.counter,
    },
  }).catch(asRefused)
  if (!verified) throw notAccepted()
  const { newCounter: counter, credentialDeviceType } = authenticationInfo
  await markPasskeyUsed(here.db, known.id, { counter, synced: credentialDeviceType === 'multiDevice', at: here.now() })
  return known
}

/** A passkey is both factors: something one has, and a finger, a face or a PIN. */
export async function signInWithPasskey(here: Here, signed: Signed, seat: Seat): Promise<Begun> {
  const { user_id } = await checkPasskey(here, signed)
  return here.db
    .transaction()
    .execute(async (db) => whole(await beginSession({ ...here, db }, user_id, seat, { by: 'begin', shown: { what: 'passkey' } })))
}

/** Shows again that it is the person. */
export async function confirmWithPasskey(here: Here, session: Session, signed: Signed): Promise<void> {
  const { user_id } = await checkPasskey(here, signed)
  if (user_id !== session.user_id) throw new Problem('insufficient_scope', 'This passkey is another person’s.')
  await markShown(here.db, session.id, 'passkey', here.now())
  await noteForPerson(here, user_id, 'session.confirm')
}

export async function namePasskey(here: Here, session: Session, id: string, name: string): Promise<void> {
  if (!(await renamePasskey(here.db, session.user_id, id, name))) throw new Problem('not_found', 'You have no such passkey.')
  await noteForPerson(here, session.user_id, 'factor.passkey_renamed')
}

export const removePasskey = (here: Here, session: Session, id: string) =>
  giveUpFactor(here, session, 'factor.passkey_removed', (db) => deletePasskey(db, session.user_id, id))
