import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callByName } from '../call-by-name.ts'
import type { Caller } from '../kernel/context.ts'
import { Problem, problems } from '../kernel/problem.ts'
import { beginSession } from '../members/sessions.ts'
import { Email, Password, WorkspaceName } from '../workspaces/schema.ts'
import { finishSetup, setupIsOpen } from '../workspaces/setup.ts'
import type { World } from '../world.ts'
import { addressBudget } from './address-budget.ts'
import { setCookies } from './cookies.ts'
import { serveMade } from './made-once.ts'
import { isSecure } from './person.ts'
import { closedPage, donePage, formPage, setupStyle } from './setup-page.ts'

const bodyLimit = 8 * 1024
/** Tries from one address, in a minute. */
const perMinute = 60

/** The one-time link that makes the first owner in a browser. */
export async function registerSetup(app: FastifyInstance, world: World): Promise<void> {
  const budget = addressBudget(perMinute)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
    scope.addHook('onRequest', async (request) => {
      if (!budget(request.ip)) throw new Problem('rate_limited', 'Too many attempts from this address.', { retryAfter: 60 })
    })
    scope.get('/setup', async (request, reply) => {
      const { key = '' } = request.query as { key?: string }
      const open = await setupIsOpen(world, String(key))
      return sendPage(reply, open ? 200 : 404, open ? formPage(String(key), { email: '', workspace: '', nightly: true }, {}) : closedPage())
    })
    scope.post('/setup', (request, reply) => take(world, request, reply))
  })
  serveMade(app, '/setup.css', { type: 'text/css; charset=utf-8', make: () => setupStyle })
}

async function take(world: World, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '')
  const typed = (name: string) => form.get(name) ?? ''
  const secret = typed('key')
  const nightly = typed('nightly') === 'yes'
  if (!(await setupIsOpen(world, secret))) return sendPage(reply, 404, closedPage())
  const fields = {
    email: Email.safeParse(typed('email').trim()),
    password: Password.safeParse(typed('password')),
    workspace: WorkspaceName.safeParse(typed('workspace')),
  }
  const { email, password, workspace } = fields
  if (!email.success || !password.success || !workspace.success) {
    const wrong = Object.entries(fields).flatMap(([name, { error }]) => (error ? [[name, error.issues[0]?.message ?? 'Not valid.']] : []))
    return sendPage(
      reply,
      400,
      formPage(secret, { email: typed('email'), workspace: typed('workspace'), nightly }, Object.fromEntries(wrong)),
    )
  }
  const finished = await finishSetup(world, secret, { email: email.data, password: password.data, workspace: workspace.data }).catch(
    asRefusal,
  )
  if (finished instanceof Problem) {
    if (finished.code === 'not_found') return sendPage(reply, 404, closedPage())
    const { path, message } = finished.errors?.[0] ?? { path: 'workspace', message: finished.message }
    return sendPage(
      reply,
      problems[finished.code].status,
      formPage(secret, { email: email.data, workspace: workspace.data, nightly }, { [path]: message }),
    )
  }
  const owner = finished
  const caller: Caller = {
    type: 'user',
    id: owner.user_id,
    name: owner.email,
    workspaceId: owner.workspace_id,
    scopes: new Set(['read', 'write', 'manage']),
    approvalOnly: false,
  }
  const by = { caller, face: 'dashboard' as const }
  const seat = { address: request.ip, agent: request.headers['user-agent'] ?? '', device: undefined }
  const begun = await beginSession(world, owner.user_id, seat, { by: 'begin', at: owner.workspace_id })
  // Somebody known with a second factor signs in with it as always.
  if ('secret' in begun) setCookies(reply, isSecure(world), begun)
  const token = await callByName(world, by, 'tokens.create', { name: 'First token', scope: 'write' })
  const code = await callByName(world, by, 'pairing.create_code', {})
  const schedule = nightly ? await callByName(world, by, 'schedules.set_default', { enabled: true }) : undefined
  const { baseUrl } = world.config
  return sendPage(
    reply,
    200,
    donePage({
      email: owner.email,
      workspace: owner.workspace,
      token: String(token.token),
      code: String(code.code),
      baseUrl,
      nightly: schedule && String(schedule.at),
    }),
    "; script-src 'self'",
  )
}

function asRefusal(error: unknown): Problem {
  if (error instanceof Problem && ['not_found', 'conflict', 'invalid_payload'].includes(error.code)) return error
  throw error
}

const policy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** No script where a password is typed. */
const sendPage = (reply: FastifyReply, status: number, page: string, scripts = '') =>
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy + scripts)
    .header('cache-control', 'no-store')
    .send(page)
