// The verbs of connector/PROTOCOL.md §4 that look at security, carried out on a FakeState.
import { createHash, randomBytes } from 'node:crypto'
import { comparePaths } from '../src/connector/site-text.ts'
import type { FakeAnswer, FakeCall } from './fake-data.ts'
import { type FakeState, putFile } from './fake-state.ts'

const SALTS = ['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT']
const CODE = "<?php\n@unlink( __FILE__ );\necho 'svc-connector-probe-', 6 * 7;\n"

export const SECURITY_WRITES = ['security.probe']

export const SECURITY_VERBS: Record<string, (state: FakeState, call: FakeCall) => FakeAnswer> = {
  'security.facts': (state, { now, siteUrl }) => ({ result: facts(state, now, siteUrl) }),
  'security.integrity': integrity,
  'security.probe': probe,
}

/** A site without a fault that anybody could see from inside. */
function facts(state: FakeState, now: number, siteUrl: string) {
  return {
    collected_at: now,
    wp_version: state.wpVersion,
    locale: 'en_US',
    php_version: state.phpVersion,
    db: { engine: 'mariadb', version: '10.11.6' },
    prefix: 'garden_',
    debug_display: false,
    file_editor: false,
    admins: [{ id: 7, login: 'gardener', nicename: 'gardener', registered: 1_700_000_000 }],
    admins_total: 1,
    registration: { open: false, role: 'subscriber', admin: false },
    salts: SALTS.map((name) => ({ name, state: 'good' })),
    cron: { disabled: false, overdue_s: 0 },
    xmlrpc: true,
    application_passwords: { available: false, users: 0 },
    is_ssl: siteUrl.startsWith('https:'),
    ssl_admin: siteUrl.startsWith('https:'),
    plugins: state.items
      .filter(({ type }) => type === 'plugin')
      .map(({ file }) => ({ file, listed: file !== 'svc-connector/svc-connector.php' })),
    ...state.facts,
  }
}

function integrity(state: FakeState, { params }: FakeCall): FakeAnswer {
  const bases: Record<string, string> = { core: '', plugin: `wp-content/plugins/${params.plugin}/`, uploads: 'wp-content/uploads/' }
  const base = bases[String(params.scope)] ?? ''
  const after = params.after as string | null
  const all = [...state.files.keys()]
    .filter((path) => path.startsWith(base))
    .map((path) => path.slice(base.length))
    .filter((path) => matters(String(params.scope), path))
    .filter((path) => params.scope !== 'uploads' || state.files.get(base + path)?.bytes.toString() !== CODE)
    .filter((path) => after === null || comparePaths(path, after) > 0)
    .sort(comparePaths)
  const told = all.slice(0, Number(params.max_items))
  const entries = told.map((p) => ({ p, h: params.scope === 'uploads' ? '' : md5(state.files.get(base + p)?.bytes) }))
  return { result: { entries, after: told.at(-1) ?? after, done: told.length === all.length } }
}

function matters(scope: string, path: string): boolean {
  if (scope === 'uploads') return /\.(php[0-9]?|phtml|phar)(\.|$)/.test(path)
  return scope !== 'core' || /^wp-(admin|includes)\//.test(path) || (/^[^/]+\.(php|html|txt)$/.test(path) && path !== 'wp-config.php')
}

const md5 = (bytes: Buffer | undefined) => (bytes ? createHash('md5').update(bytes).digest('hex') : '')

function probe(state: FakeState, { params, siteUrl }: FakeCall): FakeAnswer {
  for (const path of state.files.keys()) if (/^wp-content\/uploads\/svc-connector-probe-/.test(path)) state.files.delete(path)
  if (params.place !== true) return { result: { url: '', says: 'svc-connector-probe-42' } }
  const path = `wp-content/uploads/svc-connector-probe-${randomBytes(16).toString('hex')}.php`
  putFile(state, path, CODE)
  return { result: { url: `${siteUrl}/${path}`, says: 'svc-connector-probe-42' } }
}
