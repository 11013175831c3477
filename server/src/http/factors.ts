// A person's second factors: the second step of a sign-in, and how factors are taken up and given up.
import { z } from 'zod'
import { countFactors } from '../members/factor-store.ts'
import { adoptApp, beginAuthenticator, removeApp, renewRecoveryCodes } from '../members/factors.ts'
import { freshFactor, freshMinutes, secondFactorAt } from '../members/fresh.ts'
import { placeOf } from '../members/passkey-place.ts'
import { listPasskeys } from '../members/passkey-store.ts'
import {
  addPasskey,
  askForPasskey,
  beginPasskey,
  confirmWithPasskey,
  namePasskey,
  removePasskey,
  signInWithPasskey,
} from '../members/passkeys.ts'
import { finishSignIn } from '../members/second-step.ts'
import type { Session } from '../members/session-store.ts'
import { confirm } from '../members/sign-in.ts'
import type { World } from '../world.ts'
import type { Doors } from './session-doors.ts'

const Typed = z.string().min(1, 'Must not be empty.').max(200, 'At most 200 characters.')
const Code = z.string().min(1, 'Must not be empty.').max(40, 'At most 40 characters.')
const Name = z.string().trim().min(1, 'Must not be empty.').max(60, 'At most 60 characters.')
const Id = z.string().max(100)
const Encoded = z
  .string()
  .max(12_000)
  .regex(/^[\w-]*$/, 'Must be base64url.')

/** What a browser brings as the JSON of a credential; what is read of it, and what else it may hold. */
const credential = <Of extends z.ZodRawShape>(response: Of) =>
  z.looseObject({
    id: Encoded.max(2000),
    rawId: Encoded.max(2000),
    type: z.literal('public-key'),
    response: z.looseObject({ clientDataJSON: Encoded, ...response }),
    clientExtensionResults: z.looseObject({}).default({}),
  })
const Registration = credential({ attestationObject: Encoded, transports: z.array(z.string().max(20)).max(10).optional() })
const Assertion = credential({ authenticatorData: Encoded, signature: Encoded, userHandle: Encoded.nullish() })

type RegistrationJson = Parameters<typeof addPasskey>[2]['response']
type AssertionJson = Parameters<typeof signInWithPasskey>[1]['response']

export function registerFactors(doors: Doors, world: World): void {
  const { asked, mine, shown, seated, seatOf } = doors
  asked('/session/second', { key: Id, code: Code }, async (come) =>
    seated(come, await finishSignIn(world, come.input, seatOf(come.request))),
  )
  asked('/session/passkey_options', {}, () => askForPasskey(world))
  asked('/session/passkey', { response: Assertion }, async (come) => {
    const signed = { response: come.input.response as unknown as AssertionJson, origin: come.request.headers.origin }
    return seated(come, await signInWithPasskey(world, signed, seatOf(come.request)))
  })

  const factorsOf = (session: Session) => tellFactors(world, session)
  shown('/session/factors', ({ session }) => factorsOf(session))
  mine(
    '/session/confirm',
    { code: Code.optional(), password: Typed.optional(), response: Assertion.optional() },
    async ({ session }, come) => {
      const { response } = come.input
      const { origin } = come.request.headers
      if (response) await confirmWithPasskey(world, session, { response: response as unknown as AssertionJson, origin })
      else await confirm(world, session, come.input, seatOf(come.request))
      return { confirmed: true, for_minutes: freshMinutes }
    },
  )
  mine('/session/authenticator_offer', {}, ({ session }) => beginAuthenticator(world, session, issuerOf(world)))
  mine('/session/authenticator', { code: Code }, ({ session }, { input: { code } }) => adoptApp(world, session, code))
  mine('/session/authenticator_remove', {}, async ({ session }) => {
    await removeApp(world, session)
    return factorsOf(session)
  })
  mine('/session/recovery_codes', {}, ({ session }) => renewRecoveryCodes(world, session))
  mine('/session/passkeys_offer', {}, ({ session }) => beginPasskey(world, session))
  mine('/session/passkeys', { name: Name, response: Registration }, ({ session }, { input, request }) =>
    addPasskey(world, session, {
      name: input.name,
      response: input.response as unknown as RegistrationJson,
      origin: request.headers.origin,
    }),
  )
  mine('/session/passkeys_rename', { id: Id, name: Name }, async ({ session }, { input: { id, name } }) => {
    await namePasskey(world, session, id, name)
    return factorsOf(session)
  })
  mine('/session/passkeys_remove', { id: Id }, async ({ session }, { input: { id } }) => {
    await removePasskey(world, session, id)
    return factorsOf(session)
  })
}

/** How an app names the account among others. */
const issuerOf = ({ config }: Pick<World, 'config'>) => new URL(config.baseUrl).hostname

async function tellFactors({ db, config, now }: World, session: Session) {
  const { authenticator, recovery } = await countFactors(db, session.user_id)
  const place = placeOf(config.baseUrl)
  return {
    authenticator: authenticator && { since: authenticator },
    recovery_codes_left: recovery,
    passkeys: (await listPasskeys(db, session.user_id)).map(({ id, name, synced, created_at, used_at }) => ({
      ...{ id, name, synced, created_at, used_at },
    })),
    passkeys_at: 'refused' in place ? null : place.origin,
    passkeys_refused: 'refused' in place ? place.refused : null,
    fresh: freshFactor({ factorAt: secondFactorAt(session) }, now()),
  }
}
