import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** A whole capability: an operation, a job, a duty of each minute, a line in each site, rows that are let go. */
const files: Record<string, string> = {
  'server/migrations/9000_greetings.sql': `CREATE TABLE greetings (
  workspace_id text NOT NULL,
  site_id      text NOT NULL,
  id           text NOT NULL,
  said_at      timestamptz NOT NULL,
  heard        boolean NOT NULL DEFAULT false,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id, site_id) REFERENCES sites ON DELETE CASCADE
);
CREATE TRIGGER greetings_updated AFTER UPDATE ON greetings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
CREATE TRIGGER greetings_deleted AFTER DELETE ON greetings REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION announce_sites();
`,
  'server/src/greetings/operations.ts': `import { z } from 'zod'
import { JobStarted } from '../jobs/schema.ts'
import { startJob } from '../jobs/service.ts'
import { SiteId } from '../sites/schema.ts'
import { siteOperation } from '../sites/site-operation.ts'
import { greet } from './jobs.ts'

export const send = siteOperation({
  name: 'greetings.send',
  tool: 'greet_site',
  http: 'POST /sites/{site_id}/greetings',
  title: 'Greet a site',
  summary: 'Say hello to one site, which hears of it within a minute or two.',
  scope: 'write',
  effect: 'create',
  status: 202,
  input: z.strictObject({ site_id: SiteId }),
  output: JobStarted,
  example: { site_id: 'example.com' },
  handle: (context) => startJob(context, greet, context.site.id, {}),
})
`,
  'server/src/greetings/jobs.ts': `import type { JobKind } from '../kernel/job.ts'
import type { World } from '../world.ts'
import { insertGreeting } from './store.ts'

export const greet: JobKind<World> = {
  type: 'greet',
  retries: 0,
  changesSite: false,
  async work(world, job) {
    await insertGreeting({ ...world, workspaceId: job.workspaceId }, job.siteId, job.id)
    return {}
  },
  summarize: () => ({ outcome: 'done', summary: 'Said hello.' }),
}
`,
  'server/src/greetings/store.ts': `import { sql } from 'kysely'
import type { Here } from '../world.ts'

export const minuteMs = 60_000

export async function insertGreeting({ db, workspaceId, now }: Here, siteId: string | null, id: string): Promise<void> {
  await sql\`INSERT INTO greetings (workspace_id, site_id, id, said_at) VALUES (\${workspaceId}, \${siteId}, \${id}, \${now()})
    ON CONFLICT DO NOTHING\`.execute(db)
}

export async function hear({ db, workspaceId, now }: Here, siteId: string): Promise<void> {
  await sql\`UPDATE greetings SET heard = true WHERE workspace_id = \${workspaceId} AND site_id = \${siteId}
    AND said_at <= \${new Date(now().getTime() - minuteMs)}\`.execute(db)
}
`,
  'server/src/greetings/capability.ts': `import { sql } from 'kysely'
import { z } from 'zod'
import type { Capability } from '../kernel/capability.ts'
import type { Here, World } from '../world.ts'
import { greet } from './jobs.ts'
import { send } from './operations.ts'
import { hear, minuteMs } from './store.ts'

const soon = async (here: Here) => new Date(here.now().getTime() + minuteMs)

export const capability: Capability<World> = {
  operations: [send],
  jobs: [greet],
  duties: [{ name: 'greetings', ofSite: { first: soon, run: (here, siteId) => hear(here, siteId).then(() => soon(here)) } }],
  summary: {
    greetings: {
      shape: z.int().describe('Greetings it has heard.'),
      brief: true,
      sql: sql\`(SELECT count(*) FROM greetings g WHERE (g.workspace_id, g.site_id) = (s.workspace_id, s.id) AND g.heard)\`,
    },
  },
  retention: [{ table: 'greetings', at: 'said_at', days: 30 }],
}
`,
  'server/src/greetings/greetings.test.ts': `import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { runDue } from '../../test/due.ts'
import { agentOf } from '../../test/mcp-agent.ts'
import { aWorld } from '../../test/world.ts'
import { contractFiles } from '../write-contract.ts'

const dayMs = 86_400_000

test('every face shows it, its job and its duty run, its line is in the site, and its rows are let go', async () => {
  const here = await aWorld()
  const { id } = await here.site()
  const { token } = await here.token('write')
  const heard = async () => (await here.call('sites.get', { site_id: id })).greetings
  const told = await here.rest('POST', \`/api/v1/sites/\${id}/greetings\`, { token, body: {} })
  assert.equal(told.status, 202)
  const job = await here.job(String((told.json as unknown as { job_id: string }).job_id))
  assert.deepEqual([job.type, job.status, await heard()], ['greet', 'completed', 0])
  await runDue(here.world)
  assert.equal(await heard(), 0, 'a minute has not passed')
  here.clock.add(60_000)
  await runDue(here.world)
  assert.equal(await heard(), 1)
  here.clock.add(31 * dayMs)
  await runDue(here.world)
  // The row's own trigger tells of it, a moment later.
  while ((await heard()) !== 0) await sleep(10)
  const { 'operations.json': manifest = '', 'openapi.json': openapi = '', 'tools.json': tools = '', 'types.ts': types = '' } = await contractFiles()
  assert.match(manifest, /"name": "greetings.send"/)
  assert.match(openapi, /"\\/sites\\/\\{site_id\\}\\/greetings"/)
  assert.match(tools, /"name": "greet_site"/)
  assert.match(types, /greetings: number/)
  assert.match(tools, /"greetings": \\{/, 'agents are shown its line')
  const docs = await here.rest('GET', '/docs/greetings')
  assert.match(docs.text, /Greet a site/)
  const called = await agentOf(here, token).call('greet_site', { site_id: id })
  assert.equal((await here.job(String(called.structuredContent?.job_id))).type, 'greet', 'an agent can have it done')
  const root = join(import.meta.dirname, '../../..')
  await writeFile(join(root, 'contract/operations.json'), manifest)
  const env = { PATH: process.env.PATH, SERVICE_URL: here.url, SERVICE_TOKEN: token }
  const typed = await promisify(execFile)(process.execPath, [join(root, 'cli/src/main.ts'), 'greetings', 'send', id, '--json'], { env })
  assert.equal((await here.job(String(JSON.parse(typed.stdout).job_id))).type, 'greet', 'and so can who types it')
  await here.close()
})
`,
}
/** Its line in capabilities.ts, beside its folder and its migration. */
const inContents = (text: string) => text.replace(/(const names = \[[^\]]*)\]/, "$1  'greetings',\n]")

test('a new capability is its folder, one line of capabilities.ts and one migration, and it is everywhere', { timeout: 600_000 }, () => {
  const copy = mkdtempSync(join(os.tmpdir(), 'svc-greetings-'))
  try {
    for (const folder of [
      'server',
      'contract',
      'connector',
      'cli',
      'mcp',
      'dashboard',
      'demo',
      'bench',
      'e2e',
      'tools',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      '.npmrc',
    ])
      cpSync(join(root, folder), join(copy, folder), { recursive: true, filter: (path) => !/(node_modules|\.cache)$/.test(path) })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      writeFileSync(join(copy, file), text)
    }
    const contents = join(copy, 'server/src/capabilities.ts')
    const before = readFileSync(contents, 'utf8')
    writeFileSync(contents, inContents(before))
    assert.equal(readFileSync(contents, 'utf8').split('\n').length, before.split('\n').length + 1)
    const tests = ['server/src/greetings/greetings.test.ts', 'server/architecture.test.ts', 'server/tenancy.test.ts']
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const options = [
      ...['--test', '--test-force-exit', '--test-reporter=dot', '--disable-warning=ExperimentalWarning'],
      // In one process, which imports the service once, and without what reads every function of the repository.
      ...['--test-isolation=none', '--test-skip-pattern=functions take at most four parameters'],
    ]
    const ran = spawnSync(process.execPath, [...options, ...tests], { cwd: copy, env, encoding: 'utf8' })
    assert.equal(ran.status, 0, ran.stdout + ran.stderr)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
})
