import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Budget, type Budgets, budgets } from './kernel/budget.ts'

export type Role = 'all' | 'serve' | 'work'

/** Everything the operator may set; read once, at the start. */
export interface Config {
  host: string
  port: number
  /** What links and instructions begin with; no trailing slash. */
  baseUrl: string
  dataDir: string
  /** Absent: embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined
  /** Absent: `dataDir`/objects. */
  storageUrl: string | undefined
  masterKeyFile: string
  /** Where databases of backups are imported to see whether they can be; absent: nowhere. */
  scratchMysqlUrl: string | undefined
  allowPrivateSites: boolean
  /** Where checksums and the directory of plugins are asked: '' WordPress.org itself, `off`, or the address of a stand-in. */
  wordpressOrg: string
  /** Whether every site's security is checked once a day; checks that are asked for are always made. */
  securityChecks: 'daily' | 'off'
  /** Whether it is watched that sites answer. */
  uptimeChecks: 'on' | 'off'
  /** Whether every site's links are looked at once a week; scans that are asked for are always made. */
  linkChecks: 'weekly' | 'off'
  /** Whether every site is measured once a day; what is asked for is always done. */
  performanceProbes: 'daily' | 'off'
  /** Whether a browser looks at every site once a week, where there is one and Lighthouse; what is asked for is always done. */
  labRuns: 'weekly' | 'off'
  /** Whether sites are asked for their PHP errors; when somebody asks they always are. */
  errorCollection: 'on' | 'off'
  /** Who takes mail from us, smtp: or smtps:, with user and password; absent: nobody. */
  smtpUrl: string | undefined
  mailFrom: string
  /** Whom mails with reports come back to, each with a +word of its own; absent: to whom they are from. */
  mailBounces: string | undefined
  /** The browser that prints reports; absent: people print them with theirs. */
  /** Names under which private links to reports are answered, and nothing else. */
  reportHosts: readonly string[]
  chromium: string | undefined
  /** Whether that browser shuts itself in; off only where the system does not let it. */
  chromiumSandbox: 'on' | 'off'
  /** What is asked to know whether this machine reaches anybody, when a site does not answer; absent: nothing. */
  egressProbe: string | undefined
  /** Who makes further workspaces: owners in the dashboard, or the operator alone. */
  newWorkspaces: 'owners' | 'operator'
  role: Role
  testFixtures: boolean
  logLevel: string
  /** Calls a token may make in a minute, and in how short a burst. */
  callsPerMinute: number
  /** What all tokens of a workspace together may use up in an hour. */
  budgets: Budgets
  /** How long an answer that tokens get from a site itself is given to others as well; 0: not at all. */
  liveLookSeconds: number
  /** Where what is known to be vulnerable is read from; none: nowhere. */
  vulnerabilityFeed: { sources: readonly FeedAddress[]; header: { name: string; value: string } | undefined }
}

export interface FeedAddress {
  kind: 'url' | 'file'
  /** Secret where it is a URL: its query may be a key. */
  address: string
}

export class ConfigError extends Error {}

/** The only reader of the environment. Throws ConfigError with a sentence for the operator. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const known = new Set<string>()
  const config = configOf(new Proxy(env, { get: (all, name: string) => (known.add(name), all[name]) }))
  mustBeKnown(Object.keys(env), known)
  return config
}

/** A setting that is misspelled would be passed over. */
function mustBeKnown(names: readonly string[], known: ReadonlySet<string>): void {
  const ours = (name: string) => name.startsWith('SERVICE_') && !othersRead.test(name)
  const wrong = names.find((name) => ours(name) && !known.has(name))
  if (wrong === undefined) return
  const all = [...known].filter((name) => name.startsWith('SERVICE_')).sort()
  throw new ConfigError(`There is no setting ${wrong}. There is: ${all.join(', ')}; docs/operating.md says what each does.`)
}

/** What the clients and the tests read. */
const othersRead = /^[A-Z]+_(TOKEN|URL|TEST_\w+|KILL_\w+)$/

function configOf(env: NodeJS.ProcessEnv): Config {
  const host = env.SERVICE_HOST ?? '127.0.0.1'
  const port = integer(env, 'SERVICE_PORT', { usual: 8080, min: 0, max: 65_535 })
  const dataDir = resolve(env.SERVICE_DATA_DIR ?? 'data')
  return Object.freeze({
    host,
    port,
    baseUrl: baseUrl(env.SERVICE_BASE_URL ?? `http://${inLinks(host)}:${port}`),
    dataDir,
    databaseUrl: env.DATABASE_URL || undefined,
    storageUrl: env.SERVICE_STORAGE_URL || undefined,
    masterKeyFile: resolve(env.SERVICE_MASTER_KEY_FILE ?? resolve(dataDir, 'master.key')),
    scratchMysqlUrl: mysqlUrl(env.SERVICE_SCRATCH_MYSQL_URL || undefined),
    allowPrivateSites: flag(env, 'SERVICE_ALLOW_PRIVATE_SITES'),
    securityChecks: oneOf(env, 'SERVICE_SECURITY_CHECKS', ['daily', 'off'], 'daily'),
    wordpressOrg: standIn(env.SERVICE_WORDPRESS_ORG ?? ''),
    uptimeChecks: oneOf(env, 'SERVICE_UPTIME_CHECKS', ['on', 'off'], 'on'),
    linkChecks: oneOf(env, 'SERVICE_LINK_CHECKS', ['weekly', 'off'], 'weekly'),
    performanceProbes: oneOf(env, 'SERVICE_PERFORMANCE_PROBES', ['daily', 'off'], 'daily'),
    labRuns: oneOf(env, 'SERVICE_LAB_RUNS', ['weekly', 'off'], 'weekly'),
    errorCollection: oneOf(env, 'SERVICE_ERROR_COLLECTION', ['on', 'off'], 'on'),
    smtpUrl: smtpUrl(env.SERVICE_SMTP_URL || undefined),
    mailFrom: mailFrom(env.SERVICE_MAIL_FROM || 'service@localhost'),
    mailBounces: mailBounces(env.SERVICE_MAIL_BOUNCES || undefined),
    reportHosts: reportHosts(env.SERVICE_REPORT_HOSTS ?? ''),
    chromium: env.SERVICE_CHROMIUM ? resolve(env.SERVICE_CHROMIUM) : undefined,
    chromiumSandbox: oneOf(env, 'SERVICE_CHROMIUM_SANDBOX', ['on', 'off'], 'on'),
    egressProbe: egressProbe(env.SERVICE_EGRESS_PROBE || undefined),
    newWorkspaces: oneOf(env, 'SERVICE_NEW_WORKSPACES', ['owners', 'operator'], 'owners'),
    role: oneOf(env, 'SERVICE_ROLE', ['all', 'serve', 'work'], 'all'),
    testFixtures: flag(env, 'SERVICE_TEST_FIXTURES'),
    logLevel: oneOf(env, 'SERVICE_LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent'], 'info'),
    callsPerMinute: integer(env, 'SERVICE_CALLS_PER_MINUTE', { usual: 60_000, min: 1, max: 10_000_000 }),
    budgets: hourly(env),
    liveLookSeconds: integer(env, 'SERVICE_LIVE_LOOK_SECONDS', { usual: 60, min: 0, max: 3600 }),
    vulnerabilityFeed: feed(env),
  })
}

function hourly(env: NodeJS.ProcessEnv): Budgets {
  const most = Object.entries(budgets).map(([budget, { setting, usual }]) => [
    budget,
    integer(env, setting, { usual, min: 0, max: 10_000 }),
  ])
  return Object.freeze(Object.fromEntries(most) as Record<Budget, number>)
}

/** Neither the addresses nor the header are repeated in a message: both may hold a key. */
function feed(env: NodeJS.ProcessEnv): Config['vulnerabilityFeed'] {
  const addresses = (env.SERVICE_VULNERABILITY_FEED ?? '').split(/\s+/).filter(Boolean)
  const sources = [...new Set(addresses)].map(feedAddress)
  const [, name, value] =
    /^([A-Za-z0-9-]{1,60}):\s*([\x21-\x7e][\x20-\x7e]{0,2000})$/.exec(env.SERVICE_VULNERABILITY_FEED_HEADER?.trim() ?? '') ?? []
  if (name === undefined || value === undefined) {
    if (!env.SERVICE_VULNERABILITY_FEED_HEADER) return { sources, header: undefined }
    throw new ConfigError('SERVICE_VULNERABILITY_FEED_HEADER must be a whole header, like "Authorization: Bearer KEY".')
  }
  const hosts = new Set(sources.filter(({ kind }) => kind === 'url').map(({ address }) => new URL(address).origin))
  if (hosts.size > 1)
    throw new ConfigError('SERVICE_VULNERABILITY_FEED_HEADER would go to several hosts: name only one in SERVICE_VULNERABILITY_FEED.')
  return { sources, header: { name, value } }
}

function feedAddress(text: string): FeedAddress {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return { kind: 'url', address: text }
  if (url?.protocol === 'file:') return { kind: 'file', address: fileURLToPath(url) }
  if (/^\.{0,2}\//.test(text)) return { kind: 'file', address: resolve(text) }
  throw new ConfigError(
    'SERVICE_VULNERABILITY_FEED must hold https addresses without a password, or paths that begin with /, separated by spaces.',
  )
}

/** Every address of the machine is none that a link can lead to. */
const inLinks = (host: string) => (/^(?:0\.0\.0\.0|[0:]+)$/.test(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host)

function baseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new ConfigError(`SERVICE_BASE_URL must be an http or https address, not "${text}".`)
  return text.replace(/\/+$/, '')
}

function standIn(text: string): string {
  if (text === '' || text === 'off' || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) return text.replace(/\/+$/, '')
  throw new ConfigError(`SERVICE_WORDPRESS_ORG must be off, or an http or https address, not "${text}".`)
}

function egressProbe(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) return text
  throw new ConfigError(`SERVICE_EGRESS_PROBE must be an http or https address, not "${text}".`)
}

/** It holds a password, so it is not repeated. */
function smtpUrl(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol))) return text
  throw new ConfigError('SERVICE_SMTP_URL must look like smtps://user:password@host or smtp://host:587.')
}

function mailFrom(text: string): string {
  if (/^[^\p{Cc}]{1,200}$/u.test(text) && /^[^@\s]+@[^@\s]+$/.test(/<([^<>]+)>$/.exec(text)?.[1] ?? text)) return text
  throw new ConfigError('SERVICE_MAIL_FROM must be an address, like fleet@example.com or Fleet <fleet@example.com>.')
}

/** A +word of 33 is put into it, and before the @ there is room for 64. */
function mailBounces(text: string | undefined): string | undefined {
  if (text === undefined || /^[\w.-]{1,31}@[a-z0-9.-]{1,200}$/i.test(text)) return text
  throw new ConfigError(
    'SERVICE_MAIL_BOUNCES must be an address like bounces@example.com, with at most 31 letters before the @ and no + in it.',
  )
}

function reportHosts(text: string): readonly string[] {
  const hosts = text.split(/\s+/).filter(Boolean)
  if (hosts.every((host) => /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(host))) return hosts
  throw new ConfigError('SERVICE_REPORT_HOSTS must hold names like reports.example.com, in small letters, separated by spaces.')
}

function mysqlUrl(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^(mysql|mariadb):$/.test(new URL(text).protocol))) return text
  throw new ConfigError('SERVICE_SCRATCH_MYSQL_URL must look like mysql://user:password@host:3306 or mysql://user@localhost/?socket=/path.')
}

function integer(env: NodeJS.ProcessEnv, name: string, { usual, min, max }: { usual: number; min: number; max: number }): number {
  const text = env[name]
  if (text === undefined || text === '') return usual
  const value = Number(text)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`)
}

function flag(env: NodeJS.ProcessEnv, name: string): boolean {
  return oneOf(env, name, ['true', 'false', '1', '0', ''], '').match(/^(true|1)$/) !== null
}

function oneOf<Value extends string>(env: NodeJS.ProcessEnv, name: string, values: readonly Value[], usual: Value): Value {
  const text = env[name] ?? usual
  const value = values.find((candidate) => candidate === text)
  if (value !== undefined) return value
  throw new ConfigError(`${name} must be one of ${values.filter(Boolean).join(', ')}, not "${text}".`)
}
