import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Agent, agentOf, type ToolResult } from '../../test/mcp-agent.ts'
import { inherited } from '../../test/service-process.ts'
import { stateOf } from '../../test/state-of.ts'
import { aWorld, type TestWorld } from '../../test/world.ts'
import { quiet, writeCases } from '../../test/write-cases.ts'
import { operations } from '../capabilities.ts'
import { type AnyOperation, mayWait } from '../kernel/operation.ts'
import { splitPath } from '../projections/command.ts'
import { awaitingSchema } from '../projections/manifest.ts'

const root = path.join(import.meta.dirname, '../../..')
const waiting = operations.filter(mayWait)
const withTool = waiting.filter(({ tool }) => tool !== undefined)

/** Every change × every face, with a token that needs approvals: nothing happens, and one request more waits. */
describe('an approval-only token on each face', () => {
  let here: TestWorld
  let site: Awaited<ReturnType<TestWorld['site']>>
  let token: string
  let id: string
  before(async () => {
    here = await aWorld({ SERVICE_SECURITY_CHECKS: 'off', SERVICE_SMTP_URL: 'smtp://127.0.0.1:9' })
    site = await here.site()
  })
  after(() => here.close())

  const fresh = async () => {
    const made = await here.token('write', { approval_only: true })
    token = made.token
    id = made.id
  }
  const env = () => ({ ...inherited, SERVICE_URL: here.url, SERVICE_TOKEN: token })

  /** All of the database but what was seen when a plan was made, and what was done at the site. */
  const around = async () => [await stateOf(here.world, ['approvals', 'site_tweaks']), site.fake.state.effects.length].join('\n')

  /** Asks for it on a face, with a fresh token, and looks at what became of it. */
  async function asks(operation: AnyOperation, on: (input: Record<string, unknown>) => Promise<Record<string, unknown>>) {
    await fresh()
    const prepare = writeCases(here)[operation.name] ?? assert.fail(operation.name)
    const input = await prepare(site.id)
    await quiet(here)
    // What a look at the site brought is kept for a minute, for all tokens.
    await here.call('inventory.get', { site_id: site.id })
    const before = await around()
    const told = await on(input)
    assert.equal(told.status, 'awaiting_approval', JSON.stringify(told))
    assert.equal(await around(), before)
    const { approvals } = (await here.call('approvals.list', { by: id })) as { approvals: Record<string, unknown>[] }
    assert.deepEqual(
      approvals.map((each) => [each.id, each.status, each.operation]),
      [[told.approval_id, 'pending', operation.name]],
    )
    return { told, approval: approvals[0] ?? {} }
  }

  const isAwaiting = new Ajv2020({ formats: { 'date-time': true } }).compile(awaitingSchema())

  for (const operation of waiting)
    test(`${operation.name} over REST: 202, where it is, and why it was asked`, async () => {
      const { approval } = await asks(operation, async (input) => {
        const places = [operation.http].flat().map((http) => splitPath(http))
        const { method, path: at, fields } = places.find(({ fields }) => fields.every((field) => field in input)) ?? assert.fail('no path')
        const filled = at.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(input[field]))
        const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !fields.includes(name)))
        const body = method === 'post' ? { body: { ...(operation.action && { action: operation.action }), ...rest } } : {}
        const headers = { 'svc-why': encodeURIComponent('Weil es nötig ist') }
        const answer = await here.rest(method.toUpperCase(), `/api/v1${filled}`, { token, headers, ...body })
        assert.equal(answer.status, 202, answer.text)
        assert.ok(isAwaiting(answer.json), JSON.stringify(isAwaiting.errors))
        const location = answer.headers.get('location') ?? ''
        assert.equal(location, `/api/v1/approvals/${answer.json.approval_id}`)
        assert.equal((await here.rest('GET', location, { token })).status, 200)
        return answer.json
      })
      assert.deepEqual(approval.reason, { untrusted: true, text: 'Weil es nötig ist' })
      assert.equal(approval.via, 'api')
    })

  /** A result as any other: what its schema says, in both forms, and the id leads on by the tools there are. */
  async function calledBy(agent: Agent, operation: AnyOperation, input: Record<string, unknown>) {
    const tool = (await agent.tools()).find(({ name }) => name === operation.tool) ?? assert.fail(operation.tool)
    const { isError, structuredContent = {}, content } = await agent.call(tool.name, { ...input, why: 'Because' })
    assert.equal(isError, false, content[0]?.text)
    assert.deepEqual(JSON.parse(content[0]?.text ?? ''), structuredContent)
    const validate = new Ajv({ strict: false }).compile(tool.outputSchema)
    assert.ok(validate(structuredContent), `${tool.name}: ${JSON.stringify(validate.errors)}`)
    const { structuredContent: job } = await agent.call('get_job', { job_id: structuredContent.job_id })
    assert.deepEqual([job?.status, job?.type, job?.phase], ['awaiting_approval', 'approval', 'waits for approval'])
    return structuredContent
  }

  for (const operation of withTool) {
    test(`${operation.tool} over the hosted tools: a result like any other`, async () => {
      const { approval } = await asks(operation, (input) => calledBy(agentOf(here, token), operation, input))
      assert.deepEqual([approval.via, approval.reason], ['mcp', { untrusted: true, text: 'Because' }])
    })

    test(`${operation.tool} over stdio: the same`, async () => {
      await asks(operation, async (input) => {
        const { agent, close } = overStdio(env())
        try {
          return await calledBy(agent, operation, input)
        } finally {
          close()
        }
      })
    })

    test(`${operation.tool} by svc: the same, and exit code 0`, async () => {
      const { approval } = await asks(operation, async (input) => {
        const words = Object.entries(input).flatMap(([name, value]) =>
          [value].flat().map((each) => `--${name.replaceAll('_', '-')}=${each}`),
        )
        const { code, out, err } = await svc(
          [...operation.name.replaceAll('_', '-').split('.'), ...words, '--why', 'Grün', '--json'],
          env(),
        )
        assert.equal(code, 0, err)
        return JSON.parse(out)
      })
      assert.deepEqual(approval.reason, { untrusted: true, text: 'Grün' })
    })
  }

  test('svc says in words what waits and for whom, and follows, lists and takes back', async () => {
    await fresh()
    const { code, out } = await svc(['backups', 'create', site.id], env())
    assert.equal(code, 0)
    assert.match(out, /awaiting_approval[\s\S]*an owner or\s+admin decides/)
    const [approvalId = ''] = /apr_[0-9a-z]{26}/.exec(out) ?? []
    assert.match((await svc(['approvals', 'list', '--status', 'pending'], env())).out, new RegExp(`Start a backup.*${approvalId}`))
    assert.match((await svc(['approvals', 'get', approvalId], env())).out, /backups\.create/)
    let ended = false
    const waits = svc(['backups', 'create', site.id, '--wait'], env()).finally(() => {
      ended = true
    })
    assert.equal(JSON.parse((await svc(['approvals', 'cancel', approvalId, '--json'], env())).out).status, 'canceled')
    // Where it came too late to wait for that one, it asked anew and waits for another.
    for (; !ended; await sleep(50)) {
      const { approvals } = (await here.call('approvals.list', { by: id, status: 'pending' })) as unknown as { approvals: { id: string }[] }
      for (const { id: late } of approvals) await here.rest('POST', `/api/v1/approvals/${late}/cancel`, { token, body: {} })
    }
    const waited = await waits
    assert.notEqual(waited.code, 0, 'nobody approved it')
    assert.match((await svc(['approvals', 'approve', approvalId], env())).err, /approve/)
  })

  test('what only a person may do is refused on each face, whatever the token asks', async () => {
    await fresh()
    const before = await around()
    for (const operation of operations.filter(({ scope }) => scope === 'manage')) {
      const [http = ''] = [operation.http].flat()
      const { method, path: at } = splitPath(http as `GET /${string}`)
      const filled = at.replaceAll(/\{(\w+)\}/g, (_, field: string) => String({ ...operation.example, site_id: site.id }[field as never]))
      const answer = await here.rest(method.toUpperCase(), `/api/v1${filled}`, { token, ...(method === 'post' && { body: {} }) })
      assert.deepEqual([answer.status, answer.json.code], [403, 'insufficient_scope'], operation.name)
    }
    assert.equal(await around(), before)
    assert.equal((await here.call('approvals.list', { by: id })).total, 0)
  })
})

function svc(argv: string[], env: NodeJS.ProcessEnv): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(root, 'cli/src/main.ts'), ...argv], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    )
  })
}

/** The stdio package as a host starts it. */
function overStdio(env: NodeJS.ProcessEnv): { agent: Agent; close(): void } {
  const child = spawn(process.execPath, [path.join(root, 'mcp/dist/main.js')], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const open = new Map<number, (result: unknown) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line)
    open.get(id)?.(result)
  })
  let last = 0
  const ask = (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      open.set(++last, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`)
    })
  return {
    agent: {
      tools: async () => ((await ask('tools/list', {})) as { tools: Awaited<ReturnType<Agent['tools']>> }).tools,
      call: async (name, given = {}) => (await ask('tools/call', { name, arguments: given })) as ToolResult,
    },
    close: () => void child.kill(),
  }
}
