// The verbs of connector/PROTOCOL.md §4, carried out on a FakeState.
import { createHash } from 'node:crypto'
import { dbRows, dbTables, type FakeAnswer, type FakeCall, failure, filesList, filesRead } from './fake-data.ts'
import { dbDigests, dbSnapshot } from './fake-digests.ts'
import { ERROR_VERBS } from './fake-errors.ts'
import { RESTORE_VERBS, RESTORE_WRITES } from './fake-restore.ts'
import { SECURITY_VERBS, SECURITY_WRITES } from './fake-security.ts'
import type { FakeState } from './fake-state.ts'
import { TWEAK_VERBS, TWEAK_WRITES } from './fake-tweaks.ts'
import { UPDATE_VERBS, UPDATE_WRITES } from './fake-update.ts'

type Verb = (state: FakeState, call: FakeCall) => FakeAnswer | Promise<FakeAnswer>

export const WRITES: ReadonlySet<string> = new Set([
  'login.issue',
  'keys.rotate',
  'disconnect',
  ...UPDATE_WRITES,
  ...RESTORE_WRITES,
  ...TWEAK_WRITES,
  ...SECURITY_WRITES,
])

/** `keys.rotate` and `disconnect` change the pairing itself; the gate sees to them. */
export const FAKE_VERBS: Record<string, Verb> = {
  hello: (state, call) => ({ result: hello(state, call) }),
  ping: (state, { now }) => ({ result: ping(state, now) }),
  inventory: (state, { now, params }) => {
    const { offered } = state
    if (params.refresh === true && offered) state.items = state.items.map((item) => ({ ...item, update: offered[item.file] ?? null }))
    const heard = state.hears ? now : null
    const { translations, items, choices, title: name } = state
    return {
      result: { collected_at: now, updates_checked_at: heard, translations, items, ...(name !== undefined && { name }), ...choices },
    }
  },
  ...UPDATE_VERBS,
  'login.issue': issueLogin,
  'db.tables': (state) => ({ result: dbTables(state) }),
  'db.rows': dbRows,
  'db.digests': dbDigests,
  'db.snapshot': dbSnapshot,
  'files.list': filesList,
  'files.read': filesRead,
  ...RESTORE_VERBS,
  ...TWEAK_VERBS,
  ...SECURITY_VERBS,
  ...ERROR_VERBS,
  'keys.rotate': () => ({ result: { accepted: true } }),
  disconnect: () => ({ result: { disconnected: true } }),
}

function ping(state: FakeState, now: number) {
  const { connectorVersion, wpVersion, phpVersion, maintenance, clone } = state
  return {
    time: now,
    connector_version: connectorVersion,
    wp_version: wpVersion,
    php_version: phpVersion,
    maintenance_mode: maintenance,
    clone,
  }
}

function hello(state: FakeState, { siteUrl, keyids, now }: FakeCall) {
  return {
    ...ping(state, now),
    protocol: 1,
    site_url: siteUrl,
    home_url: state.home ?? siteUrl,
    name: state.name,
    server_software: 'fake/1.0',
    db: { engine: 'mariadb', version: '10.11.6', prefix: state.prefix, base_prefix: state.prefix },
    is_multisite: state.multisite,
    is_ssl: siteUrl.startsWith('https:'),
    active_theme: state.items.find(({ type, active }) => type === 'theme' && active)?.slug ?? '',
    language: 'en-US',
    timezone: 'UTC',
    limits: { memory_limit: 128 * 1024 * 1024, max_execution_time: 30, post_max_size: 8 * 1024 * 1024 },
    sodium: 'native',
    zlib: true,
    install_id: state.installId,
    roots: state.roots ?? [{ id: 'abspath' }],
    ...(state.roots && { outside: [] }),
    keyids,
    disallow_file_mods: state.disallowFileMods,
    ...(state.standing && { standing: state.standing }),
  }
}

function issueLogin(state: FakeState, { requestId, params, siteUrl, now }: FakeCall): FakeAnswer {
  const user = params.user === undefined ? state.users[0] : state.users.find((each) => each === params.user)
  if (user === undefined) return failure('not_found', 'No such administrator.')
  const expiresAt = now + Math.min(60, Number(params.ttl))
  state.tickets.set(String(params.ticket_sha256), { user, requester: String(params.requester), expiresAt })
  state.effects.push({ verb: 'login.issue', requestId, params })
  return { result: { login_url: `${siteUrl}/?svc-connector-login=`, user_login: user, expires_at: expiresAt } }
}

/** The one DELETE: the user of a good ticket, once. */
export function redeemTicket(state: FakeState, ticket: string, now: number): string | undefined {
  const hash = createHash('sha256').update(ticket).digest('hex')
  const found = state.tickets.get(hash)
  if (!found || !state.tickets.delete(hash) || found.expiresAt < now) return undefined
  state.logins.push(found.user)
  return found.user
}
