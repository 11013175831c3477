import { z } from 'zod'
import { accessTo } from '../sites/access.ts'
import { Access, KnownAccess, SiteId } from '../sites/schema.ts'
import { siteFilterOperation, siteOperation } from '../sites/site-operation.ts'
import { workspaceOperation } from '../workspaces/workspace-operation.ts'
import { rotateKeys } from './rotation.ts'
import { CodeId, CodeState, EnrolmentCode } from './schema.ts'
import { makeCode, getCode as readCode, setAccess as setAccessTo } from './service.ts'

export const createCode = siteFilterOperation({
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
  handle: (context, { host }) => makeCode(context, { site: context.site, host }),
})

export const getCode = workspaceOperation({
  name: 'pairing.get_code',
  http: 'GET /enrolment-codes/{code_id}',
  title: 'Read what came of a code',
  summary: 'Which site was paired with an enrolment code, or why the last one that came with it was refused.',
  scope: 'manage',
  effect: 'read',
  input: z.strictObject({ code_id: CodeId }),
  output: CodeState,
  example: { code_id: '0123456789abcdef' },
  handle: (context, { code_id }) => readCode(context, code_id),
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

export const getAccess = siteOperation({
  name: 'pairing.get_access',
  http: 'GET /sites/{site_id}/access',
  title: 'Read what lets the service through to a site',
  summary: 'The user and the header that the web server in front of a site wants to see, without password and value.',
  scope: 'manage',
  effect: 'read',
  input: z.strictObject({ site_id: SiteId }),
  output: KnownAccess,
  example: { site_id: 'staging.example.com' },
  handle: async (context) => known(context.site.id, await accessTo(context, context.site.id)),
})

export const setAccess = siteOperation({
  name: 'pairing.set_access',
  http: 'POST /sites/{site_id}/access',
  title: 'Set what lets the service through to a site',
  summary: 'Give user and password, or a header, for a site whose web server wants to see them; what is left out is forgotten.',
  scope: 'manage',
  effect: 'change',
  input: z.strictObject({ site_id: SiteId, ...Access.shape }),
  output: KnownAccess,
  example: { site_id: 'staging.example.com', basic: { user: 'staging', password: 'a password' } },
  async handle(context, { basic, header }) {
    await setAccessTo(context, context.site, { basic, header })
    return known(context.site.id, { basic, header })
  },
})

const known = (id: string, { basic, header }: Access) => ({ id, user: basic?.user ?? null, header: header?.name ?? null })
