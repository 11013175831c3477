// What a site says of itself, judged.
import type { Facts } from '../connector/security-commands.ts'
import { finding } from './checks.ts'
import { endedOn } from './lifetimes.ts'
import type { NewFinding } from './schema.ts'

const hourS = 3600
/** WP-Cron runs when somebody visits; a quiet night is no fault. */
const overdueS = { usual: 6 * hourS, disabled: hourS }

/** `strangers`: ids of the administrators who were not there at the first look. */
export function judgeFacts(facts: Facts, strangers: ReadonlySet<number>, now: Date): NewFinding[] {
  return [
    ...lifetimes(facts, now),
    ...accounts(facts, strangers),
    ...(facts.debug_display ? [finding('debug_display', { evidence: ['display_errors takes effect on ordinary pages.'] })] : []),
    ...(facts.file_editor ? [finding('file_editor', { evidence: ['An administrator has the capability edit_plugins.'] })] : []),
    ...(facts.prefix === 'wp_' ? [finding('table_prefix', { evidence: ['The prefix is wp_.'] })] : []),
    ...salts(facts),
    ...cron(facts),
    ...applicationPasswords(facts),
    ...(facts.is_ssl && !facts.ssl_admin ? [finding('admin_over_http', { evidence: ['FORCE_SSL_ADMIN does not take effect.'] })] : []),
  ]
}

function lifetimes({ php_version, db }: Facts, now: Date): NewFinding[] {
  const php = endedOn('php', php_version, now)
  const database = db.engine === 'sqlite' ? undefined : endedOn(db.engine, db.version, now)
  const name = db.engine === 'mysql' ? 'MySQL' : 'MariaDB'
  return [
    ...(php === undefined
      ? []
      : [
          finding('php_end_of_life', {
            component: { type: 'php', slug: 'php', name: 'PHP', version: php_version },
            evidence: [`PHP ${php_version}; its support ended on ${php}.`],
          }),
        ]),
    ...(database === undefined
      ? []
      : [
          finding('database_end_of_life', {
            component: { type: 'database', slug: db.engine, name, version: db.version },
            evidence: [`${name} ${db.version}; its support ended on ${database}.`],
          }),
        ]),
  ]
}

type Admin = Facts['admins'][number]

const component = ({ id, login }: Admin) => ({ type: 'user', slug: String(id), name: login, version: null }) as const
const since = ({ registered }: Admin) => (registered === 0 ? 'at an unknown time' : new Date(registered * 1000).toISOString())

function accounts({ admins, registration }: Facts, strangers: ReadonlySet<number>): NewFinding[] {
  const named = admins.find(({ login }) => login.toLowerCase() === 'admin')
  const first = admins.find(({ id }) => id === 1)
  const opened = registration.open && registration.admin
  return [
    ...(named ? [finding('admin_user', { component: component(named), evidence: [`User ${named.id}, login ${named.login}.`] })] : []),
    ...(first ? [finding('user_id_1', { component: component(first), evidence: [`User 1, login ${first.login}.`] })] : []),
    ...admins
      .filter(({ id }) => strangers.has(id))
      .map((admin) =>
        finding('new_admin', {
          key: `user:${admin.id}`,
          component: component(admin),
          evidence: [`User ${admin.id}, login ${admin.login}, registered ${since(admin)}.`],
        }),
      ),
    ...(opened
      ? [finding('admin_registration', { evidence: [`Anybody can register; new users get the role ${registration.role}.`] })]
      : []),
  ]
}

function salts({ salts }: Facts): NewFinding[] {
  const weak = salts.filter(({ state }) => state !== 'good' && state !== 'database')
  const inDatabase = salts.filter(({ state }) => state === 'database')
  const lines = [...weak, ...inDatabase].map(({ name, state }) => `${name}: ${state === 'database' ? 'kept in the database' : state}`)
  if (weak.length > 0) return [finding('salts', { evidence: lines })]
  // Made by WordPress itself, so good, but whoever can read the database can forge cookies.
  return inDatabase.length > 0 ? [finding('salts', { severity: 'low', evidence: lines })] : []
}

function cron({ cron: { disabled, overdue_s } }: Facts): NewFinding[] {
  if (overdue_s <= (disabled ? overdueS.disabled : overdueS.usual)) return []
  const why = disabled ? 'DISABLE_WP_CRON is set, and nothing else calls wp-cron.php.' : 'WP-Cron does not get round to it.'
  return [finding('cron', { evidence: [`The oldest waiting task is ${Math.floor(overdue_s / hourS)} hours overdue. ${why}`] })]
}

function applicationPasswords({ application_passwords: { available, users } }: Facts): NewFinding[] {
  if (!available) return []
  const evidence = [users === 0 ? 'They are on, and nobody has one.' : `They are on; users who have some: ${users}.`]
  return [finding('application_passwords', { evidence })]
}
