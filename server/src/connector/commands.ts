// The closed table of what a site can be asked (connector/PROTOCOL.md §4): parameters and answer of each verb, with caps on everything.
import { z } from 'zod'
import { DATABASE_VERBS } from './database-commands.ts'
import { ERROR_VERBS } from './error-commands.ts'
import { RESTORE_VERBS } from './restore-commands.ts'
import { SECURITY_VERBS } from './security-commands.ts'
import { count, identifier, link, Place, RootId, SitePath, text, unix } from './site-text.ts'
import { TWEAK_VERBS } from './tweak-commands.ts'
import { UPDATE_VERBS } from './update-commands.ts'

const version = text(50)
// What the update API leaves out.
const orEmpty = version.nullish().transform((value) => value ?? '')
const empty = z.strictObject({})

/** `only`: the names at its top that belong to it. `at`: where it, or the first of these, stands for WordPress. `was`: nothing leads there now. An older connector tells no more than the id. */
const Root = z.object({
  id: RootId,
  path: Place.optional(),
  at: Place.optional(),
  only: z.array(Place).max(20).optional(),
  writable: z.boolean().optional(),
  was: z.boolean().optional(),
})
export type Root = z.infer<typeof Root>
const unlike = (roots: Root[]) => new Set(roots.map(({ id }) => id)).size === roots.length

export const Hello = z.object({
  time: unix,
  connector_version: version,
  protocol: z.int(),
  site_url: link(500),
  home_url: link(500),
  name: text(200),
  wp_version: version,
  php_version: version,
  server_software: text(200),
  db: z.object({
    engine: z.enum(['mysql', 'mariadb', 'sqlite']),
    version: text(100),
    prefix: identifier(64),
    // of the whole network; absent in answers of older connectors
    base_prefix: identifier(64).optional(),
  }),
  is_multisite: z.boolean(),
  is_ssl: z.boolean(),
  active_theme: text(200),
  language: text(35),
  timezone: text(64),
  limits: z.object({ memory_limit: count, max_execution_time: count, post_max_size: count }),
  sodium: z.enum(['native', 'compat']),
  zlib: z.boolean(),
  install_id: identifier(128),
  clone: z.boolean(),
  maintenance_mode: z.boolean(),
  roots: z.array(Root).max(32).refine(unlike, 'must have ids of their own'),
  outside: z
    .array(z.object({ p: Place, at: SitePath, why: text(100) }))
    .max(50)
    .optional(),
  keyids: z.array(identifier(16)).max(4),
  disallow_file_mods: z.boolean(),
  /** Path of the door that needs no WordPress; '' where there is none. */
  standing: z
    .string()
    .max(500)
    .regex(/^(?:|(?:\/[\w.~%-]+)+\.php)$/)
    .optional()
    .catch(undefined),
})
export type Hello = z.infer<typeof Hello>

const Ping = z.object({
  time: unix,
  connector_version: version,
  wp_version: version,
  php_version: version,
  maintenance_mode: z.boolean(),
  clone: z.boolean(),
})

export const InventoryItem = z.object({
  type: z.enum(['core', 'plugin', 'theme', 'mu_plugin', 'dropin']),
  slug: text(200),
  file: identifier(255),
  name: text(200),
  version,
  active: z.boolean(),
  auto_update: z.boolean(),
  update: z
    .object({
      version,
      requires_wp: orEmpty,
      requires_php: orEmpty,
      compatible: z.boolean(),
      package: z.boolean(),
      url: link(500).default(''),
    })
    .nullable(),
  author: text(200),
  uri: link(500),
})
/** What decides what a site is, apart from its code; of the administrator's address a digest. What a connector does not tell is not known. */
const Settings = z
  .object({
    siteurl: link(500),
    home: link(500),
    users_can_register: z.boolean(),
    default_role: text(60),
    admin_email: z.string().regex(/^[0-9a-f]{32}$/),
    blog_public: z.boolean(),
    permalink_structure: text(200),
  })
  .partial()
const Inventory = z.object({
  collected_at: unix,
  updates_checked_at: unix.nullable(),
  translations: count.default(0),
  items: z.array(InventoryItem).max(5_000),
  /** What the site calls itself; older connectors tell it in `hello` alone. */
  name: text(200).optional().catch(undefined),
  /** Who may do everything there; null: it could not tell all of them. Older connectors tell neither. */
  admins: z
    .array(z.object({ id: count, login: text(60) }))
    .max(500)
    .nullish()
    .catch(undefined),
  settings: Settings.optional().catch(undefined),
})

const IssuedLogin = z.object({ login_url: link(1000).refine((url) => url !== ''), user_login: text(100), expires_at: unix })

const FileEntry = z.object({
  p: SitePath,
  t: z.enum(['f', 'd', 'l', 'x']),
  m: z.int().min(0).max(0o7777),
  mt: z.int(),
  ct: z.int(),
  i: count,
  s: count,
  to: Place.optional(),
  // Of a folder: PHP may not write in it. Older connectors tell it of roots alone.
  w: z.boolean().optional(),
})
const FileList = z.object({
  entries: z.array(FileEntry).max(50_000),
  excluded: z.array(z.object({ p: SitePath, why: text(100) })).max(50_000),
  outside: z
    .array(z.object({ p: SitePath, why: text(100) }))
    .max(50_000)
    .optional(),
  after: SitePath.nullable(),
  done: z.boolean(),
})

const FileReadMeta = z.object({
  items: z
    .array(
      z.object({
        status: z.enum(['ok', 'missing', 'unreadable']),
        n: count,
        s: count,
        mt: z.int(),
        ct: z.int(),
        i: count,
        encoding: z.enum(['identity', 'gzip']),
        wire: count,
      }),
    )
    .max(10_000),
  done: z.boolean(),
})

const budget = { max_bytes: z.int().min(1), budget_ms: z.int().min(1) }

/** `write`: refused by a clone, and answered from memory when its request id comes again. `slice`: bytes follow the answer. */
export const VERBS = {
  hello: { params: empty, result: Hello, write: false, slice: false },
  ping: { params: empty, result: Ping, write: false, slice: false },
  inventory: { params: z.strictObject({ refresh: z.boolean() }), result: Inventory, write: false, slice: false },
  ...UPDATE_VERBS,
  'login.issue': {
    params: z.strictObject({
      ticket_sha256: z.string().regex(/^[0-9a-f]{64}$/),
      user: z.string().optional(),
      requester: z.string(),
      ttl: z.int().min(1).max(60),
    }),
    result: IssuedLogin,
    write: true,
    slice: false,
  },
  ...DATABASE_VERBS,
  'files.list': {
    params: z.strictObject({ root: RootId, after: SitePath.nullable(), max_items: z.int().min(1), budget_ms: z.int().min(1) }),
    result: FileList,
    write: false,
    slice: false,
  },
  'files.read': {
    params: z.strictObject({
      root: RootId,
      items: z.array(z.strictObject({ p: SitePath, o: count, n: z.int().min(1), i: count.optional() })).min(1),
      plain: z.boolean().optional(),
      ...budget,
    }),
    result: FileReadMeta,
    write: false,
    slice: true,
  },
  'keys.rotate': {
    params: z.strictObject({ keyid: z.string().regex(/^[a-z0-9]{1,16}$/), public: z.string() }),
    result: z.object({ accepted: z.literal(true) }),
    write: true,
    slice: false,
  },
  ...RESTORE_VERBS,
  ...TWEAK_VERBS,
  ...SECURITY_VERBS,
  ...ERROR_VERBS,
  disconnect: { params: empty, result: z.object({ disconnected: z.literal(true) }), write: true, slice: false },
} as const

export type Verb = keyof typeof VERBS
export type Params<V extends Verb> = z.input<(typeof VERBS)[V]['params']>
export type Result<V extends Verb> = z.output<(typeof VERBS)[V]['result']>
