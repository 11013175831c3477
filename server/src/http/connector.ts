import type { FastifyInstance, FastifyRequest } from 'fastify'
import { examine } from '../kernel/explain.ts'
import { parseJson } from '../kernel/json.ts'
import { asProblem, Problem } from '../kernel/problem.ts'
import { unstorable } from '../kernel/storable.ts'
import { receiveNotice } from '../pairing/notice.ts'
import { EnrolRequest } from '../pairing/schema.ts'
import { enrol } from '../pairing/service.ts'
import { connectorZip } from '../platform/connector-zip.ts'
import { sendProblem } from '../projections/rest.ts'
import type { World } from '../world.ts'
import { addressBudget } from './address-budget.ts'
import { serveMade } from './made-once.ts'

const bodyLimit = 64 * 1024
/** Enrolments and notices from one address, in a minute. */
const perMinute = 60

/** What a site itself calls: it joins, it says goodbye, and its administrator fetches the plugin. */
export async function registerConnector(app: FastifyInstance, world: World): Promise<void> {
  const budget = addressBudget(perMinute)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
    scope.addHook('onRequest', async (request) => {
      if (request.method === 'POST' && !budget(request.ip))
        throw new Problem('rate_limited', 'Too many attempts from this address.', { retryAfter: 60 })
    })
    scope.addHook('preHandler', async ({ url }) => {
      if (url.includes('?')) throw new Problem('invalid_payload', 'This address takes no query; everything goes into the body.')
    })
    scope.setErrorHandler((error, request, reply) => {
      if (asProblem(error).code === 'unauthenticated') reply.header('www-authenticate', 'Signature realm="service"')
      return sendProblem(world, request, reply, error)
    })
    scope.post('/connector/v1/enrol', async (request, reply) =>
      reply.header('cache-control', 'no-store').send(await enrol(world, readEnrolment(request))),
    )
    scope.post('/connector/v1/notice', async (request, reply) => {
      await receiveNotice(world, request.headers as Record<string, string | undefined>, bodyOf(request))
      return reply.code(202).send({ received: true })
    })
  })
  const attached = { 'content-disposition': 'attachment; filename="svc-connector.zip"' }
  serveMade(app, '/connector/svc-connector.zip', { type: 'application/zip', make: connectorZip, headers: attached })
}

const bodyOf = (request: FastifyRequest) => (Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))

function readEnrolment(request: FastifyRequest): EnrolRequest {
  const found = examine(EnrolRequest, parseJson(bodyOf(request).toString('utf8')))
  const errors = 'data' in found ? unstorable(found.data) : found.errors
  if ('data' in found && errors.length === 0) return found.data
  throw new Problem('invalid_payload', 'Some fields are not valid.', { errors })
}
