import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../kernel/problem.ts'
import { unstorable } from '../kernel/storable.ts'
import { receiveNotice } from '../pairing/notice.ts'
import { EnrolRequest } from '../pairing/schema.ts'
import { enrol } from '../pairing/service.ts'
import { connectorZip } from '../platform/connector-zip.ts'
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
    scope.post('/connector/v1/enrol', async (request, reply) =>
      reply.header('cache-control', 'no-store').send(await enrol(world, readEnrolment(request))),
    )
    scope.post('/connector/v1/notice', async (request, reply) => {
      await receiveNotice(world, request.headers as Record<string, string | undefined>, bodyOf(request))
      return reply.code(202).send({ received: true })
    })
  })
  const attached = { 'content-disposition': 'attachment; filename="svc-connector.zip"' }
  serveMade(app, '/connector/svc-connector.zip', 'application/zip', connectorZip, attached)
}

const bodyOf = (request: FastifyRequest) => (Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))

function readEnrolment(request: FastifyRequest): EnrolRequest {
  let value: unknown
  try {
    value = JSON.parse(bodyOf(request).toString('utf8'))
  } catch (cause) {
    throw new Problem('invalid_payload', 'The body is not JSON.', { cause })
  }
  const parsed = EnrolRequest.safeParse(value)
  const errors = parsed.success
    ? unstorable(parsed.data)
    : parsed.error.issues.slice(0, 50).map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  if (parsed.success && errors.length === 0) return parsed.data
  throw new Problem('invalid_payload', 'Some fields are not valid.', { errors })
}
