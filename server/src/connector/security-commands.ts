// The verbs that look at a site's security (connector/PROTOCOL.md §4): parameters and answers, with caps on everything.
import { z } from 'zod'
import { count, identifier, SitePath, text, unix } from './site-text.ts'

const Facts = z.object({
  collected_at: unix,
  wp_version: text(50),
  locale: text(35),
  php_version: text(50),
  db: z.object({ engine: z.enum(['mysql', 'mariadb', 'sqlite']), version: text(100) }),
  prefix: text(64),
  debug_display: z.boolean(),
  file_editor: z.boolean(),
  admins: z.array(z.object({ id: count, login: text(60), nicename: text(60), registered: unix })).max(500),
  admins_total: count,
  registration: z.object({ open: z.boolean(), role: text(60), admin: z.boolean() }),
  salts: z.array(z.object({ name: text(40), state: z.enum(['good', 'missing', 'default', 'short', 'repeated', 'database']) })).max(8),
  cron: z.object({ disabled: z.boolean(), overdue_s: count }),
  xmlrpc: z.boolean(),
  application_passwords: z.object({ available: z.boolean(), users: count }),
  is_ssl: z.boolean(),
  ssl_admin: z.boolean(),
  plugins: z.array(z.object({ file: identifier(255), listed: z.boolean() })).max(5_000),
})
export type Facts = z.infer<typeof Facts>

const Fingerprint = z.object({ p: SitePath, h: z.string().regex(/^(?:[0-9a-f]{32})?$/) })

export const SECURITY_VERBS = {
  'security.facts': { params: z.strictObject({}), result: Facts, write: false, slice: false },
  'security.integrity': {
    params: z.strictObject({
      scope: z.enum(['core', 'plugin', 'uploads']),
      plugin: z.string().optional(),
      after: SitePath.nullable(),
      max_items: z.int().min(1),
      budget_ms: z.int().min(1),
    }),
    result: z.object({ entries: z.array(Fingerprint).max(10_000), after: SitePath.nullable(), done: z.boolean() }),
    write: false,
    slice: false,
  },
  'security.probe': {
    params: z.strictObject({ place: z.boolean() }),
    result: z.object({ url: text(1_000), says: text(64) }),
    write: true,
    slice: false,
  },
} as const
