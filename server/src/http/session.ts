// Signing in and out, and what a person does as a person: none of it is an operation, because no token may ever do it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { examine } from '../kernel/explain.ts'
import { isJsonType, parseJson } from '../kernel/json.ts'
import { Problem } from '../kernel/problem.ts'
import { type Begun, describeSession, endOthers, endSession, listOwnSessions, openSession, switchWorkspace } from '../members/sessions.ts'
import { changePassword, join, prove, recover, seeInvitation, seeRecovery, signIn } from '../members/sign-in.ts'
import { Email, Password } from '../workspaces/schema.ts'
import { hasOwner } from '../workspaces/store.ts'
import type { World } from '../world.ts'
import { addressBudget } from './address-budget.ts'
import { clearSession, cookiesOf, setCookies } from './cookies.ts'
import { mustBeOwnPage } from './own-page.ts'
import { isSecure, mustProve, type SignedIn, signedIn } from './person.ts'

const bodyLimit = 8 * 1024
/** What strangers of one network may ask here in a minute. */
const perMinute = 60

const Typed = z.string().min(1, 'Must not be empty.').max(200, 'At most 200 characters.')
const Secret = z.string().max(100)

export async function registerSession(app: FastifyInstance, world: World): Promise<void> {
  const secure = isSecure(world)
  const budget = addressBudget(perMinute)
  const seatOf = (request: FastifyRequest) => ({
    address: request.ip,
    agent: request.headers['user-agent'] ?? '',
    device: cookiesOf(request, secure).device?.match(/^[\w-]{43}$/)?.[0],
  })
  const describe = async (secret: string) => {
    const session = await openSession(world, secret)
    return session ? describeSession(world.db, session, secret) : { user: null, has_owner: true }
  }
  const seated = async (reply: FastifyReply, begun: Begun) => {
    setCookies(reply, secure, begun)
    return reply.send(await describe(begun.secret))
  }
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
    scope.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'))

    /** What a stranger may ask, from a page of ours. */
    const asked = <Shape extends z.ZodRawShape>(
      path: string,
      shape: Shape,
      answer: (input: z.output<z.ZodObject<Shape>>, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
    ) =>
      scope.post(path, async (request, reply) => {
        if (!budget(request.ip)) throw new Problem('rate_limited', 'Too many attempts from this address.', { retryAfter: 60 })
        mustBeOwnPage(request, world.config.baseUrl)
        return answer(bodyOf(request, z.strictObject(shape)), request, reply)
      })
    /** What somebody may ask who is signed in, from a page that knows the session. */
    const mine = <Shape extends z.ZodRawShape>(
      path: string,
      shape: Shape,
      answer: (found: SignedIn, input: z.output<z.ZodObject<Shape>>, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
    ) =>
      scope.post(path, async (request, reply) => {
        const found = await signedIn(world, request)
        if (!found) throw new Problem('unauthenticated', 'You are signed out.')
        mustProve(world, request, found)
        return answer(found, bodyOf(request, z.strictObject(shape)), request, reply)
      })

    scope.get('/session', async (request) => {
      const found = await signedIn(world, request)
      return found ? describeSession(world.db, found.session, found.secret) : { user: null, has_owner: await hasOwner(world.db) }
    })
    asked('/session', { email: Email, password: Typed }, async (input, request, reply) => {
      const before = await signedIn(world, request)
      const begun = await signIn(world, input, seatOf(request))
      if (before) await endSession(world, before.session)
      return seated(reply, begun)
    })
    asked('/session/invitation', { key: Secret }, ({ key }) => seeInvitation(world, key))
    asked('/session/join', { key: Secret, password: Password }, async ({ key, password }, request, reply) =>
      seated(reply, await join(world, key, password, seatOf(request))),
    )
    asked('/session/recovery', { key: Secret }, ({ key }) => seeRecovery(world, key))
    asked('/session/recover', { key: Secret, password: Password }, async ({ key, password }, request, reply) =>
      seated(reply, await recover(world, key, password, seatOf(request))),
    )

    scope.get('/session/list', async (request) => {
      const found = await signedIn(world, request)
      if (!found) throw new Problem('unauthenticated', 'You are signed out.')
      return listOwnSessions(world, found.session)
    })
    mine('/session/end', {}, async ({ session }, _input, _request, reply) => {
      await endSession(world, session)
      clearSession(reply, secure)
      return { user: null, has_owner: true }
    })
    mine('/session/end_others', {}, async ({ session }) => ({ ended: await endOthers(world, session) }))
    mine('/session/workspace', { workspace_id: z.string().max(100) }, async ({ session, secret }, { workspace_id }) => {
      await switchWorkspace(world, session, workspace_id)
      return describe(secret)
    })
    mine('/session/prove', { password: Typed }, async ({ session }, { password }, request) => {
      await prove(world, session, password, seatOf(request))
      return { proved: true }
    })
    mine('/session/password', { current: Typed, next: Password }, async ({ session }, input, request, reply) =>
      seated(reply, await changePassword(world, session, input, seatOf(request))),
    )
  })
}

function bodyOf<Shape extends z.ZodObject>({ body, headers }: FastifyRequest, schema: Shape): z.output<Shape> {
  if (!isJsonType(headers)) throw new Problem('unsupported_media_type', 'Send the body as Content-Type: application/json.')
  const found = examine(schema, Buffer.isBuffer(body) ? parseJson(body.toString('utf8')) : {})
  if ('errors' in found) throw new Problem('invalid_payload', 'Some fields are not valid.', { errors: found.errors })
  return found.data as z.output<Shape>
}
