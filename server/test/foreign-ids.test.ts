import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { operations } from '../src/capabilities.ts'
import { newId } from '../src/kernel/ids.ts'
import type { Problem } from '../src/kernel/problem.ts'
import { saveJudged } from '../src/links/scan-store.ts'
import { exampleBody } from '../src/projections/command.ts'
import { type JsonSchema, manifest } from '../src/projections/manifest.ts'
import { tools } from '../src/projections/mcp-tools.ts'
import { openapi } from '../src/projections/openapi.ts'
import { finding } from '../src/security/checks.ts'
import { recordFindings } from '../src/security/record.ts'
import { insertMember } from '../src/workspaces/store.ts'
import { copySites, fillSite } from './filled.ts'
import type { OpenApi } from './fuzz-requests.ts'
import { anError, aPictureOf } from './heard.ts'
import { aPerson } from './person.ts'
import { stateOf } from './state-of.ts'
import { until } from './until.ts'
import { aWorld, type RestAnswer, type TestWorld } from './world.ts'

const described = manifest(operations)
const api = openapi(described) as unknown as OpenApi
/** What an id of each field begins with; a code has only its digits. */
const prefixes = {
  activity_id: 'act',
  code_id: '',
  invitation_id: 'invitation',
  update_rule_id: 'updaterule',
  update_window_id: 'window',
  user_id: 'user',
  view_id: 'view',
  site_id: 'site',
  job_id: 'job',
  backup_id: 'backup',
  finding_id: 'finding',
  rollout_id: 'rollout',
  window_id: 'window',
  link_id: 'link',
  error_id: 'phperror',
  channel_id: 'channel',
  rule_id: 'rule',
  delivery_id: 'delivery',
  approval_id: 'apr',
  token_id: 'tok',
  client_id: 'client',
  report_id: 'report',
  report_link_id: 'reportlink',
  picture_id: 'picture',
} as const
type IdField = keyof typeof prefixes
type Answer = Pick<RestAnswer, 'status' | 'text'>
const isIdField = (name: string): name is IdField => name in prefixes
/** Fields with several ids, by that with one. */
const severalOf: Record<string, IdField> = { site_ids: 'site_id' }
/** Whose ids are not tried, and why. */
const untried: Record<string, string> = {
  tweak_ids: 'names of the catalogue, the same everywhere',
  'sees.site_ids': 'kept as they are written: of the sites there are those are seen whose id is among them',
}
/** Two kinds of windows go by one name. */
const kindOf = (field: IdField, path: string): IdField => (path.startsWith('/updates/windows') ? 'update_window_id' : field)

/** The fields of an input by which something is named, those within others by their path. */
function idsIn(schema: JsonSchema, path = ''): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
    ...(/(^|_)ids?$/.test(name) ? [`${path}${name}`] : []),
    ...idsIn(inner, `${path}${name}.`),
  ])
  const within = [schema.items ?? [], schema.anyOf ?? [], schema.oneOf ?? [], schema.allOf ?? []].flat() as JsonSchema[]
  return [...own, ...within.flatMap((inner) => idsIn(inner, path))]
}

/** Ids of one workspace, tried under a token of another: wherever an id goes, theirs is answered as one that never was. */
describe('ids of another workspace', () => {
  let here: TestWorld
  let token: string
  let mine: Record<IdField, string>
  let theirs: Record<IdField | 'cursor', string>

  /** Of each workspace, so that nothing but the workspace tells what is theirs. */
  let owner: string

  const belongings = async (workspaceId: string) => {
    await insertMember(here.world.db, { workspaceId, userId: owner, role: 'owner' })
    const caller = here.caller({ id: owner, workspaceId })
    const { id: site_id } = await here.site(workspaceId)
    const made = await here.call('backups.create', { site_id, type: 'db' }, { caller })
    await here.job(String(made.job_id), workspaceId)
    const entry = await here.call('activity.log', { site_id, summary: 'Looked' }, { caller })
    const look = { workspaceId, siteId: site_id, source: 'outside' as const, at: here.world.now() }
    const [finding_id = ''] = (await recordFindings(here.world.db, look, [finding('xmlrpc', { evidence: [] })])).opened
    const { rollout_id } = await here.call('rollouts.start', { site_ids: [site_id] }, { caller })
    // Nothing of it may change behind what is tried, however long it takes.
    const rollout = () => here.call('rollouts.get', { rollout_id, wait_seconds: 25 }, { caller })
    await until(async () => !['running', 'stopping'].includes(String((await rollout()).status)))
    const ends_at = new Date(here.world.now().getTime() + 3_600_000).toISOString()
    const window = await here.call('uptime.maintain', { site_id, ends_at, reason: 'A new disk' }, { caller })
    const place = { page: 'https://a.example/', element: 'a[href]', text: '' }
    const lost = { url: 'https://a.example/lost', isInternal: true, confidence: 'broken', reason: 'not_found', status: 404 } as const
    await saveJudged({ ...here.world, workspaceId }, site_id, [{ ...lost, places: [place], placesCount: 1 }], [])
    const { links } = (await here.call('links.list', { site_id }, { caller })) as unknown as { links: { id: string }[] }
    const error_id = await anError(here, site_id, workspaceId)
    const channel = await here.call('notifications.add_channel', { name: 'Hook', type: 'webhook', url: 'http://127.0.0.1:9/' }, { caller })
    const rule = await here.call('notifications.add_rule', { channel_id: channel.id, kinds: ['site_down'] }, { caller })
    const delivery_id = randomOf('delivery_id')
    await sql`INSERT INTO deliveries (workspace_id, id, channel_id, status, notice_ids, due_at, created_at)
      VALUES (${workspaceId}, ${delivery_id}, ${channel.id}, 'dead', '{}', now(), now())`.execute(here.world.db)
    const { id: token_id } = await here.token('write', { workspaceId, approval_only: true })
    const scopes = new Set(['read', 'write'] as const)
    const asker = here.caller({ type: 'token', id: token_id, workspaceId, scopes, approvalOnly: true })
    const { approval_id } = await here.call('backups.create', { site_id }, { caller: asker })
    const client = await here.call('clients.create', { name: 'Ann' }, { caller })
    const report = await here.call('reports.draft', { client_id: client.id }, { caller })
    const told = await here.call('reports.draft', { client_id: client.id, month: '2026-01' }, { caller })
    await here.call('reports.publish', { report_id: told.id }, { caller })
    const link = await here.call('reports.link', { report_id: told.id }, { caller })
    const code = await here.call('pairing.create_code', {}, { caller })
    const rule_of_updates = await here.call('updates.set_rule', { type: 'plugin', allow: 'patch' }, { caller })
    const window_of_updates = await here.call('updates.add_window', { at: '02:00', weekday: 2, tag: 'none' }, { caller })
    const view = await here.call('views.save', { name: 'Mine', query: '' }, { caller })
    const invitation = await here.call('members.invite', { email: `ben+${workspaceId}@example.com` }, { caller })
    return {
      activity_id: String(entry.id),
      invitation_id: String(invitation.id),
      update_rule_id: String(rule_of_updates.id),
      update_window_id: String(window_of_updates.id),
      user_id: await aPerson(here, `cleo+${workspaceId}@example.com`, 'member', { workspaceId }),
      view_id: String(view.id),
      code_id: String(code.id),
      report_link_id: String(link.id),
      picture_id: await aPictureOf(here, site_id, workspaceId),
      client_id: String(client.id),
      report_id: String(report.id),
      approval_id: String(approval_id),
      token_id,
      channel_id: String(channel.id),
      rule_id: String(rule.id),
      delivery_id,
      error_id,
      link_id: links[0]?.id ?? '',
      window_id: String(window.id),
      finding_id,
      site_id,
      job_id: String(made.job_id),
      backup_id: String(made.backup_id),
      rollout_id: String(rollout_id),
      cursor: String(entry.id),
    }
  }
  before(async () => {
    here = await aWorld()
    owner = await aPerson(here, 'ann@example.com', 'owner')
    mine = await belongings(here.workspaceId)
    theirs = await belongings(await here.workspace('Other'))
    token = (await here.token('write')).token
  })
  after(() => here.close())

  const withoutRequestId = ({ status, text }: Answer) => ({ status, text: text.replaceAll(/req_[0-9a-f]{32}/g, 'req') })
  const randomOf = (field: IdField) => (prefixes[field] === '' ? randomBytes(8).toString('hex') : newId(prefixes[field], here.world.now()))

  /** The same call with their id and with a random one; the answers, with each id written as the same word. */
  async function alike(field: IdField, ask: (id: string) => Promise<Answer>, isRefused: (answer: Answer) => boolean) {
    const before = await stateOf(here.world)
    const answers = []
    for (const id of [theirs[field], randomOf(field)]) {
      const answer = await ask(id)
      assert.ok(isRefused(answer), `${answer.status} ${answer.text}`)
      const { status, text } = withoutRequestId(answer)
      answers.push({ status, text: text.replaceAll(id, 'id') })
    }
    assert.deepEqual(answers[0], answers[1])
    assert.equal(await stateOf(here.world), before, 'nothing changed')
    const secrets = Object.values(theirs).filter((id) => id !== theirs[field])
    for (const id of secrets) assert.ok(!JSON.stringify(answers).includes(id))
  }

  for (const [template, methods] of Object.entries(api.paths))
    for (const [method, { parameters = [], requestBody }] of Object.entries(methods))
      for (const { name, in: where } of parameters) {
        if (!isIdField(name)) continue
        const bodies = requestBody
          ? described.operations
              .filter(({ http }) => http.some((each) => each === `POST ${template}`))
              .map((entry) => ({
                entry: entry.name,
                body: exampleBody(
                  entry,
                  [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
                ),
              }))
          : [{ entry: '', body: undefined }]
        for (const { entry, body } of bodies)
          test(`${method} ${template} ${entry}: ${name} in the ${where}`, async () => {
            const ask = (id: string) => {
              const ids = { ...mine, [name]: id }
              const path = template.replaceAll(/\{(\w+)\}/g, (_, field: string) => (isIdField(field) ? ids[field] : field))
              return here.rest(method.toUpperCase(), `/api/v1${path}${where === 'query' ? `?${name}=${id}` : ''}`, {
                token,
                ...(body && { body }),
              })
            }
            await alike(kindOf(name, template), ask, ({ status }) => status === 404)
          })
      }

  for (const { name, http, example, input } of described.operations)
    for (const field of Object.keys(input.properties ?? {})) {
      const one = severalOf[field] ?? field
      if (!isIdField(one)) continue
      test(`${name} answers another workspace's ${field} as one that never was`, async () => {
        const needed = Object.entries(mine).filter(([each]) => input.required?.includes(each))
        // Of the ways to say which sites, only this one; and to be done, not only planned.
        const { site_id: _, site_ids: __, tag: ___, every_site: ____, ...rest } = example
        const given = { ...rest, ...('dry_run' in example && { dry_run: false }), ...Object.fromEntries(needed) }
        const ask = (id: string) =>
          here.call(name, { ...given, [field]: one === field ? id : [id] }, { caller: here.caller({ id: owner }) }).then(
            () => ({ status: 200, text: '' }),
            (problem: Problem) => ({ status: problem.code === 'not_found' ? 404 : 400, text: `${problem.code}: ${problem.message}` }),
          )
        await alike(kindOf(one, http[0]?.split(' ')[1] ?? ''), ask, ({ status }) => status === 404)
      })
    }

  for (const { name, inputSchema } of tools(operations))
    for (const field of Object.keys(inputSchema.properties ?? {}).filter(isIdField))
      test(`${name}: ${field}`, async () => {
        const example = described.operations.find(({ tool }) => tool === name)?.example
        // Whoever names a site does not also say which several.
        const passedOver = ['wait_seconds', 'tag']
        const given = Object.fromEntries(
          Object.entries({ ...example, ...mine }).filter(([key]) => key in (inputSchema.properties ?? {}) && !passedOver.includes(key)),
        )
        const ask = (id: string) =>
          here.rest('POST', '/api/mcp', {
            token,
            body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { ...given, [field]: id } } },
          })
        await alike(field, ask, ({ text }) => /"isError":true/.test(text) && /not_found/.test(text))
      })

  for (const [template, { get }] of Object.entries(api.paths))
    if (get?.parameters?.some(({ name }) => name === 'cursor'))
      test(`GET ${template}: their cursor leads nowhere`, async () => {
        const path = template.replaceAll(/\{(\w+)\}/g, (_, field: string) => (isIdField(field) ? mine[field] : field))
        for (const cursor of Object.values(theirs)) {
          const { status, text } = await here.rest('GET', `/api/v1${path}?cursor=${cursor}`, { token })
          assert.equal(status, 400)
          for (const id of Object.values(theirs)) assert.ok(!text.includes(id), text)
        }
      })

  /** Everything that can be read here, by its operation; what a site is asked, from memory. */
  const reads = async (first: { limit?: number } = {}) => {
    const answers: Record<string, { total?: number; next_cursor?: string | null }> = {}
    for (const { name, effect, bytes, action, input } of described.operations) {
      if (effect !== 'read' || bytes || action || (first.limit !== undefined && !input.properties?.limit)) continue
      const given = Object.fromEntries(Object.entries(mine).filter(([field]) => input.required?.includes(field)))
      answers[name] = await here.call(name, {
        ...given,
        ...first,
        ...(input.properties?.cached && { cached: true }),
        // Of the audit log what was done: the reads are these.
        ...(input.properties?.changes && { changes: true }),
      })
    }
    return JSON.parse(JSON.stringify(answers, (field, value) => (noted.has(field) ? undefined : value))) as typeof answers
  }
  /** What the service notes by itself, some time after a call. */
  const noted = new Set(['last_used_at', 'last_used_from', 'last_used_client'])

  test('whatever another workspace does, no read here says anything else: no item, no total, no policy, no score', async () => {
    await copySites(here, mine.site_id, 1)
    await fillSite(here, mine.site_id, ['one', 'two'])
    await here.call('clients.create', { name: 'Ben' })
    const called = (workspaceId: string) =>
      sql`INSERT INTO audit (workspace_id, at, caller_type, caller_id, operation, face, outcome, request_id)
      SELECT ${workspaceId}, now(), 'token', ${mine.token_id}, 'sites.set', 'api', 'ok', 'req' FROM generate_series(1, 2)`.execute(
        here.world.db,
      )
    await called(here.workspaceId)
    const before = await reads()
    // What is read whole nobody counts.
    const counted = await reads({ limit: 1 })
    const whole = Object.entries(counted).filter(([, { total, next_cursor }]) => total !== undefined && next_cursor === null)
    assert.deepEqual(Object.fromEntries(whole), {}, 'there are two of them')
    assert.ok(Object.keys(before).length > 15)
    const workspaceId = await here.workspace('Busy')
    const caller = here.caller({ workspaceId })
    const { site_id } = await belongings(workspaceId)
    const call: TestWorld['call'] = (name, input, options) => here.call(name, input, { caller, ...options })
    await fillSite({ ...here, workspaceId, call }, site_id, ['one', 'two', 'three'])
    await called(workspaceId)
    await here.token('read', { workspaceId })
    await here.call(
      'schedules.set_default',
      { enabled: true, keep_daily: 1, keep_weekly: 0, keep_monthly: 0, pre_update: 'full' },
      { caller },
    )
    await here.call('schedules.set', { site_id, enabled: true, at: '03:00' }, { caller })
    await here.job(String((await here.call('security.check', { site_id }, { caller })).job_id), workspaceId)
    assert.deepEqual(await reads(), before)
    assert.deepEqual(await reads({ limit: 1 }), counted)
  })

  test('whatever names something in an input is tried, or is passed over with a reason', () => {
    const named = new Set(described.operations.flatMap(({ input }) => idsIn(input)))
    assert.deepEqual(
      [...named].filter((field) => !isIdField(field) && !(field in severalOf) && !(field in untried)),
      [],
      'it has a prefix and something of its kind among the belongings, or a reason',
    )
    for (const field of [...Object.keys(untried), ...Object.keys(severalOf)]) assert.ok(named.has(field), `${field} is there no longer`)
    for (const field of Object.keys(prefixes)) assert.ok(theirs[field as IdField], `there is something to try as ${field}`)
  })
})
