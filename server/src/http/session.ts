// Signing in and out, and what a person does as a person: none of it is an operation, because no token may ever do it.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Problem } from '../kernel/problem.ts'
import { mailRecovery } from '../members/by-mail.ts'
import { describeSession, endOthers, endSession, listOwnSessions, switchWorkspace } from '../members/sessions.ts'
import { accept, changePassword, join, recover, seeInvitation, seeRecovery, signIn } from '../members/sign-in.ts'
import { Email, Password } from '../workspaces/schema.ts'
import type { World } from '../world.ts'
import { clearSession } from './cookies.ts'
import { registerFactors } from './factors.ts'
import { signedIn } from './person.ts'
import { type Doors, openDoors } from './session-doors.ts'

/** A passkey of the longest kind fits. */
const bodyLimit = 16 * 1024

const Typed = z.string().min(1, 'Must not be empty.').max(200, 'At most 200 characters.')
const Secret = z.string().max(100)

export async function registerSession(app: FastifyInstance, world: World): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
    scope.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'))
    const doors = openDoors(scope, world)
    scope.get('/session', async (request) => {
      const found = await signedIn(world, request)
      return found ? describeSession(world, found.session, found.secret) : doors.nobody()
    })
    registerWaysIn(doors, world)
    registerOwn(doors, world)
    registerFactors(doors, world)
  })
}

const noMail = 'This service sends no mail. Whoever runs it prints a link for you: npm run -s admin -- person reset --email you@example.com'

function registerWaysIn({ asked, seated, seatOf }: Doors, world: World): void {
  asked('/session', { email: Email, password: Typed }, async (come) => seated(come, await signIn(world, come.input, seatOf(come.request))))
  asked('/session/invitation', { key: Secret }, ({ input: { key } }) => seeInvitation(world, key))
  asked('/session/join', { key: Secret, password: Password }, async (come) => {
    const { key, password } = come.input
    return seated(come, await join(world, key, password, seatOf(come.request)))
  })
  asked('/session/forgotten', { email: Email }, async ({ input: { email } }) => {
    if (world.config.smtpUrl === undefined) throw new Problem('conflict', noMail, { retryable: false })
    // The answer does not wait for it: how long it takes must not tell whether there is such an account.
    void mailRecovery(world, email).catch((error: unknown) =>
      world.log.warn({ err: error }, 'a link for a new password could not be mailed'),
    )
    return { mailed: 'If there is such an account, it is mailed a link in a moment.' }
  })
  asked('/session/recovery', { key: Secret }, ({ input: { key } }) => seeRecovery(world, key))
  asked('/session/recover', { key: Secret, password: Password }, async (come) => {
    const { key, password } = come.input
    return seated(come, await recover(world, key, password, seatOf(come.request)))
  })
}

function registerOwn({ mine, shown, seated, seatOf, describe, nobody, secure }: Doors, world: World): void {
  shown('/session/list', ({ session }) => listOwnSessions(world, session))
  mine('/session/end', {}, async ({ session }, { reply }) => {
    await endSession(world, session)
    clearSession(reply, secure)
    return nobody()
  })
  mine('/session/end_one', { id: z.string().max(100) }, async ({ session }, { input: { id } }) => ({
    ended: await endSession(world, session, id),
  }))
  mine('/session/end_others', {}, async ({ session }) => ({ ended: await endOthers(world, session) }))
  mine('/session/workspace', { workspace_id: z.string().max(100) }, async ({ session, secret }, { input }) => {
    await switchWorkspace(world, session, input.workspace_id)
    return describe(secret)
  })
  mine('/session/accept', { key: Secret }, async ({ session, secret }, { input: { key } }) => {
    await accept(world, session, key)
    return describe(secret)
  })
  mine('/session/password', { current: Typed, next: Password }, async ({ session }, come) =>
    seated(come, await changePassword(world, session, come.input, seatOf(come.request))),
  )
}
