// How what is no operation comes in: from strangers, and from whoever is signed in; and how a session is handed to a browser.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { examine } from '../kernel/explain.ts'
import { isJsonType, parseJson } from '../kernel/json.ts'
import { Problem } from '../kernel/problem.ts'
import { placeOf } from '../members/passkey-place.ts'
import { hashOfSecret } from '../members/service.ts'
import { isDevice } from '../members/session-store.ts'
import { type Begun, describeSession, endSession, type Halfway, openSession } from '../members/sessions.ts'
import { hasOwner } from '../workspaces/store.ts'
import type { World } from '../world.ts'
import { addressBudget } from './address-budget.ts'
import { cookiesOf, setCookies } from './cookies.ts'
import { mustBeOwnPage } from './own-page.ts'
import { isSecure, mustProve, type SignedIn, signedIn } from './person.ts'

/** What strangers of one network may ask here in a minute. */
const perMinute = 60

type Shape = z.ZodRawShape
type Input<Of extends Shape> = z.output<z.ZodObject<Of>>
/** A request with what it brought, and the way back. */
export interface Come<Of extends Shape> {
  input: Input<Of>
  request: FastifyRequest
  reply: FastifyReply
}

export type Doors = ReturnType<typeof openDoors>

export function openDoors(scope: FastifyInstance, world: World) {
  const secure = isSecure(world)
  const budget = addressBudget(perMinute, () => world.now().getTime())
  const describe = async (secret: string) => {
    const session = await openSession(world, secret)
    return session ? describeSession(world, session, secret) : nobody()
  }
  const place = placeOf(world.config.baseUrl)
  const about = { mail: world.config.smtpUrl !== undefined, passkeys_at: 'refused' in place ? null : place.origin }
  const nobody = async () => ({ user: null, has_owner: await hasOwner(world.db), ...about })
  const deviceOf = (request: FastifyRequest) => cookiesOf(request, secure).device?.match(/^[\w-]{43}$/)?.[0]
  /** A browser in which somebody signed in before is not held up by others at the same address: behind a proxy that is everybody. */
  const mayAsk = async (request: FastifyRequest) => {
    const device = deviceOf(request)
    return budget(request.ip) || (device !== undefined && (await isDevice(world.db, hashOfSecret(device))))
  }
  return {
    secure,
    describe,
    nobody,
    seatOf: (request: FastifyRequest) => ({
      address: request.ip,
      agent: request.headers['user-agent'] ?? '',
      device: deviceOf(request),
    }),
    /** Hands a session over; the one the browser had before ends. Halfway there, nothing changes yet. */
    async seated({ request, reply }: Pick<Come<Shape>, 'request' | 'reply'>, entered: Begun | Halfway) {
      if ('half' in entered) return { ...(await nobody()), second: { key: entered.half, ways: entered.ways } }
      const before = await signedIn(world, request)
      if (before) await endSession(world, before.session)
      setCookies(reply, secure, entered)
      return describe(entered.secret)
    },
    /** What a stranger may ask, from a page of ours. */
    asked: <Of extends Shape>(path: string, shape: Of, answer: (come: Come<Of>) => Promise<unknown>) =>
      scope.post(path, async (request, reply) => {
        if (!(await mayAsk(request))) throw new Problem('rate_limited', 'Too many attempts from this address.', { retryAfter: 60 })
        mustBeOwnPage(request, world.config.baseUrl)
        return answer({ input: bodyOf(request, z.strictObject(shape)), request, reply })
      }),
    /** What somebody may ask who is signed in, from a page that knows the session. */
    mine: <Of extends Shape>(path: string, shape: Of, answer: (found: SignedIn, come: Come<Of>) => Promise<unknown>) =>
      scope.post(path, async (request, reply) => {
        const found = await mustBeSignedIn(world, request)
        mustProve(world, request, found)
        return answer(found, { input: bodyOf(request, z.strictObject(shape)), request, reply })
      }),
    /** What somebody may look at who is signed in. */
    shown: (path: string, answer: (found: SignedIn) => Promise<unknown>) =>
      scope.get(path, async (request) => answer(await mustBeSignedIn(world, request))),
  }
}

async function mustBeSignedIn(world: World, request: FastifyRequest): Promise<SignedIn> {
  const found = await signedIn(world, request)
  if (!found) throw new Problem('unauthenticated', 'You are signed out.')
  return found
}

function bodyOf<Of extends z.ZodObject>({ body, headers }: FastifyRequest, schema: Of): z.output<Of> {
  if (!isJsonType(headers)) throw new Problem('unsupported_media_type', 'Send the body as Content-Type: application/json.')
  const found = examine(schema, Buffer.isBuffer(body) ? parseJson(body.toString('utf8')) : {})
  if ('errors' in found) throw new Problem('invalid_payload', 'Some fields are not valid.', { errors: found.errors })
  return found.data as z.output<Of>
}
