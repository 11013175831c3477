import { resolve } from 'node:path'

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
  role: Role
  testFixtures: boolean
  logLevel: string
  /** Calls a token may make in a minute, and in how short a burst. */
  callsPerMinute: number
}

export class ConfigError extends Error {}

/** The only reader of the environment. Throws ConfigError with a sentence for the operator. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const host = env.SERVICE_HOST ?? '127.0.0.1'
  const port = integer(env, 'SERVICE_PORT', 8080, 0, 65_535)
  const dataDir = resolve(env.SERVICE_DATA_DIR ?? 'data')
  return Object.freeze({
    host,
    port,
    baseUrl: baseUrl(env.SERVICE_BASE_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`),
    dataDir,
    databaseUrl: env.DATABASE_URL || undefined,
    storageUrl: env.SERVICE_STORAGE_URL || undefined,
    masterKeyFile: resolve(env.SERVICE_MASTER_KEY_FILE ?? resolve(dataDir, 'master.key')),
    scratchMysqlUrl: mysqlUrl(env.SERVICE_SCRATCH_MYSQL_URL || undefined),
    allowPrivateSites: flag(env, 'SERVICE_ALLOW_PRIVATE_SITES'),
    role: oneOf(env, 'SERVICE_ROLE', ['all', 'serve', 'work'], 'all'),
    testFixtures: flag(env, 'SERVICE_TEST_FIXTURES'),
    logLevel: oneOf(env, 'SERVICE_LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent'], 'info'),
    callsPerMinute: integer(env, 'SERVICE_CALLS_PER_MINUTE', 60_000, 1, 10_000_000),
  })
}

function baseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new ConfigError(`SERVICE_BASE_URL must be an http or https address, not "${text}".`)
  return text.replace(/\/+$/, '')
}

function mysqlUrl(text: string | undefined): string | undefined {
  if (text === undefined || (URL.canParse(text) && /^(mysql|mariadb):$/.test(new URL(text).protocol))) return text
  throw new ConfigError('SERVICE_SCRATCH_MYSQL_URL must look like mysql://user:password@host:3306 or mysql://user@localhost/?socket=/path.')
}

function integer(env: NodeJS.ProcessEnv, name: string, usual: number, min: number, max: number): number {
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
