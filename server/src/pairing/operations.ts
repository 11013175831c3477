import { z } from 'zod'
import { SiteId } from '../sites/schema.ts'
import { findSite, siteOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { rotateKeys } from './rotation.ts'
import { EnrolmentCode } from './schema.ts'
import { makeCode } from './service.ts'

export const createCode = workspaceOperation({
  name: 'pairing.create_code',
  http: 'POST /enrolment-codes',
  title: 'Make an enrolment code',
  summary: 'A code that within 15 minutes pairs a new site with this workspace, or one of its sites anew.',
  scope: 'manage',
  effect: 'create',
  status: 201,
  secret: true,
  input: z.strictObject({
    site_id: SiteId.optional().describe('The site that is paired anew: only this one may use the code, and no other code does it.'),
    host: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .optional()
      .describe('Only a site of this host may use it, e.g. example.com. With site_id: the host that the site has moved to.'),
  }),
  output: EnrolmentCode,
  example: { site_id: 'example.com' },
  async handle(context, { site_id, host }) {
    const site = site_id === undefined ? undefined : await findSite(context, site_id, 'create')
    return makeCode(context, { site, host })
  },
})

export const rotate = siteOperation({
  name: 'pairing.rotate_keys',
  http: 'POST /sites/{site_id}/keys/rotate',
  title: 'Rotate the keys of a site',
  summary: 'Give the service a new key for one site; the old one ends as soon as the site has seen the new one.',
  scope: 'manage',
  effect: 'change',
  waits: true,
  input: z.strictObject({ site_id: SiteId }),
  output: z.object({ id: z.string(), keyid: z.string() }),
  example: { site_id: 'example.com' },
  handle: (context) => rotateKeys(context, context.site),
})
