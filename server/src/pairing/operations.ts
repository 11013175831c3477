import { z } from 'zod'
import { workspaceOperation } from '../operations.ts'
import { EnrolmentCode } from './schema.ts'
import { makeCode } from './service.ts'

export const createCode = workspaceOperation({
  name: 'pairing.create_code',
  http: 'POST /enrolment-codes',
  title: 'Make an enrolment code',
  summary: 'A code that pairs one site with this workspace within 15 minutes.',
  scope: 'manage',
  effect: 'create',
  status: 201,
  secret: true,
  input: z.strictObject({
    host: z.string().trim().min(1).max(255).optional().describe('Only a site of this host may use it, e.g. example.com.'),
  }),
  output: EnrolmentCode,
  example: { host: 'example.com' },
  handle: (context, { host }) => makeCode(context, host),
})
