import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { operations } from '../src/capabilities.ts'
import { readConfig } from '../src/config.ts'
import { plain } from '../src/kernel/cached-answer.ts'
import type { Call, Caller } from '../src/kernel/context.ts'
import { newId } from '../src/kernel/ids.ts'
import type { Scope } from '../src/kernel/operation.ts'
import { run } from '../src/kernel/run.ts'
import { createLog } from '../src/platform/log.ts'
import type { DatabaseAddress } from '../src/platform/open-database.ts'
import { openService, type Parts, type Service } from '../src/service.ts'
import { createWorkspace } from '../src/workspaces/service.ts'
import type { World } from '../src/world.ts'
import { aDatabase, type TestDatabase } from './database.ts'
import { type RunningFakeSite, startFakeSite } from './fake-site.ts'
import { until } from './until.ts'

/** A whole service for a test: the real database, the real queue, a clock that can be moved, a workspace and someone to call it. */
export interface TestWorld {
  service: Service
  world: World
  /** Listens on `url`. */
  server: FastifyInstance
  url: string
  workspaceId: string
  dataDir: string
  /** Of the test's own database. */
  address: DatabaseAddress
  logs: string[]
  /** Time passes, here and on the sites. */
  clock: { add(ms: number): void }
  caller(over?: Partial<Caller>): Caller
  /** Runs an operation through the door and answers its output. */
  call(name: string, input?: object, over?: Partial<Call>): Promise<Record<string, unknown>>
  /** Makes a token and returns its secret and id. */
  token(
    scope?: 'read' | 'write',
    options?: { approval_only?: boolean; workspaceId?: string; expires_at?: string },
  ): Promise<{ token: string; id: string }>
  workspace(name: string): Promise<string>
  /** A fake site, paired and connected. */
  site(workspaceId?: string, name?: string): Promise<{ id: string; fake: RunningFakeSite }>
  /** The site ends its connection, and the service has seen that it is so. */
  disconnect(site: { id: string; fake: RunningFakeSite }): Promise<void>
  /** Waits until the job has ended. */
  job(id: string, workspaceId?: string): Promise<Record<string, unknown>>
  /** Waits until the record of all calls made so far is written. */
  audited(): Promise<void>
  rest(method: string, path: string, options?: { token?: string; body?: unknown; headers?: Record<string, string> }): Promise<RestAnswer>
  close(): Promise<void>
}

export interface RestAnswer {
  status: number
  headers: Headers
  text: string
  // Tests look into answers freely; what they find is asserted.
  json: Record<string, never> & never[]
}

/** What a test has done when it wants: jobs that it planted are stray for the sweep, and a notice that is gathered in between is told alone. */
export const byHand = { turnsEveryMs: 86_400_000, withoutDuties: ['stray jobs', 'notices', 'notifications', 'deleted workspaces'] }

const every: ReadonlySet<Scope> = new Set(['read', 'write', 'manage'])

/** Of nodes whose heartbeat may be late on a busy machine, where it is not what is tried: a late one is told to whoever follows changes. */
export const patient = { renew: 700, fresh: 60_000, lease: 120_000, reconnect: 250 }

export async function aWorld(
  env: Record<string, string> = {},
  given?: Pick<TestDatabase, 'address' | 'drop'>,
  { withoutDuties: more = [], ...parts }: Pick<Parts, 'resolve' | 'signalTimes' | 'withoutDuties'> = {},
): Promise<TestWorld> {
  const database = given ?? (await aDatabase())
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
  const logs: string[] = []
  const settings = {
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: dataDir,
    SERVICE_ALLOW_PRIVATE_SITES: 'true',
    SERVICE_WORDPRESS_ORG: 'off',
    SERVICE_UPTIME_CHECKS: 'off',
    SERVICE_PERFORMANCE_PROBES: 'off',
    SERVICE_LAB_RUNS: 'off',
    SERVICE_LINK_CHECKS: 'off',
    SERVICE_ERROR_COLLECTION: 'off',
    ...env,
  }
  const config = { ...readConfig(settings), port: 0 }
  let shiftMs = 0
  const now = () => new Date(Date.now() + shiftMs)
  const log = createLog({ level: 'info', to: { write: (line) => void logs.push(line) } })
  // A feed that a test reads by itself is in no setting, so it would be forgotten.
  const withoutDuties = [...byHand.withoutDuties, ...more, ...(config.vulnerabilityFeed.sources.length === 0 ? ['feed'] : [])]
  const service = await openService({ config, log, address: database.address, now, ...byHand, withoutDuties, ...parts })
  const { server, world } = service
  if (!server) throw new Error('A test world serves.')
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const workspace = async (name: string) => {
    const { id } = await createWorkspace(world, name)
    await askForAll(world, id)
    return id
  }
  const workspaceId = await workspace('Test')
  const fakes: RunningFakeSite[] = []

  const caller = (over: Partial<Caller> = {}): Caller => ({
    type: 'user',
    id: 'user_test',
    name: 'Tess',
    workspaceId,
    scopes: every,
    approvalOnly: false,
    ...over,
  })
  const call: TestWorld['call'] = async (name, input = {}, over = {}) => {
    const operation = operations.find((candidate) => candidate.name === name)
    if (!operation) throw new Error(`There is no operation ${name}.`)
    const { output } = await run(world, operation, { caller: caller(), face: 'api', requestId: newId('req', now()), ...over }, input)
    return plain(output) as Record<string, unknown>
  }
  const rest: TestWorld['rest'] = async (method, at, { token, body, headers = {} } = {}) => {
    const response = await fetch(url + at, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: (isJson && text !== '' ? JSON.parse(text) : {}) as RestAnswer['json'],
    }
  }
  const job: TestWorld['job'] = (id, of = workspaceId) =>
    until(async () => {
      const found = await call('jobs.get', { job_id: id, wait_seconds: 1 }, { caller: caller({ workspaceId: of }) })
      return ['completed', 'failed', 'canceled'].includes(String(found.status)) && found
    }, 300)
  return {
    service,
    world,
    server,
    url,
    workspaceId,
    dataDir,
    address: database.address,
    logs,
    caller,
    call,
    rest,
    job,
    workspace,
    clock: {
      add(ms) {
        shiftMs += ms
      },
    },
    async token(scope = 'write', { workspaceId: of = workspaceId, ...options } = {}) {
      const made = await call('tokens.create', { name: 'test', scope, ...options }, { caller: caller({ workspaceId: of }) })
      return { token: String(made.token), id: String(made.id) }
    },
    async site(of = workspaceId, name) {
      const code = await call('pairing.create_code', {}, { caller: caller({ workspaceId: of }) })
      const fake = await startFakeSite({ now })
      fakes.push(fake)
      fake.state.name = name ?? fake.state.name
      const { siteId } = await fake.enrol(url, String(code.code))
      const { jobs } = (await call('jobs.list', { site_id: siteId, type: 'connect' }, { caller: caller({ workspaceId: of }) })) as {
        jobs: { id: string }[]
      }
      await job(jobs[0]?.id ?? '', of)
      return { id: siteId, fake }
    },
    async audited() {
      const requestId = newId('req', now())
      await call('jobs.list', {}, { requestId })
      await until(async () => (await sql`SELECT 1 FROM audit WHERE request_id = ${requestId}`.execute(world.db)).rows.length > 0)
    },
    async disconnect({ id, fake }) {
      await fake.leave(url)
      const { jobs } = (await call('jobs.list', { site_id: id, type: 'disconnect' })) as { jobs: { id: string }[] }
      await job(jobs[0]?.id ?? '')
    },
    async close() {
      await Promise.all(fakes.map((fake) => fake.stop()))
      await service.close()
      await database.drop()
      fs.rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Where a test says nothing else, an agent that needs approvals has nothing done without asking, as it was before there were policies. */
async function askForAll({ db }: Pick<World, 'db'>, workspaceId: string): Promise<void> {
  const rule = (effect: string) => ({ effect, jump: null, site_id: null, tag: null, decision: 'ask' })
  await sql`INSERT INTO approval_policies (workspace_id, version, rules, change, set_by, set_at) VALUES (${workspaceId}, 1,
    ${JSON.stringify([rule('backups'), rule('scans')])}::jsonb,
    ${JSON.stringify({ ...rule('backups'), before: null, after: 'ask', looser: false })}::jsonb,
    '{"type": "system", "id": "test", "name": "Test"}'::jsonb, now())`.execute(db)
}
