import { z } from 'zod'
import { Time } from '../kernel/shapes.ts'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { issueLogin } from './service.ts'

const Login = z.object({
  url: z.string().describe('Opens the WordPress admin once. Give it only to the person who asked.'),
  expires_at: Time,
  single_use: z.literal(true),
  user_login: z.string(),
})

export const create = siteOperation({
  name: 'login.create',
  tool: 'site_login_url',
  http: 'POST /sites/{site_id}/actions',
  action: 'login',
  ignores: ['plugins'],
  title: 'Log in to a site',
  summary: 'Make a one-click login URL for the WordPress admin of one site; it works once, within 60 seconds.',
  guidance:
    'It hands out an administrator: only when a person asked to log in to this site; give them the URL at once and open it nowhere yourself.',
  scope: 'write',
  effect: 'create',
  policy: 'logins',
  waits: true,
  secret: true,
  cost: { budget: 'login_links', takes: () => 1 },
  input: z.strictObject({
    site_id: SiteId,
    user: z.string().trim().min(1).max(100).optional().describe('Login or e-mail; else who paired the site.'),
  }),
  output: Login,
  example: { site_id: 'example.com' },
  handle: (context, { user }) => issueLogin(context, context.site, user),
})
