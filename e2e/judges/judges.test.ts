import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tokens as estimated, type Tool } from '../../server/src/projections/mcp-tools.ts'
import { bridge, type Client, officials, overHttp, overStdio } from './clients.ts'
import { type Service, startService } from './service.ts'

const { JUDGED_URL, JUDGED_READ_TOKEN, JUDGED_WRITE_TOKEN } = process.env

let service: Service
let folder: string

/** A service that runs already may be named in the environment; it needs the conformance suite's tools. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'judges-out-'))
  service =
    JUDGED_URL && JUDGED_READ_TOKEN && JUDGED_WRITE_TOKEN
      ? { url: JUDGED_URL, readToken: JUDGED_READ_TOKEN, writeToken: JUDGED_WRITE_TOKEN, stop: async () => {} }
      : await startService()
})

after(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const conformance = here('node_modules/@modelcontextprotocol/conformance/dist/index.js')
const inspector = here('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')

interface Ended {
  code: number
  stdout: string
  stderr: string
}

function node(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 32 * 1024 * 1024, env: { ...process.env, HOME: folder, ...env } }
    execFile(process.execPath, args, options, (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }))
  })
}

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`conformance ${revision}: only what we do not have is missing`, async () => {
    const baseline = here(`conformance-${revision}.yml`)
    const args = [
      conformance,
      'server',
      '--url',
      `${service.url}/api/mcp`,
      '--requirements',
      revision,
      '--expected-failures',
      baseline,
      '-o',
      join(folder, revision),
    ]
    const { code, stdout, stderr } = await node(['--import', import.meta.resolve('./preload.mjs'), ...args], {
      SERVICE_TOKEN: service.readToken,
    })
    assert.equal(code, 0, stdout.slice(-4000) + stderr)
    assert.match(stdout, /Baseline check passed/)
  })

for (const era of ['legacy', 'modern', 'auto'])
  for (const door of ['http', 'stdio'])
    test(`inspector, ${door}, ${era}: the tools are portable and one of them answers`, async () => {
      const target =
        door === 'http'
          ? ['--server-url', `${service.url}/api/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${service.readToken}`]
          : [process.execPath, bridge, '-e', `SERVICE_URL=${service.url}`, '-e', `SERVICE_TOKEN=${service.readToken}`]
      const inspect = (...more: string[]) => node([inspector, '--cli', ...target, '--protocol-era', era, '--format', 'json', ...more])

      const list = await inspect('--method', 'tools/list', '--strict')
      assert.equal(list.code, 0, list.stderr)
      assert.doesNotMatch(list.stderr, /Warning:|Error:/)
      assert.ok(JSON.parse(list.stdout).result.tools.length > 3)

      const call = await inspect('--method', 'tools/call', '--tool-name', 'list_sites')
      assert.equal(call.code, 0, call.stderr)
      assert.deepEqual(JSON.parse(call.stdout).result.structuredContent.sites.length >= 0, true)
    })

for (const official of officials)
  for (const [door, connect] of [
    ['http', overHttp],
    ['stdio', overStdio],
  ] as const)
    test(`${official.name}, ${door}: lists, reads, is refused a write, and stays connected`, async () => {
      const client = await connect(official, service.url, service.readToken)
      try {
        await readsAndIsRefused(client)
      } finally {
        await client.close()
      }
    })

async function readsAndIsRefused(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  assert.ok(names.includes('list_sites') && names.includes('create_backup'), names.join(' '))

  const list = () => client.callTool({ name: 'list_sites', arguments: {} })
  const read = await list()
  assert.ok(!read.isError, read.content[0]?.text)
  assert.ok(Array.isArray(JSON.parse(read.content[0]?.text ?? '').sites))

  const refused = await client.callTool({ name: 'create_backup', arguments: { site_id: 'site_00000000000000000000000000' } })
  assert.equal(refused.isError, true)
  assert.equal(JSON.parse(refused.content[0]?.text ?? '').code, 'insufficient_scope')

  const wrong = await client.callTool({ name: 'list_sites', arguments: { limt: 3 } })
  assert.equal(JSON.parse(wrong.content[0]?.text ?? '').code, 'invalid_payload')
  assert.ok(!(await list()).isError)
}

test('a write token is let through to the site that is not there', async () => {
  const [official] = officials
  assert.ok(official)
  const client = await overHttp(official, service.url, service.writeToken)
  const result = await client.callTool({ name: 'create_backup', arguments: { site_id: 'site_00000000000000000000000000' } })
  assert.equal(JSON.parse(result.content[0]?.text ?? '').code, 'not_found')
  await client.close()
})

for (const official of officials)
  test(`${official.name}: a wrong token cannot connect`, async () => {
    await assert.rejects(overHttp(official, service.url, 'svc_wrong'), (error: Error & { code?: number; data?: { status: number } }) =>
      /\b401\b/.test(`${error.code} ${error.data?.status} ${error.message}`),
    )
  })

/** What the largest tool took when there were fifteen. */
const largest = 327
/** Those, and with them the others of the specification. */
const fifteen = [
  ...['list_sites', 'get_site', 'list_backups', 'create_backup', 'restore_backup', 'update_site', 'site_login_url', 'get_activity'],
  ...['log_activity', 'get_inventory', 'get_security', 'list_site_tweaks', 'apply_security_fix', 'get_job', 'list_jobs'],
]
const nineteen = [...fifteen, 'get_performance', 'get_uptime', 'get_errors', 'get_broken_links']

// Of this folder's own packages, which types are checked without.
const tokenizer: string = 'js-tiktoken'

test('the list of tools in the tokens of o200k_base: what mcp-tools.test.ts estimates is never less, and within its bars', async () => {
  const { getEncoding } = (await import(tokenizer)) as { getEncoding(name: string): { encode(text: string): number[] } }
  const encoding = getEncoding('o200k_base')
  const list = JSON.parse(await readFile(here('../../contract/tools.json'), 'utf8')) as Tool[]
  const count = (value: unknown) => encoding.encode(JSON.stringify(value)).length
  for (const tool of list) {
    assert.ok(count(tool) <= largest, `${tool.name} takes ${count(tool)} tokens`)
    assert.ok(estimated(tool) >= count(tool), `${tool.name} takes more than was estimated`)
  }
  for (const [names, most] of [
    [fifteen, 3845],
    [nineteen, 5200],
    [list.map(({ name }) => name), 7000],
  ] as const) {
    const those = list.filter(({ name }) => names.includes(name))
    assert.equal(those.length, names.length)
    assert.ok(count(those) <= most, `${those.length} tools take ${count(those)} tokens`)
    console.log(`# ${those.length} tools take ${count(those)} tokens`)
  }
})
